"""The exception tree.

FactCheckError
├── FatalError            the run cannot go on: one line on stderr, exit code 2, progress kept
│   ├── InputError        a file or an argument is wrong: gives file, line and field
│   ├── OutputError       the result cannot be written (no such folder, disk full)
│   ├── BusyError         another run is writing the same output
│   ├── NetworkError      no server answers, or a provider's quota is used up
│   ├── MissingExtra      a package or its data is not installed: gives the command that installs it
│   └── StrictError       --strict, and an engine lacks what the recipe asks for
├── ClaimError            one claim cannot be processed: it goes to the failures file, the others go on
│   ├── StoreError        the claim's knowledge store is missing or damaged
│   └── ModelError        a model gave no answer for the claim
├── PendingError          requests wait in a batch file for their answers: one line, exit code 4, progress kept
└── Cancelled             the caller has cancelled the work

Any other exception inside one claim's work is treated as a ClaimError, with its traceback in the failures file.
"""

from importlib.util import find_spec
from pathlib import Path


class FactCheckError(Exception):
    """Base class of all errors that this project raises on purpose."""


class FatalError(FactCheckError):
    """Base class of errors that stop the run with exit code 2; the message is one line."""


class InputError(FatalError):
    """Error in a file or an argument. `str()` is `FILE, line N, field F: MESSAGE`, without the unknown parts."""

    def __init__(
        self, message: str, *, path: Path | str | None = None, line: int | None = None, field: str = ""
    ) -> None:
        self.message = message
        self.path = path
        self.line = line
        self.field = field
        super().__init__(locate(message, path=path, line=line, field=field))


class RefusedClaimError(InputError):
    """Raised when a text is no claim that can be checked, as a question; other claims may be checked."""


class OutputError(FatalError):
    """Raised when the output cannot be written; existing output is unchanged."""


class BusyError(FatalError):
    """Raised when another process has locked the file: it is writing the same output or download."""


class NetworkError(FatalError):
    """Raised when no server can be reached, or when the quota of a service is used up."""


class MissingExtra(FatalError):  # noqa: N818 - the name says what it is
    """Raised when a package, model or data set is not installed; the message ends in the command that installs it."""


class StrictError(FatalError):
    """Raised with `--strict` when the engine cannot follow the published recipe exactly."""


class ClaimError(FactCheckError):
    """Base class of errors of one claim; the step continues with the other claims."""


class StoreError(ClaimError):
    """Raised when a claim's knowledge-store file is missing, truncated or of the wrong shape."""


class ModelError(ClaimError):
    """Raised when a model or its server gave no answer."""


class PendingError(FactCheckError):
    """Raised when requests to a language model have no answer yet. `requests` are their lines for the batch file."""

    def __init__(self, message: str, requests: tuple[bytes, ...] = ()) -> None:
        self.requests = requests
        super().__init__(message)


class Cancelled(FactCheckError):  # noqa: N818 - nothing went wrong
    """Raised when the caller has cancelled the work."""


def require(package: str, user: str, remedy: str = "") -> None:
    """Raise MissingExtra if `package` is not installed. `user` names what needs it, for the message.

    `remedy`: the commands that install it; by default pip, for a package with the same name on PyPI as in imports.
    """
    if find_spec(package) is None:
        raise MissingExtra(f"{user} needs the package {package}; run: {remedy or f'pip install {package}'}")


def locate(message: str, *, path: Path | str | None = None, line: int | None = None, field: str = "") -> str:
    """Return one line that says where an error is: `dev.json, line 3, field label: unknown verdict`."""
    parts = [str(path)] if path is not None else []
    if line is not None:
        parts.append(f"line {line}")
    if field:
        parts.append(f"field {field}")
    return f"{', '.join(parts)}: {one_line(message)}" if parts else one_line(message)


def one_line(text: str) -> str:
    """Return the text with every run of white space replaced by one space."""
    return " ".join(text.split())
