"""Console output of a step: a progress bar on a terminal, plain lines otherwise.

Claims, pages and answers of models may contain terminal control characters. All printed text is escaped by `printable`.
"""

import re
import sys
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Self

from tqdm import tqdm

LINE_EVERY = 10.0  # seconds between plain progress lines
# Control characters except tab and line break, and marks that change the text direction.
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Return the text with each terminal control character escaped as in JSON, such as `\\u001b`."""
    return _COMMANDS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def say(text: str, *, quiet: bool = False) -> None:
    """Print one line on stdout and flush; characters that the terminal's encoding lacks are escaped."""
    if not quiet:
        encoding = sys.stdout.encoding or "utf-8"
        print(printable(text).encode(encoding, "backslashreplace").decode(encoding), flush=True)


def say_error(text: str) -> None:
    """Print one line on stderr."""
    print(printable(text), file=sys.stderr, flush=True)


def say_fault(error: BaseException) -> None:
    """Print the traceback of a bug on stderr."""
    say_error("".join(traceback.format_exception(error)).removesuffix("\n"))


def how_many(number: int, noun: str, plural: str = "") -> str:
    """Return number and noun, in the plural if needed: `1 claim`, `2 claims`. `plural`: where an s is not enough."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"


def duration(seconds: float) -> str:
    """Return the seconds as text: `0.4 s`, `48 s`, `3 min 41 s`, `2 h 05 min`."""
    if seconds < 59.5:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


class Progress:
    """Progress display: `with Progress("bm25_sentences", total, done) as progress: progress.add(n, failed)`.

    `total` is the number of claims or other items (`unit`), `done` the number finished by an earlier run. `failed` is
    the label of the count of failures. `status` (also an attribute) returns a remark for the end of the line, such as
    what is at work.
    """

    def __init__(
        self,
        name: str,
        total: int,
        done: int = 0,
        *,
        quiet: bool = False,
        unit: str = "claim",
        failed: str = "failed",
        status: Callable[[], str] = lambda: "",
    ) -> None:
        self.name, self.total, self.done, self.failed, self.quiet = name, total, done, 0, quiet
        self.status = status
        self._unit, self._failed, self._before = unit, failed, done
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
        """Count `done` more items, of which `failed` failed. With 0, only bring the display up to date."""
        self.done += done
        self.failed += failed
        if self._bar is not None:
            status = self.status()
            self._bar.set_postfix_str(f"{self._failed}={self.failed}{status and f', {status}'}", refresh=False)
            self._bar.update(done)
        elif time.monotonic() - self._spoken > LINE_EVERY and self.done < self.total:
            self._spoken = time.monotonic()
            say(f"{self.name}: {self._line(self._spoken - self._started)}", quiet=self.quiet)

    def _line(self, seconds: float) -> str:
        count = f"{self.done} of {self.total} {self._unit}s, {seconds:.0f} s, {self.failed} {self._failed}"
        rate = (self.done - self._before) / seconds  # items a second in this run
        speed = f"{rate * 60:.0f} a minute, {(self.total - self.done) / rate:.0f} s left" if rate else ""
        return ", ".join(filter(None, [count, speed, self.status()]))
