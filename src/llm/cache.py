"""Answers kept on disk by content: what a model was asked before, it is not asked again.

One file for each model, sealed lines of JSON (`src/append_only.py`) to which any number of processes append: the
SHA-256 of a request and its reply. A line that is damaged is as if it were not there; lines of earlier versions, which
have no checksum, are read too. A model is another one when anything of its `ModelInfo`, but for
its number of threads, or the version of what runs it differs; a request when any field but `role` does. `shared`
counts: llama.cpp reads a prompt in other pieces for it, which may change a near tie, as other threads may.

But: nothing is ever thrown away. An empty answer is not kept, so that it is asked for again. An engine that computes
requests together (transformers) gets those only that are not kept, and the last digits of their scores may differ from
those of a run without a cache. Servers may change their model behind its name. A dry run neither reads nor keeps
answers.
"""

import re
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from src.append_only import AppendOnlyFile, sealed, unsealed
from src.errors import ModelError, OutputError
from src.json_decoding import decode
from src.llm.protocol import LanguageModel, ModelInfo, PartialError, Reply, Request
from src.machine import OF_THE_MACHINE

PACKAGES = {"llama.cpp": ("xllamacpp",), "transformers": ("torch", "transformers"), "vllm": ("torch", "vllm")}


class Kept(msgspec.Struct, frozen=True):
    """A line of the file."""

    key: str
    reply: Reply


class CachedModel:
    """A model that is asked only what `folder` does not hold."""

    def __init__(self, model: LanguageModel, folder: Path) -> None:
        self._model, self._path = model, folder / file_name(model.info)
        self._known: dict[str, Reply] = {}
        self._read_to = 0

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Raises as the model does, and OutputError when an answer cannot be kept. Of a batch that was answered in part
        what was answered is kept."""
        self._read()
        keys = [key_of(request) for request in requests]
        new = {key: asked for key, asked in zip(keys, requests, strict=True) if key not in self._known}
        if new:
            try:
                asked: Sequence[Reply | ModelError] = self._model.complete(list(new.values()))
            except PartialError as error:
                asked = error.replies
            found = dict(zip(new, asked, strict=True))
            replies = {key: reply for key, reply in found.items() if isinstance(reply, Reply)}
            # an empty answer may be told another time
            told = {key: reply for key, reply in replies.items() if reply.stopped != "empty"}
            self._append(told)
            self._known |= told
            if len(replies) < len(found):
                raise PartialError([found.get(key) or self._known[key] for key in keys])
            return [replies.get(key) or self._known[key] for key in keys]
        return [self._known[key] for key in keys]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._model.count_tokens(texts)

    def _read(self) -> None:
        """What was appended since the last time, by whatever process."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read_to)
                data = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            raise OutputError(f"cannot read {self._path}: {error.strerror or error}") from None
        whole = data[: data.rfind(b"\n") + 1]
        self._read_to += len(whole)
        for line in whole.splitlines(keepends=True):
            body = line if line.startswith(b"{") else unsealed(line)
            try:
                kept = decode(body or b"", Kept)
            except msgspec.DecodeError:
                continue
            self._known.setdefault(kept.key, kept.reply)

    def _append(self, replies: dict[str, Reply]) -> None:
        """Add whole lines; an empty one before them ends what a killed process may have left of a line."""
        with AppendOnlyFile(self._path, wait=True) as file:
            file.append(b"\n" * file.is_torn() + b"".join(map(_line, replies.items())), sync=False)


def key_of(request: Request) -> str:
    """SHA-256 of all that may change the answer."""
    return sha256(msgspec.json.encode(msgspec.structs.replace(request, role=""))).hexdigest()


def file_name(info: ModelInfo) -> str:
    """The model's name, for people, and a hash of all that is known of it."""
    packages = {name: _version(name) for name in PACKAGES.get(info.engine, ())}
    told = {name: value for name, value in info.details.items() if name not in OF_THE_MACHINE}
    known = (msgspec.structs.replace(info, details=told), packages)
    digest = sha256(msgspec.json.encode(known, order="deterministic")).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9.-]+', '_', info.name)[-60:]}.{digest[:16]}.jsonl"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _line(item: tuple[str, Reply]) -> bytes:
    """Empty for a reply that JSON cannot hold: half of a surrogate pair in its text, or a score of minus infinity."""
    try:
        line = msgspec.json.encode(Kept(*item))
        return sealed(line) if decode(line, Kept).reply == item[1] else b""
    except (UnicodeEncodeError, msgspec.ValidationError):
        return b""
