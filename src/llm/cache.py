"""Cache of answers on disk, by content: a model gets no request a second time.

There is one file per model, with sealed lines of JSON (`src/append_only.py`): the SHA-256 of a request and its reply.
Any number of processes may append to it. A damaged line is ignored. Lines of earlier versions, which have no checksum,
are read too. The file is another one if anything in the model's `ModelInfo` differs, except the number of threads, or
if the version of its engine differs. A request is another one if any field except `role` differs. `shared` counts,
because llama.cpp then reads a prompt in other pieces, which may change a near tie; another number of threads may too.

Limitations: nothing is ever deleted. An empty answer is not cached; it is asked for again. An engine that computes
requests together (transformers) gets only those that are not cached. The last digits of their scores may then differ
from those of a run without a cache. Servers may change the model behind a name. A dry run neither reads nor writes the
cache.
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


class CacheLine(msgspec.Struct, frozen=True):
    """A line of the file."""

    key: str
    reply: Reply


class CachedModel:
    """A model with a cache in `folder`; it gets only requests that are not cached."""

    def __init__(self, model: LanguageModel, folder: Path) -> None:
        self._model, self._path = model, folder / file_name(model.info)
        self._known: dict[str, Reply] = {}
        self._read_to = 0

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Return the replies in order, from the cache or the model.

        Raises as the model does, and OutputError when an answer cannot be written. If a batch is answered in part,
        these answers are cached.
        """
        self._read()
        keys = [key_of(request) for request in requests]
        new = {key: request for key, request in zip(keys, requests, strict=True) if key not in self._known}
        if new:
            try:
                outcomes: Sequence[Reply | ModelError] = self._model.complete(list(new.values()))
            except PartialError as error:
                outcomes = error.replies
            found = dict(zip(new, outcomes, strict=True))
            replies = {key: reply for key, reply in found.items() if isinstance(reply, Reply)}
            # the next answer may not be empty
            answered = {key: reply for key, reply in replies.items() if reply.stopped != "empty"}
            self._append(answered)
            self._known |= answered
            if len(replies) < len(found):
                raise PartialError([found.get(key) or self._known[key] for key in keys])
            return [replies.get(key) or self._known[key] for key in keys]
        return [self._known[key] for key in keys]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._model.count_tokens(texts)

    def _read(self) -> None:
        """Read what was appended since the last call, by any process."""
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
                line_read = decode(body or b"", CacheLine)
            except msgspec.DecodeError:
                continue
            self._known.setdefault(line_read.key, line_read.reply)

    def _append(self, replies: dict[str, Reply]) -> None:
        """Append whole lines; an empty line first ends a partial line that a killed process may have left."""
        with AppendOnlyFile(self._path, wait=True) as file:
            file.append(b"\n" * file.is_torn() + b"".join(map(_line, replies.items())), sync=False)


def key_of(request: Request) -> str:
    """Return the SHA-256 of all fields that may change the answer."""
    return sha256(msgspec.json.encode(msgspec.structs.replace(request, role=""))).hexdigest()


def file_name(info: ModelInfo) -> str:
    """Return the file's name: the model's name, for people, and a hash of all that is known of it."""
    packages = {name: _version(name) for name in PACKAGES.get(info.engine, ())}
    details = {name: value for name, value in info.details.items() if name not in OF_THE_MACHINE}
    known = (msgspec.structs.replace(info, details=details), packages)
    digest = sha256(msgspec.json.encode(known, order="deterministic")).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9.-]+', '_', info.name)[-60:]}.{digest[:16]}.jsonl"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _line(item: tuple[str, Reply]) -> bytes:
    """Return the line; b"" for a reply that JSON cannot hold (a lone surrogate, or a score of minus infinity)."""
    try:
        line = msgspec.json.encode(CacheLine(*item))
        return sealed(line) if decode(line, CacheLine).reply == item[1] else b""
    except (UnicodeEncodeError, msgspec.ValidationError):
        return b""
