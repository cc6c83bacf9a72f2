"""Settings of a step: a frozen record whose fields annotated with Flag are the step's command-line flags.

`knowledge_store_dir: Annotated[Path, Flag("folder of <claim_id>.json", "-k")] = Path("data_store")` is the flag
`--knowledge_store_dir`, short `-k`. `flags.py` derives the command line from such fields. A field annotated with Group
contains a record of further settings; their flags become flags of the step, too. Fields without an annotation can only
be set in Python.

Limitations: no two fields of a step may have the same name, groups included.
"""

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin

import msgspec
from msgspec import Meta

from src.errors import InputError

Base = TypeVar("Base", bound=msgspec.Struct)
Positive = Annotated[int, Meta(ge=1)]
Natural = Annotated[int, Meta(ge=0)]
Seed = Annotated[int, Meta(ge=0, lt=2**32)]  # range that every engine accepts
Share = Annotated[float, Meta(ge=0, le=1)]
NotNegative = Annotated[float, Meta(ge=0)]
AboveZero = Annotated[float, Meta(gt=0)]
Seconds = AboveZero

# Settings of a model that do not change results: caches, unfinished runs and shards stay valid when only these differ.
OF_THE_MACHINE = ("threads",)


NO_CLUSTER = "none"  # value of --ray


class Flag(msgspec.Struct, frozen=True):
    """Annotation of a field that is a command-line flag.

    `help`: text for --help.
    `name`, `second_name`, `more_names`: names of the flag. If none of them begins with `--`, `--FIELD` is added.
    `former`: an earlier name of the flag, which still works for a release; its use prints a note. Only for flags that
        have one value and a default.
    `metavar`: placeholder of the value in --help.
    `choices`: accepted values; by default the members of an Enum or Literal.
    `parse`: function that reads the value from text; raises ValueError with a message for the user.
    `one_of`: name of a group of mutually exclusive flags; with `required`, one of them must be given.
    `positional`: positional argument, without `--`; one with a default may be left out.
    `repeated`: for a tuple, the flag is repeated for each value. Otherwise one flag takes all values.
    `may_be_empty`: for a tuple, the flag may be given without a value.
    `hidden`: left out of --help.
    `or_path`: a value that is none of `names` may be a path, also after a prefix as in `gguf:FILE`.
    `else_path`: a value that is none of `names` is a path.
    `names`: values that are never paths.
    `negatable`: has a `--no-` form although its default is False.
    """

    help: str
    name: str = ""
    second_name: str = ""
    more_names: tuple[str, ...] = ()
    former: str = ""
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
    """Annotation of a field that contains a record of settings. `title` is the heading of their flags in --help."""

    title: str = ""


class StepSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that every resumable step has."""

    overwrite: Annotated[bool, Flag("begin anew, whatever is there")] = False
    quiet: Annotated[bool, Flag("print errors only")] = False
    dry_run: Annotated[bool, Flag("say what the run would take, then stop")] = False


def gpus(text: str) -> float:
    """Return the number of GPUs of a worker. Raises ValueError for a number that Ray cannot give a worker."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{text} is no number") from None
    if not math.isfinite(number) or number < 0 or (number > 1 and not number.is_integer()):
        raise ValueError(f"{text} is neither a whole number nor a share of one GPU, from 0 to 1")
    return number


class ClusterSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where a step is computed: on this machine, or by workers of a Ray cluster (`src/runner/cluster/`)."""

    ray: Annotated[
        str | None,
        Flag(
            "compute on a Ray cluster: auto (the one of this machine), HOST:PORT of its head, local (a new one on this "
            "machine, for a try), or none; default: RAY_ADDRESS, else none",
            metavar="ADDRESS",
        ),
    ] = None
    num_actors: Annotated[Positive | None, Flag("workers at once (default: as many as fit the cluster)")] = None
    actor_cpus: Annotated[Positive, Flag("processor cores for each worker that has a model")] = 2
    actor_gpus: Annotated[
        float, Flag("GPUs for each worker that has a model; .5: two workers share one", metavar="N", parse=gpus)
    ] = 0

    @property
    def address(self) -> str:
        """Return the address of the cluster, by flag or environment; "" if the step runs on this machine."""
        address = os.environ.get("RAY_ADDRESS", "") if self.ray is None else self.ray
        return "" if address == NO_CLUSTER else address


Cluster = Annotated[ClusterSettings, Group("on a Ray cluster")]


class OutputSettings(StepSettings, frozen=True, kw_only=True):
    """Settings of a step that writes one output file. Each step annotates `output` with a Flag."""

    output: Path


class JobSettings(OutputSettings, frozen=True, kw_only=True):
    """Settings of a step that works claim by claim (`src/runner/job.py`)."""

    cluster: Cluster = ClusterSettings()


class MarkedField(NamedTuple):
    """A field of a settings record that is a command-line flag.

    `name`: name of the field.
    `kind`: type of the field without annotations.
    `bounds`: limits of the value.
    `flag`: its Flag.
    `default`: default value, or NODEFAULT if the flag must be given.
    """

    name: str
    kind: Any
    bounds: tuple[Meta, ...]
    flag: Flag
    default: Any


class MarkedGroup(NamedTuple):
    """A field of a settings record that contains another record of settings.

    `name`: name of the field.
    `record`: type of the record.
    `title`: heading in --help, or "".
    `default`: default value, or None if there is none.
    """

    name: str
    record: type[msgspec.Struct]
    title: str
    default: msgspec.Struct | None


def marked_fields(
    record: type[msgspec.Struct], default: msgspec.Struct | None = None
) -> Iterator[MarkedField | MarkedGroup]:
    """Yield the fields of a record annotated with Flag or Group, in order.

    Their default values are taken from the object `default` if given, else from the record type.
    """
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
    """Return a type without Annotated, and its annotations, also those inside a union such as `Positive | None`."""
    if get_origin(kind) is Annotated:
        inside, *outer = get_args(kind)
        kind, inner = _unwrapped(inside)
        return kind, (*inner, *outer)
    parts = [part for part in get_args(kind) if part is not type(None)]
    if len(parts) == 1 and len(get_args(kind)) == 2 and get_origin(parts[0]) is Annotated:
        plain_kind, marks = _unwrapped(parts[0])
        return plain_kind | None, marks
    return kind, ()


def values_of(settings: msgspec.Struct) -> dict[str, object]:
    """Return the value of each flag by field name, including flags of groups."""
    values: dict[str, object] = {}
    for field in marked_fields(type(settings), settings):
        if isinstance(field, MarkedGroup):
            values |= values_of(getattr(settings, field.name))
        else:
            values[field.name] = field.default
    return values


def defaults_of(record: type[msgspec.Struct], default: msgspec.Struct | None = None) -> dict[str, object]:
    """Return the default of each flag by field name, including groups; NODEFAULT for a flag that must be given."""
    defaults: dict[str, object] = {}
    for field in marked_fields(record, default):
        defaults |= (
            defaults_of(field.record, field.default) if isinstance(field, MarkedGroup) else {field.name: field.default}
        )
    return defaults


def flag_names(record: type[msgspec.Struct]) -> list[str]:
    """Return the names of the fields of a record that are flags, including fields of groups."""
    return list(defaults_of(record))


def as_base(settings: Any, base: type[Base]) -> Base:
    """Return `settings`, an object of a subclass of `base`, as an object of `base`, without the added fields."""
    return base(**{name: getattr(settings, name) for name in base.__struct_fields__})


def refuse_unread(settings: msgspec.Struct, names: Iterable[str], why: str) -> None:
    """Raise InputError if a flag in `names` differs from its default. Called for flags that would have no effect.

    `why` ends the message: `--top_k WHY`.
    """
    values, defaults = values_of(settings), defaults_of(type(settings))
    for name in names:
        if values[name] != defaults[name]:
            raise InputError(f"--{'no-' if values[name] is False else ''}{name} {why}")
