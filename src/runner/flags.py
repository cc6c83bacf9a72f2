"""The command line of a step, derived from its settings record (`settings.py`).

Every step also takes `--called_from FOLDER`, which the scripts set to the user's working folder. Steps run in the
project's root, where the models are; relative paths on the command line are resolved against FOLDER.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Meta

from src.runner.console import say_error
from src.settings import Flag, MarkedField, MarkedGroup, marked_fields

Settings = TypeVar("Settings", bound=msgspec.Struct)
Adder = argparse._ActionsContainer
CALLED_FROM = "called_from"
STDIN = Path("-")
PATH_KINDS = ("gguf", "scripted", "hf", "vllm", "file")  # what follows them may be a path


class WithDefaults(argparse.ArgumentDefaultsHelpFormatter):
    """Help formatter that shows the default of each flag, unless it is None, False or empty."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        without = action.default in (None, "", []) or action.default is False
        if isinstance(action.default, list) and action.default:
            return f"{action.help} (default: {' '.join(map(str, action.default))})".replace("%", "%%")
        return action.help if without else super()._get_help_string(action)


class StepParser(argparse.ArgumentParser):
    """Argument parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message} (--help lists the flags)\n")


class FormerName(argparse.Action):
    """Action of an earlier name of a flag: set the value, and print a note with the name that it has now."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        names = (action.option_strings for action in parser._actions if action.dest == self.dest)
        say_error(f"note: {option_string} is called {next(names)[-1]} now; the old name will be removed")
        setattr(namespace, self.dest, values)


def parser_of(record: type[msgspec.Struct], module: str, description: str) -> StepParser:
    """Return the argument parser for a record of settings. `module` is the step's name after `python -m`."""
    parser = StepParser(
        prog=f"python -m {module}", description=description, formatter_class=WithDefaults, allow_abbrev=False
    )
    parser.add_argument(f"--{CALLED_FROM}", type=Path, help=argparse.SUPPRESS)
    _add_flags(parser, parser, record, None)
    return parser


def parsed(record: type[Settings], parser: argparse.ArgumentParser, argv: Sequence[str] | None) -> Settings:
    """Return the settings given on a command line. Exits with code 2 and one line on stderr if it is not valid."""
    args = parser.parse_args(argv)
    return _built(record, args, getattr(args, CALLED_FROM))


def _add_flags(
    parser: argparse.ArgumentParser, adder: Adder, record: type[msgspec.Struct], default: msgspec.Struct | None
) -> None:
    rivals: dict[str, Adder] = {}
    for field in marked_fields(record, default):
        if isinstance(field, MarkedGroup):
            inner = parser.add_argument_group(field.title) if field.title else adder
            _add_flags(parser, inner, field.record, field.default)
        elif field.flag.one_of:
            if field.flag.one_of not in rivals:
                rivals[field.flag.one_of] = adder.add_mutually_exclusive_group(required=field.flag.required)
            _add_flag(rivals[field.flag.one_of], field)
        else:
            _add_flag(adder, field)


def _add_flag(adder: Adder, field: MarkedField) -> None:
    """Add the flag of one field to an argument parser or one of its groups."""
    flag, kind = field.flag, _without_none(field.kind)
    help_text = argparse.SUPPRESS if flag.hidden else flag.help.replace("%", "%%")
    default = _shown(field.default)
    if kind is bool:
        if field.default is False and not flag.negatable:
            adder.add_argument(*_names(field), dest=field.name, action="store_true", help=help_text)
        else:
            adder.add_argument(*_names(field), dest=field.name, action=argparse.BooleanOptionalAction, default=default,
                               help=help_text)  # fmt: skip
        return
    options: dict[str, Any] = {"default": default, "help": help_text, "metavar": flag.metavar}
    element = get_args(kind)[0] if get_origin(kind) is tuple else kind
    options["type"] = _reader(element, field.bounds, flag)
    options["choices"] = [*flag.choices] if flag.choices else _members(element)
    if get_origin(kind) is tuple:
        is_any = flag.may_be_empty or (flag.positional and field.default is not NODEFAULT)
        options |= {"action": "append"} if flag.repeated else {"nargs": "*" if is_any else "+"}
    if flag.positional:
        if field.default is not NODEFAULT:
            options.setdefault("nargs", "?")
        adder.add_argument(field.name, **options)
    else:
        options["required"] = field.default is NODEFAULT
        adder.add_argument(*_names(field), dest=field.name, **options)
        if flag.former:
            hidden = {"default": argparse.SUPPRESS, "help": argparse.SUPPRESS, "required": False}
            adder.add_argument(flag.former, dest=field.name, action=FormerName, **options | hidden)


def _names(field: MarkedField) -> list[str]:
    """Return the names of a flag on the command line, such as `-k` and `--knowledge_store_dir`."""
    given = [name for name in (field.flag.name, field.flag.second_name, *field.flag.more_names) if name]
    return given if any(name.startswith("--") for name in given) else [*given, f"--{field.name}"]


def _without_none(kind: Any) -> Any:
    """Return X for `X | None`; another union stays as it is, for a flag with `parse`."""
    parts = [part for part in get_args(kind) if part is not type(None)]
    return parts[0] if get_origin(kind) in (UnionType, Union) and len(parts) == 1 else kind


def _members(kind: Any) -> tuple[str, ...] | None:
    """Return the values of a Literal or an Enum type; None for any other type."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    return tuple(str(member.value) for member in kind) if isinstance(kind, type) and issubclass(kind, Enum) else None


def _shown(default: Any) -> Any:
    """Return a default in the form for argparse: the value of an Enum, a list for a tuple, None for NODEFAULT."""
    if isinstance(default, tuple):
        return [_shown(item) for item in default]
    if isinstance(default, Enum):
        return default.value
    return None if default is NODEFAULT else default


def _reader(kind: Any, bounds: Sequence[Meta], flag: Flag) -> Callable[[str], object]:
    """Return the function that reads one value from text; it raises ArgumentTypeError with a message for the user."""
    if flag.parse is not None:
        return with_message(flag.parse)
    if kind in (int, float):
        return lambda text: _bounded(text, kind, bounds)
    return str if _members(kind) else kind


def with_message(parse: Callable[[str], object]) -> Callable[[str], object]:
    """Return an argparse type that shows the message of the ValueError that `parse` raises."""

    def read(text: str) -> object:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


def _bounded(text: str, kind: type[int] | type[float], bounds: Sequence[Meta]) -> float:
    """Return the number in the text. Raises ArgumentTypeError if it is no number, not finite or out of bounds."""
    try:
        value = kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no {'whole ' if kind is int else ''}number") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a finite number")
    for bound in bounds:
        if bound.ge is not None and bound.le is not None and not bound.ge <= value <= bound.le:
            raise argparse.ArgumentTypeError(f"{text} is not from {bound.ge} to {bound.le}")
        if bound.ge is not None and value < bound.ge:
            raise argparse.ArgumentTypeError(f"{text} is not at least {bound.ge}")
        if bound.gt is not None and value <= bound.gt:
            raise argparse.ArgumentTypeError(f"{text} is not above {bound.gt}")
        if bound.le is not None and value > bound.le:
            raise argparse.ArgumentTypeError(f"{text} is more than {bound.le}")
        if bound.lt is not None and value >= bound.lt:
            raise argparse.ArgumentTypeError(f"{text} is not below {bound.lt}")
    return value


def _built(
    record: type[Settings], args: argparse.Namespace, folder: Path | None, default: msgspec.Struct | None = None
) -> Settings:
    """Return the settings record with the parsed arguments; paths in them are resolved against `folder`."""
    values: dict[str, Any] = {}
    for field in marked_fields(record, default):
        if isinstance(field, MarkedGroup):
            values[field.name] = _built(field.record, args, folder, field.default)
            continue
        value = _value(getattr(args, field.name), _without_none(field.kind))
        is_given = folder is not None and value != field.default
        values[field.name] = _in_folder(value, folder, field.flag) if is_given and folder else value
    return record(**values)


def _value(value: Any, kind: Any) -> Any:
    if value is None:
        return None
    if get_origin(kind) is tuple:
        return tuple(_value(item, get_args(kind)[0]) for item in value)
    return kind(value) if isinstance(kind, type) and issubclass(kind, Enum) else value


def _in_folder(value: Any, folder: Path, flag: Flag) -> Any:
    """Return a value with its relative paths resolved against `folder`.

    A text of a flag with `or_path` is resolved if it is the path of an existing file in `folder`.
    """
    if isinstance(value, tuple):
        return tuple(_in_folder(item, folder, flag) for item in value)
    if isinstance(value, Path):
        return value if value == STDIN else folder / value
    if not (flag.or_path or flag.else_path) or not value or value in flag.names:
        return value
    if flag.else_path or (folder / value).exists():
        return str(folder / value)
    kind, _, path = value.partition(":")
    return f"{kind}:{folder / path}" if kind in PATH_KINDS and (folder / path).exists() else value
