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
    """File of the claims that were checked so far, beside the result at `json`, from which a killed run goes on; None:
    no file.

    `how` is a hash of flags and weights with which the claims are checked.
    """

    def __init__(self, json: Path | None, how: str) -> None:
        self.how = how
        self._path = json.with_suffix(SUFFIX) if json else None

    def read(self) -> list[Kept]:
        """Return the claims that an earlier run checked, without an incomplete last line.

        A file of a run with other flags or weights is removed. Raises InputError (file, line).
        """
        if self._path is None or not self._path.exists():
            return []
        whole = read_bytes(self._path).rpartition(b"\n")[0]
        records = [one for _, one in located(whole, Kept, self._path)]
        if any(one.how != self.how for one in records):
            answers = how_many(len(records), "answer")
            say(f"{self._path}: {answers} discarded, made with other flags, claims or models")
            self._path.unlink()
            return []
        write_whole(self._path, whole + b"\n" if whole else b"")
        return records

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
        paths = [place] if place.is_file() else sorted(place.rglob("*"))
        yield from (path for path in paths if path.is_file() and path.suffix not in _TOLD)
