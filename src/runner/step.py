"""A step's main function, and exit codes: 0 done, 1 some claims failed, 2 bad input, 3 a bug, 4 requests wait.

Python itself exits with 1 when an import fails. The environment variable FAILED_CLAIMS_CODE is another exit code for
failed claims, by which a job script can distinguish the two.
"""

import atexit
import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from src.errors import FactCheckError, PendingError
from src.runner.console import say_error, say_fault
from src.runner.flags import StepParser, parsed, parser_of

Settings = TypeVar("Settings", bound=msgspec.Struct)


class Step(Generic[Settings]):
    """The main function of a step: parses the command line, calls `work` with the settings, returns the exit code."""

    def __init__(self, work: Callable[[Settings], int], settings: type[Settings]) -> None:
        self.work, self.settings = work, settings

    @property
    def parser(self) -> StepParser:
        module = sys.modules[self.work.__module__]
        name = module.__spec__.name if module.__spec__ else module.__name__
        return parser_of(self.settings, name.removesuffix(".__main__"), (module.__doc__ or "").split("\n\n")[0])

    def parse(self, argv: Sequence[str] | None = None) -> Settings:
        """Return the settings given on a command line (None: the command line of this process)."""
        return parsed(self.settings, self.parser, argv)

    def __call__(self, argv: Sequence[str] | None = None) -> int:
        code = exit_code_of(lambda: self.work(self.parse(argv)))
        return int(os.environ.get("FAILED_CLAIMS_CODE", code)) if code == 1 else code


def exit_code_of(work: Callable[[], int]) -> int:
    """Call `work` and return its exit code; exceptions become exit codes.

    2: a FactCheckError, or a file name that is too long; one line on stderr.
    3: any other exception, which is a bug; with a traceback.
    4: a PendingError: requests wait in a batch file for their answers; one line on stderr.
    130: interrupted by the user.
    141: the reader of stdout has closed the pipe.
    """
    atexit.register(gc.freeze)  # models and libraries are not searched for cycles at exit, which may take a second
    try:
        return work()
    except PendingError as error:
        say_error(str(error))
        return 4
    except FactCheckError as error:
        say_error(f"error: {' '.join(str(error).splitlines())}")
        return 2
    except KeyboardInterrupt:
        say_error("stopped; start it again to go on from here")
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:  # raised at the first use of the name
            say_error(f"error: {error.filename}: the name is too long for a file; give a shorter one")
            return 2
        say_fault(error)
        return 3


def step(settings: type[Settings]) -> Callable[[Callable[[Settings], int]], Step[Settings]]:
    """Decorate a step's main function, which takes its settings and returns the exit code."""
    return lambda work: Step(work, settings)
