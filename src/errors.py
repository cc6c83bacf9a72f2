"""The exception tree.

FactCheckError
├── FatalError            the run cannot go on: one line on stderr, exit code 2, progress kept
│   ├── InputError        a file or an argument is wrong: says file, line and field
│   ├── OutputError       the result cannot be written (no such folder, disk full)
│   ├── BusyError         another run is writing the same output
│   ├── NetworkError      no server answers, or a provider's quota is used up
│   ├── MissingExtra      a package or its data is not installed: says the line that installs it
│   └── StrictError       --strict, and an engine lacks what the recipe asks for
├── ClaimError            one claim cannot be processed: it goes to the failures file, the others go on
│   ├── StoreError        its knowledge store is missing or damaged
│   └── ModelError        a model did not answer for it
└── Cancelled             whoever asked for the work does not want it any more

Any other exception inside one claim's work is treated as a ClaimError, with its traceback in the failures file.
"""

from pathlib import Path


class FactCheckError(Exception):
    """Root of all errors that this project raises on purpose."""


class FatalError(FactCheckError):
    """Stops the run with exit code 2; the message is one line."""


class InputError(FatalError):
    """Bad input. `str()` reads `FILE, line N, field F: MESSAGE`, with the unknown parts left out."""

    def __init__(
        self, message: str, *, path: Path | str | None = None, line: int | None = None, field: str = ""
    ) -> None:
        self.message = message
        self.path = path
        self.line = line
        self.field = field
        super().__init__(locate(message, path=path, line=line, field=field))


class OutputError(FatalError):
    """The output cannot be written; what was there before is untouched."""


class BusyError(FatalError):
    """Another process holds the output's progress file."""


class NetworkError(FatalError):
    """The web cannot be reached, or will not answer any more today."""


class MissingExtra(FatalError):  # noqa: N818 - the name says what it is
    """A package, model or data set is not installed; the message ends in the command that brings it."""


class StrictError(FatalError):
    """`--strict` was given and the engine cannot follow the recipe exactly."""


class ClaimError(FactCheckError):
    """One claim fails; the step goes on."""


class StoreError(ClaimError):
    """A claim's knowledge-store file is missing, truncated or of the wrong shape."""


class ModelError(ClaimError):
    """A model or its server did not give an answer."""


class Cancelled(FactCheckError):  # noqa: N818 - nothing went wrong
    """Whoever asked for the work does not want it any more."""


def locate(message: str, *, path: Path | str | None = None, line: int | None = None, field: str = "") -> str:
    """One line that says where: `dev.json, line 3, field label: unknown verdict`."""
    place = [str(path)] if path is not None else []
    if line is not None:
        place.append(f"line {line}")
    if field:
        place.append(f"field {field}")
    return f"{', '.join(place)}: {one_line(message)}" if place else one_line(message)


def one_line(text: str) -> str:
    """The text with every run of white space made one space."""
    return " ".join(text.split())
