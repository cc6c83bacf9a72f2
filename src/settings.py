"""Settings of a step: a frozen record whose marked fields are the step's flags.

`knowledge_store_dir: Annotated[Path, Flag("folder of <claim_id>.json", "-k")] = Path("data_store")` is the flag
`--knowledge_store_dir`, short `-k`. `flags.py` derives the command line from such fields. A field that is marked with a
Group holds a record of further settings, whose flags become flags of the step, too. Fields without a mark are for
callers in Python only.

Limitations: no two fields of a step may have the same name, groups included.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta

from src.errors import InputError

Base = TypeVar("Base", bound=msgspec.Struct)
Positive = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]
Seed = Annotated[int, Meta(ge=0, lt=2**32)]  # what every engine accepts
Share = Annotated[float, Meta(ge=0, le=1)]
NotNegative = Annotated[float, Meta(ge=0)]
AboveZero = Annotated[float, Meta(gt=0)]
Seconds = AboveZero


class Flag(msgspec.Struct, frozen=True):
    """Mark of a field that is a flag of the command line.

    `name`, `second_name` and `more_names` are further names; if one begins with `--`, the flag has these names only,
    else `--FIELD` too. `choices` are the accepted values (for an Enum or a Literal its members). `parse` reads the
    value from text; it raises ValueError with a message for the user. At most one flag of the same `one_of` may be
    given, or exactly one with `required`. A `positional` field has no `--`. A `repeated` flag is given once a value,
    other tuples take all values after one flag, or none with `may_be_empty`. A `hidden` flag is left out of the help. A
    `negatable` one has a `--no-` form although its default is False. With `or_path`, a text that is none of `names` may
    be a path, also after a kind, as in `gguf:FILE`; with `else_path` it is one.
    """

    help: str
    name: str = ""
    second_name: str = ""
    more_names: tuple[str, ...] = ()
    metavar: str | None = None
    choices: Collection[str] | Collection[int] | None = None
    parse: Callable[[str], object] | None = None
    one_of: str = ""
    required: bool = False
    positional: bool = False
    repeated: bool = False
    may_be_empty: bool = False
    hidden: bool = False
    or_path: bool = False
    else_path: bool = False
    names: Collection[str] = ()
    negatable: bool = False


class Group(msgspec.Struct, frozen=True):
    """Mark of a field that holds a record of settings. Its flags have a `title` of their own in the help, if given."""

    title: str = ""


class StepSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that every resumable step has."""

    overwrite: Annotated[bool, Flag("begin anew, whatever is there")] = False
    quiet: Annotated[bool, Flag("print errors only")] = False
    dry_run: Annotated[bool, Flag("say what the run would take, then stop")] = False


class JobSettings(StepSettings, frozen=True, kw_only=True):
    """Settings of a step that writes one output over claims. The step marks `output` with the flag's names."""

    output: Path


class MarkedField(NamedTuple):
    """A field that is a flag: its name, its type without marks, its bounds, its mark and its default (or NODEFAULT)."""

    name: str
    kind: Any
    bounds: tuple[Meta, ...]
    flag: Flag
    default: Any


class MarkedGroup(NamedTuple):
    """A field that holds a record of settings."""

    name: str
    record: type[msgspec.Struct]
    title: str
    default: msgspec.Struct | None


def marked_fields(
    record: type[msgspec.Struct], default: msgspec.Struct | None = None
) -> Iterator[MarkedField | MarkedGroup]:
    """Yield the marked fields of a record in order. Defaults are those of `default`, if given, else of the record."""
    for field in msgspec.structs.fields(record):
        kind, marks = _unwrapped(field.type)
        value = field.default if default is None else getattr(default, field.name)
        for mark in marks:
            if isinstance(mark, Flag):
                bounds = tuple(one for one in marks if isinstance(one, Meta))
                yield MarkedField(field.name, kind, bounds, mark, value)
            elif isinstance(mark, Group):
                yield MarkedGroup(field.name, kind, mark.title, None if value is msgspec.NODEFAULT else value)


def _unwrapped(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return a type without Annotated, and the marks; those of `Positive | None` are found inside the union."""
    if get_origin(kind) is Annotated:
        inside, *outer = get_args(kind)
        kind, inner = _unwrapped(inside)
        return kind, (*inner, *outer)
    parts = [one for one in get_args(kind) if one is not type(None)]
    if len(parts) == 1 and len(get_args(kind)) == 2 and get_origin(parts[0]) is Annotated:
        found, marks = _unwrapped(parts[0])
        return found | None, marks
    return kind, ()


def values_of(settings: msgspec.Struct) -> dict[str, object]:
    """Return the value of each flag by the name of its field, those of groups included."""
    found: dict[str, object] = {}
    for field in marked_fields(type(settings), settings):
        if isinstance(field, MarkedGroup):
            found |= values_of(getattr(settings, field.name))
        else:
            found[field.name] = field.default
    return found


def defaults_of(record: type[msgspec.Struct], default: msgspec.Struct | None = None) -> dict[str, object]:
    """Return the default of each flag by the name of its field; NODEFAULT for one that must be given."""
    found: dict[str, object] = {}
    for field in marked_fields(record, default):
        found |= (
            defaults_of(field.record, field.default) if isinstance(field, MarkedGroup) else {field.name: field.default}
        )
    return found


def flag_names(record: type[msgspec.Struct]) -> list[str]:
    """Return the names of the fields of a record that are flags."""
    return list(defaults_of(record))


def as_base(settings: Any, base: type[Base]) -> Base:
    """Return the settings of a base record alone, without those that a record derived from it adds."""
    return base(**{name: getattr(settings, name) for name in base.__struct_fields__})


def refuse_unread(settings: msgspec.Struct, names: Iterable[str], why: str) -> None:
    """Raise InputError if one of these settings was changed although it has no effect."""
    values, defaults = values_of(settings), defaults_of(type(settings))
    for name in names:
        if values[name] != defaults[name]:
            raise InputError(f"--{'no-' if values[name] is False else ''}{name} {why}")
