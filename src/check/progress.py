"""Progress of a check on stderr: on a terminal one line that changes, else one line per stage."""

import sys
from types import TracebackType
from typing import Self

from tqdm import tqdm

from src.check.records import ProgressEvent, Stage
from src.runner.console import printable, say_error


class Lines:
    """Progress printer: `with Lines(quiet=False) as lines: check_claim(asked, tell=lines.tell)`."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet, self._stage = quiet, Stage.SEARCH
        self._bar = tqdm(bar_format="{desc}", leave=False) if sys.stderr.isatty() and not quiet else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def tell(self, told: ProgressEvent) -> None:
        count = f" {told.done} of {told.total}" if told.total else ""
        if self._bar is not None:
            self._bar.set_description_str(printable(f"check: {told.stage}{count} {told.text[:60]}"))
        elif not self._quiet and not told.done and not told.text:
            say_error(f"check: {told.stage}")
