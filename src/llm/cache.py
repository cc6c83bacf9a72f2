"""Cache of a language model's replies on disk: no request is sent to the model twice.

Each model has one file of JSON lines with checksums (`src/append_only.py`): the SHA-256 of a request and its reply. Any
number of processes may append to it. A damaged line is ignored. Lines of earlier versions, which have no checksum, are
read too. A model gets another file if anything in its `ModelInfo` differs, except the number of threads, or if its
engine's version differs. Requests that differ in any field except `role` have separate replies. This includes
`shared`, with which llama.cpp splits a prompt at another token, so that a near tie may be decided otherwise. The number
of threads may have the same effect.

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
from src.llm.progress import answered
from src.llm.protocol import LanguageModel, ModelInfo, PartialError, Reply, Request
from src.settings import OF_THE_MACHINE

PACKAGES = {
    "llama.cpp": ("xllamacpp",),
    "torch": ("llguidance", "tokenizers", "torch", "transformers"),  # transformers answers beams, bans, choices, chats
    "transformers": ("llguidance", "torch", "transformers"),  # the first holds answers to a JSON schema
    "vllm": ("torch", "vllm"),
}


class CacheLine(msgspec.Struct, frozen=True):
    """Line of the cache's file: the SHA-256 of a request and its reply."""

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
        """Return the reply to each request, in order, from the cache or the model.

        Raises the model's errors, and OutputError when a reply cannot be written. If only a part of the batch is
        answered, its replies are cached.
        """
        self._read()
        keys = [key_of(request) for request in requests]
        new = {key: request for key, request in zip(keys, requests, strict=True) if key not in self._known}
        cached = sum(key in self._known for key in keys)
        answered(cached)
        if new:
            try:
                outcomes: Sequence[Reply | ModelError] = self._model.complete(list(new.values()))
            except PartialError as error:
                outcomes = error.replies
            by_key = dict(zip(new, outcomes, strict=True))
            replies = {key: reply for key, reply in by_key.items() if isinstance(reply, Reply)}
            # the next answer may not be empty
            cacheable = {key: reply for key, reply in replies.items() if reply.stopped != "empty"}
            self._append(cacheable)
            self._known |= cacheable
            if len(replies) < len(by_key):
                raise PartialError([by_key.get(key) or self._known[key] for key in keys])
            answered(len(requests) - cached - len(new))  # requests that are equal to another one
            return [replies.get(key) or self._known[key] for key in keys]
        return [self._known[key] for key in keys]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._model.count_tokens(texts)

    def _read(self) -> None:
        """Read the replies that any process has appended to the file since the last call."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read_to)
                data = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            raise OutputError(f"cannot read {self._path}: {error.strerror or error}") from None
        complete = data[: data.rfind(b"\n") + 1]
        self._read_to += len(complete)
        for line in complete.splitlines(keepends=True):
            body = line if line.startswith(b"{") else unsealed(line)
            try:
                line_read = decode(body or b"", CacheLine)
            except msgspec.DecodeError:
                continue
            self._known.setdefault(line_read.key, line_read.reply)

    def _append(self, replies: dict[str, Reply]) -> None:
        """Append replies to the file. If a killed process left an incomplete line, it is ended first."""
        with AppendOnlyFile(self._path, wait=True) as file:
            file.append(b"\n" * file.is_torn() + b"".join(map(_line, replies.items())), sync=False)


def key_of(request: Request) -> str:
    """Return the request's key in the cache: the SHA-256 of all its fields except `role`.

    `schema` counts only if it is set, so that requests from before it was added keep their keys.
    """
    fields = msgspec.to_builtins(msgspec.structs.replace(request, role=""))
    if not request.schema:
        del fields["schema"]
    return sha256(msgspec.json.encode(fields)).hexdigest()


def file_name(info: ModelInfo) -> str:
    """Return the name of a model's cache file: the model's name and a hash of its info and its engine's version."""
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
    """Return a key and its reply as a line of the file.

    The line is b"" for a reply that JSON cannot represent (a lone surrogate, or a score of minus infinity).
    """
    try:
        line = msgspec.json.encode(CacheLine(*item))
        return sealed(line) if decode(line, CacheLine).reply == item[1] else b""
    except (UnicodeEncodeError, msgspec.ValidationError):
        return b""
