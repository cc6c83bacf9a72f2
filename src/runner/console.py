"""What a step prints: a progress bar on a terminal, plain lines otherwise."""

import sys
import time
from types import TracebackType
from typing import Self

from tqdm import tqdm

LINE_EVERY = 10.0  # seconds between plain progress lines


def say(text: str, *, quiet: bool = False) -> None:
    """One line on stdout, at once; what the terminal's encoding lacks is written as an escape."""
    if not quiet:
        encoding = sys.stdout.encoding or "utf-8"
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def say_error(text: str) -> None:
    """One line on stderr."""
    print(text, file=sys.stderr, flush=True)


def how_many(number: int, noun: str) -> str:
    """`1 claim`, `2 claims`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class Progress:
    """Counts claims, or URLs: `with Progress("bm25_sentences", total, done) as progress: progress.add(n, failed)`."""

    def __init__(
        self, name: str, total: int, done: int = 0, *, quiet: bool = False, unit: str = "claim", failed: str = "failed"
    ) -> None:
        self.name, self.total, self.done, self.failed, self.quiet = name, total, done, 0, quiet
        self._unit, self._failed = unit, failed
        self._started = self._spoken = time.monotonic()
        on_terminal = sys.stderr.isatty() and not quiet
        self._bar = tqdm(total=total, initial=done, desc=name, unit=unit) if on_terminal else None

    def __enter__(self) -> Self:
        if self._bar is None and self.done:
            say(f"{self.name}: going on after {self.done} of {self.total} {self._unit}s", quiet=self.quiet)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def add(self, done: int, failed: int) -> None:
        """Some more are done, of which `failed` failed."""
        self.done += done
        self.failed += failed
        if self._bar is not None:
            self._bar.set_postfix({self._failed: self.failed}, refresh=False)
            self._bar.update(done)
        elif time.monotonic() - self._spoken > LINE_EVERY and self.done < self.total:
            self._spoken = time.monotonic()
            seconds = self._spoken - self._started
            count = f"{self.done} of {self.total} {self._unit}s, {seconds:.0f} s, {self.failed} {self._failed}"
            say(f"{self.name}: {count}", quiet=self.quiet)
