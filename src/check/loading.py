"""Loading of the models of a check in a background thread, while pages are fetched and other models are used."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from threading import Lock, Thread
from typing import Protocol

from src.free_memory import trim
from src.waiting import LOOK

_ONE_AT_A_TIME = Lock()  # two checks with the same models do not load a model twice


class LoadsParts(Protocol):
    """Models that are loaded part by part, such as `Models`."""

    def load_part(self, name: str) -> None: ...


class Loading:
    """Models that are being loaded, in the given order.

    The thread is a daemon, so a check that ends earlier does not wait for it.
    """

    def __init__(self, models: LoadsParts, parts: Sequence[str]) -> None:
        self._parts: dict[str, Future[None]] = {part: Future() for part in parts}
        self._error: BaseException | None = None
        Thread(target=self._load, args=(models,), daemon=True).start()

    def is_loaded(self, part: str) -> bool:
        """Return True if nothing is to be waited for: the part is loaded, has failed, or is not one of these models."""
        return part not in self._parts or self._parts[part].done()

    @property
    def loaded(self) -> tuple[int, int]:
        """Return the number of parts that are loaded, and of all."""
        return sum(future.done() for future in self._parts.values()), len(self._parts)

    def go_on(self) -> None:
        """Raise what the loading of a part raised, if one has failed."""
        if self._error is not None:
            raise self._error

    def wait(self, part: str, go_on: Callable[[], None]) -> None:
        """Wait until a part is loaded. Raises what its loading, or that of a part before it, raised.

        `go_on` is called ten times a second; what it raises ends the waiting.
        """
        if part in self._parts:
            while not wait([self._parts[part]], LOOK).done:
                go_on()
            self._parts[part].result()

    def _load(self, models: LoadsParts) -> None:
        for part, future in self._parts.items():
            try:
                if self._error is None:
                    with _ONE_AT_A_TIME:
                        models.load_part(part)
                        trim()  # weights were read in another number format first
            except BaseException as raised:  # raised again by the thread of the check
                self._error = raised
            if self._error is None:
                future.set_result(None)
            else:
                future.set_exception(self._error)
