"""Command-line arguments shared by the steps, and exit codes: 0 done, 1 some claims failed, 2 bad input, 3 a bug."""

import argparse
import atexit
import errno
import gc
import math
import os
import sys
from collections.abc import Iterable, Sequence
from functools import wraps
from typing import NoReturn, Protocol

from src.errors import FactCheckError, InputError
from src.runner.claim_range import end_of, in_range, in_words
from src.runner.console import say_error, say_fault
from src.runner.paths import existing_file, output_folder

__all__ = ["end_of", "existing_file", "in_range", "in_words", "output_folder"]


class Main(Protocol):
    """A step's main function, which returns its exit code."""

    def __call__(self, argv: Sequence[str] | None = None) -> int: ...


class WithDefaults(argparse.ArgumentDefaultsHelpFormatter):
    """Help formatter that shows each default except None and False."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help if action.default in (None, False) else super()._get_help_string(action)


class StepParser(argparse.ArgumentParser):
    """Argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message} (--help lists the flags)\n")


def step_parser(description: str | None, module: str) -> argparse.ArgumentParser:
    """Return a parser with the flags that every resumable step has. `module` is the step's `python -m` name."""
    parser = StepParser(prog=f"python -m {module}", description=(description or "").split("\n\n")[0],
                        formatter_class=WithDefaults)  # fmt: skip
    parser.add_argument("--overwrite", action="store_true", help="begin anew, whatever is there")
    parser.add_argument("--quiet", action="store_true", help="print errors only")
    parser.add_argument("--dry_run", action="store_true", help="say what the run would take, then stop")
    return parser


def add_range(parser: argparse.ArgumentParser) -> None:
    """Add the flags for the range of claims to work on: START to END - 1."""
    parser.add_argument("-s", "--start", type=int, default=0, help="first claim_id")
    parser.add_argument("-e", "--end", type=int, default=-1, help="claim_id after the last one; -1: all")


def positive(text: str) -> int:
    """Parse an integer of at least 1, as an argparse type."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{value} is not at least 1")
    return value


def natural(text: str) -> int:
    """Parse an integer of at least 0, as an argparse type."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{value} is not at least 0")
    return value


def seconds(text: str) -> float:
    """Parse a finite number above 0, as an argparse type."""
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{value} is not above 0 and finite")
    return value


def refuse_unread(args: argparse.Namespace, flags: argparse.ArgumentParser, names: Iterable[str], why: str) -> None:
    """Raise InputError if one of these flags was changed although it has no effect."""
    for name in names:
        value = getattr(args, name)
        if value != flags.get_default(name):
            raise InputError(f"--{'no-' if value is False else ''}{name} {why}")


def step(main: Main) -> Main:
    """Decorate a step's main function: a FactCheckError becomes one line on stderr and exit code 2.

    A file name that is too long is treated the same way. An interruption gives exit code 130, a closed pipe 141. Any
    other exception is a bug and gives a traceback and exit code 3, since 1 means that the output was written. At exit,
    models and libraries are not searched for cycles, which may take a second.
    """
    atexit.register(gc.freeze)

    @wraps(main)
    def run(argv: Sequence[str] | None = None) -> int:
        try:
            return main(argv)
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

    return run
