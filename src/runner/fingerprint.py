"""Fingerprints of runs: the step, its settings, its claims and the content of its input files.

Two runs with the same fingerprint have the same result. `settings` are the arguments without input paths, the claim
range, and flags that do not change the result. All shards of one run have the same settings.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256 as hash_sha256
from pathlib import Path
from stat import S_ISDIR

import msgspec
from msgspec import NODEFAULT, UNSET, UnsetType
from msgspec.structs import replace

from src.errors import InputError
from src.settings import defaults_of, values_of
from src.store import sha256, storable

NOT_SETTINGS = {
    *("start", "end", "shard", "output", "output_file", "overwrite", "quiet", "dry_run", "strict", "concurrency"),
    *("timeout", "json"),
    *("workers", "index_dir", "no_index", "cache_dir", "batch_file", "batch_answers", "server_limit"),
    *("input_price", "output_price"),
    *("ray", "num_actors", "actor_cpus", "actor_gpus"),
}
Setting = str | int | float | bool | None


class InputFile(msgspec.Struct, frozen=True):
    """An input file or folder of a run. The hash of a folder covers the names, sizes and times of its entries."""

    path: str
    sha256: str
    is_folder: bool = False


class Fingerprint(msgspec.Struct, frozen=True):
    """Identity of a run; it is part of the manifest and of the journal.

    `step`: module name of the step.
    `settings`: arguments that may change the result.
    `inputs`: input files and folders with their hashes, by argument name.
    `first`, `last`: lowest and highest claim_id; -1 if there are no claims.
    `claims`: number of claims.
    `defaults`: values of settings that a run of an earlier version lacks. They are not kept in files (`kept`).
    """

    step: str
    settings: dict[str, Setting]
    inputs: dict[str, InputFile]
    first: int
    last: int
    claims: int
    defaults: dict[str, Setting] | UnsetType = UNSET

    def kept(self) -> "Fingerprint":
        """Return the fingerprint as it is written to a manifest or a journal."""
        return replace(self, defaults=UNSET)


def fingerprint(
    step: str, settings: msgspec.Struct, inputs: Mapping[str, Path], claim_ids: Sequence[int]
) -> Fingerprint:
    """Return the fingerprint of a run. `inputs` maps argument names to input paths.

    Raises InputError when an input does not exist.
    """
    first, last = min(claim_ids, default=-1), max(claim_ids, default=-1)
    defaults = {name: _plain(value) for name, value in defaults_of(type(settings)).items() if value is not NODEFAULT}
    return Fingerprint(step, settings_of(settings, inputs), input_files(inputs), first, last, len(claim_ids), defaults)


def settings_of(settings: msgspec.Struct, inputs: Mapping[str, Path]) -> dict[str, Setting]:
    """Return the arguments that are part of the fingerprint: all except inputs and NOT_SETTINGS."""
    left_out = NOT_SETTINGS | inputs.keys()
    return {name: value for name, value in plain_arguments(settings).items() if name not in left_out}


def plain_arguments(settings: msgspec.Struct) -> dict[str, Setting]:
    """Return all arguments of a step by name, as JSON values."""
    return {name: _plain(value) for name, value in values_of(settings).items()}


def input_files(inputs: Mapping[str, Path]) -> dict[str, InputFile]:
    """Return path and hash of each input, by argument name. Raises InputError when an input does not exist."""
    return {name: _input_file(path) for name, path in inputs.items()}


def _input_file(path: Path) -> InputFile:
    if not path.exists():
        raise InputError("not found", path=path)
    name = storable(str(path))
    return InputFile(name, _folder_digest(path), is_folder=True) if path.is_dir() else InputFile(name, sha256(path))


def _folder_digest(folder: Path) -> str:
    """Return a hash of the names, sizes and times of a folder's files; hashing their content would take minutes.

    Subfolders count by name and time, which changes when a file is added, removed or replaced. Their size depends on
    the file system.
    """
    digest = hash_sha256()
    for file in sorted(folder.iterdir()):
        state = file.stat() if file.exists() else file.lstat()  # a broken link counts too
        size = "folder" if S_ISDIR(state.st_mode) else state.st_size
        digest.update(f"{storable(file.name)} {size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def differences(theirs: Fingerprint, ours: Fingerprint) -> str:
    """Return the differences of two fingerprints in step, settings and claims as text; "" if there are none.

    In the text, "there" is the other run (`theirs`) and "here" is this one (`ours`). A setting that is absent there is
    one that its version did not have; it equals its default. NOT_SETTINGS are not compared: the manifest of an earlier
    version may have them. Changed content of inputs is reported by `changed_inputs`.
    """
    defaults = ours.defaults if isinstance(ours.defaults, dict) else {}
    absent = ours.settings.keys() & defaults.keys() - theirs.inputs.keys()
    theirs = replace(theirs, settings={name: defaults[name] for name in absent} | theirs.settings)
    parts = [
        f"--{name} {_value(theirs, name)} there, {_value(ours, name)} here"
        for name in sorted((theirs.settings.keys() | ours.settings.keys()) - NOT_SETTINGS)
        if theirs.settings.get(name) != ours.settings.get(name)
    ]
    parts += [f"--{name} not given there" for name in sorted(ours.inputs.keys() & _not_given(theirs))]
    parts += [f"--{name} not given here" for name in sorted(theirs.inputs.keys() & _not_given(ours))]
    if (theirs.first, theirs.last, theirs.claims) != (ours.first, ours.last, ours.claims):
        parts.append(f"claims {theirs.first} to {theirs.last} there, {ours.first} to {ours.last} here")
    if theirs.step != ours.step:
        parts.append(f"step {theirs.step}")
    return "; ".join(parts)


def _value(fingerprint: Fingerprint, name: str) -> Setting:
    """Return the value of the argument `name` in a fingerprint, or the path if the argument is an input."""
    if name in fingerprint.settings or name not in fingerprint.inputs:
        return fingerprint.settings.get(name)
    return fingerprint.inputs[name].path


def _not_given(fingerprint: Fingerprint) -> set[str]:
    """Return the names of the arguments whose value is None, such as an input file that was not given."""
    return {name for name, value in fingerprint.settings.items() if value is None}


def changed_inputs(theirs: Fingerprint, ours: Fingerprint, *, folders: bool = True) -> list[str]:
    """Return the names of the inputs that differ in content, or that only one of the two fingerprints has.

    Without `folders`, only files are compared. The list is empty if one of the fingerprints has no inputs at all.
    """
    names = theirs.inputs.keys() | ours.inputs.keys() if theirs.inputs and ours.inputs else ()
    pairs = {name: (theirs.inputs.get(name), ours.inputs.get(name)) for name in names}
    return sorted(
        name
        for name, pair in pairs.items()
        if (folders or not any(file.is_folder for file in pair if file))
        and len({file and file.sha256 for file in pair}) > 1
    )


def _plain(value: object) -> Setting:
    if isinstance(value, tuple):
        value = [str(item) if isinstance(item, Path) else item for item in value]
    return value if isinstance(value, int | float | bool) or value is None else storable(str(value))
