"""Cache of shared prompt prefixes: llama.cpp's state after a prefix is kept in a file, from which requests start.

Each request starts from exactly the same state, so its answer does not depend on the requests before it.

Limitations: only the last few are kept; a state takes some tens of kilobytes per token.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from itertools import count, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from src.errors import ModelError
from src.llm.protocol import Request

KEPT = 8
_ENDS = ("A", "\n1")  # possible continuations of a prompt: the tokens before both do not depend on them


class Kept(NamedTuple):
    """The tokens of a prefix and the file with the state after them."""

    tokens: list[int]
    name: str


class Server(NamedTuple):
    """Server interface: `call` sends a request to llama.cpp's server, `tokens` returns the tokens of a prompt."""

    call: Callable[[str, object], Any]
    tokens: Callable[[Request], list[int]]


class SharedPrefixes:
    """Cache of the states of shared prefixes; the server keeps the files in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: OrderedDict[tuple[str, bool, str], Kept] = OrderedDict()
        self._names = (f"{number}.state" for number in count())
        self._lock = threading.Lock()

    def begin(self, server: Server, request: Request, prompt: list[int], slot: int) -> bool:
        """Restore the state after the request's shared prefix in the slot; return False if there is none.

        Raises ModelError when the server fails.
        """
        if not request.shared:
            return False
        with self._lock:
            kept = self._kept(server, request, slot)
            if not kept.tokens or prompt[: len(kept.tokens)] != kept.tokens:
                return False
            server.call(f"/slots/{slot}?action=restore", {"filename": kept.name})
        return True

    def forget(self) -> None:
        """Clear the cache."""
        with self._lock:
            while self._known:
                self._drop()

    def _kept(self, server: Server, request: Request, slot: int) -> Kept:
        key = (request.prompt[: request.shared], request.chat, request.system)
        if key not in self._known:
            self._known[key] = self._read(server, request, slot)
            if len(self._known) > KEPT:
                self._drop()
        self._known.move_to_end(key)
        return self._known[key]

    def _drop(self) -> None:
        _, oldest = self._known.popitem(last=False)
        (self._folder / oldest.name).unlink(missing_ok=True)

    def _read(self, server: Server, request: Request, slot: int) -> Kept:
        text = request.prompt[: request.shared]
        ways = [server.tokens(msgspec.structs.replace(request, prompt=text + end)) for end in _ENDS]
        tokens = [one for one, _ in takewhile(lambda both: both[0] == both[1], zip(*ways, strict=False))]
        kept = Kept(tokens, next(self._names))
        if not kept.tokens:
            return kept
        server.call("/completion", {"prompt": kept.tokens, "n_predict": 0, "id_slot": slot, "cache_prompt": False})
        try:
            server.call(f"/slots/{slot}?action=save", {"filename": kept.name})
        except ModelError:  # no room for the file: requests are read whole
            return Kept([], kept.name)
        return kept
