"""The claims that an unfinished run has checked: a line each, beside the result, until the result is there."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.check.records import Kept
from bench.check.sets import files_of
from src.atomic_file import write_whole
from src.check import ModelSettings
from src.llm.weights import PRETRAINED
from src.runner.console import how_many, say
from src.settings import values_of
from src.store import encode_line, located, read_bytes, sha256

SUFFIX = ".part.jsonl"
_TOLD = (".md", ".svg")  # beside weights, for people


class PartFile:
    """For the result at `json`; with None nothing is kept. `how` the claims are checked, by flags and weights."""

    def __init__(self, json: Path | None, how: str) -> None:
        self.how = how
        self._path = json.with_suffix(SUFFIX) if json else None

    def read(self) -> list[Kept]:
        """Return what an earlier run left, without a last line that is torn; remove it where another `how` made it.

        Raises InputError (file, line).
        """
        if self._path is None or not self._path.exists():
            return []
        whole = read_bytes(self._path).rpartition(b"\n")[0]
        found = [one for _, one in located(whole, Kept, self._path)]
        if any(one.how != self.how for one in found):
            answers = how_many(len(found), "answer")
            say(f"{self._path}: {answers} discarded, made with other flags, claims or models")
            self._path.unlink()
            return []
        write_whole(self._path, whole + b"\n" if whole else b"")
        return found

    def add(self, one: Kept) -> None:
        if self._path:
            with self._path.open("ab") as file:
                file.write(encode_line(one))

    def remove(self) -> None:
        if self._path:
            self._path.unlink(missing_ok=True)


def how_checked(name: str, models: ModelSettings) -> str:
    """Return a hash of the set, flags and models that claims of an earlier run must have been checked with."""
    flags = {flag: str(value) for flag, value in values_of(models).items()} | {"set": name}
    files = [(str(path), sha256(path)) for path in _files(name, models)]
    return hashlib.sha256(msgspec.json.encode((flags, files), order="sorted")).hexdigest()


def _files(name: str, models: ModelSettings) -> Iterator[Path]:
    """Yield the files of claims, of models trained here and of what flags name; the base models are pinned by code."""
    writer = models.writer
    named = (writer.adapter, models.reference_corpus, models.reranker, models.verdict, writer.llm.partition(":")[2])
    trained = [PRETRAINED / "adapters", *PRETRAINED.glob("*.ckpt")]
    for place in [*files_of(name), *trained, *(Path(one) for one in named if one)]:
        found = [place] if place.is_file() else sorted(place.rglob("*"))
        yield from (path for path in found if path.is_file() and path.suffix not in _TOLD)
