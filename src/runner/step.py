"""A step's main function, and exit codes: 0 done, 1 some claims failed, 2 bad input, 3 a bug."""

import atexit
import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from src.errors import FactCheckError
from src.runner.console import say_error, say_fault
from src.runner.flags import StepParser, parsed, parser_of

Settings = TypeVar("Settings", bound=msgspec.Struct)


class Step(Generic[Settings]):
    """The main function of a step: reads the settings from the command line, works, and returns the exit code."""

    def __init__(self, work: Callable[[Settings], int], settings: type[Settings]) -> None:
        self.work, self.settings = work, settings

    @property
    def parser(self) -> StepParser:
        module = sys.modules[self.work.__module__]
        name = module.__spec__.name if module.__spec__ else module.__name__
        return parser_of(self.settings, name.removesuffix(".__main__"), (module.__doc__ or "").split("\n\n")[0])

    def parse(self, argv: Sequence[str] | None = None) -> Settings:
        """Return the settings that a command line gives (None: that of the process)."""
        return parsed(self.settings, self.parser, argv)

    def __call__(self, argv: Sequence[str] | None = None) -> int:
        return exit_code_of(lambda: self.work(self.parse(argv)))


def exit_code_of(work: Callable[[], int]) -> int:
    """Return the exit code of a program's work.

    A FactCheckError becomes one line on stderr and exit code 2. A file name that is too long is treated the same way.
    An interruption gives exit code 130, a closed pipe 141. Any other exception is a bug and gives a traceback and exit
    code 3, since 1 means that the output was written.
    """
    atexit.register(gc.freeze)  # models and libraries are not searched for cycles at exit, which may take a second
    try:
        return work()
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
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:  # wherever a name is first looked up
            say_error(f"error: {error.filename}: the name is too long for a file; give a shorter one")
            return 2
        say_fault(error)
        return 3


def step(settings: type[Settings]) -> Callable[[Callable[[Settings], int]], Step[Settings]]:
    """Decorate a step's main function, which takes its settings and returns the exit code."""
    return lambda work: Step(work, settings)
