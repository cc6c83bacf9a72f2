"""Shards: outputs of one step over parts of the claims, named `NAME.START-END.json` beside `NAME.json`.

`join` concatenates shards in claim order. It refuses shards with gaps or overlaps between them, duplicate or missing
claims, different arguments, or different models.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path

import msgspec

from src.errors import InputError
from src.records import ClaimId
from src.runner.claim_range import in_words
from src.runner.existing_output import made_alike
from src.runner.fingerprint import Fingerprint, InputFile, changed_inputs, differences
from src.runner.journal import progress_path
from src.runner.manifest import Manifest, read_manifest, same_model, total
from src.runner.shard_plan import ShardPlan, read_plan
from src.runner.sharding import whole_of
from src.store import encode_line, list_pieces, located, read_bytes, sha256, storable


class _Head(msgspec.Struct):
    claim_id: ClaimId


@dataclass(frozen=True)
class Shard:
    """One shard: the output of a step for claims `start` to `end` - 1.

    `is_list`: the file is a JSON list, not JSON lines.
    `manifest`: manifest of the shard.
    """

    path: Path
    start: int
    end: int
    is_list: bool
    manifest: Manifest

    def records(self) -> Iterator[msgspec.Raw]:
        """Yield the records as JSON, in file order. The file is read anew."""
        return _records(self.path)


def find_shards(output: Path) -> list[Path]:
    """Return the shard files of an output, sorted by START: those of its plan, else all that are there.

    Raises InputError when there is none, or when one of the plan is missing.
    """
    if plan := read_plan(output):
        return _planned(output, plan)
    name = re.compile(re.escape(output.stem) + r"\.[0-9]+-[0-9]+\.json")
    files = output.parent.iterdir() if output.parent.is_dir() else ()
    shards = [path for path in files if name.fullmatch(path.name)]
    if not shards:
        raise InputError(f"no shards {output.stem}.START-END.json in {output.parent}", path=output)
    return sorted(shards, key=_range)


def _planned(output: Path, plan: ShardPlan) -> list[Path]:
    files = plan.files(output)
    if missing := [number for number, path in enumerate(files) if not path.exists()]:
        first = f"--shard {missing[0]}/{plan.count} computes {files[missing[0]].name}"
        raise InputError(f"of {plan}, these are missing: {in_words(missing)}; {first}", path=output)
    return files


def is_finished(path: Path, *, allow_failures: bool) -> bool:
    """Return True if the file was computed to its end: it is the file that its manifest describes.

    Without `allow_failures`, no claim in it may have failed, and no run may have begun to make it anew.
    """
    manifest = read_manifest(path)
    if manifest is None or not path.is_file():
        return False
    if not allow_failures and (manifest.failures or progress_path(path).exists()):
        return False
    return sha256(path) == manifest.output_sha256


def read_shard(path: Path) -> Shard:
    """Return a shard with its manifest.

    Raises InputError unless the shard is complete and unchanged, with each claim once (if its manifest says so) and
    none outside its range.
    """
    start, end = _range(path)
    manifest = read_manifest(path)
    if manifest is None:
        raise InputError("its manifest is missing or damaged: was the step finished?", path=path)
    data = read_bytes(path)
    seen: set[int] = set()
    for line, head in located(data, _Head, path):
        is_repeated = manifest.one_line_a_claim and head.claim_id in seen
        if is_repeated or not start <= head.claim_id < end:
            raise InputError(f"claim_id {head.claim_id} is repeated or outside {start}-{end}", path=path, line=line)
        seen.add(head.claim_id)
    if manifest.one_line_a_claim and len(seen) != manifest.fingerprint.claims:
        raise InputError(f"{len(seen)} claims, its manifest says {manifest.fingerprint.claims}", path=path)
    asked_end = manifest.arguments.get("end")
    if start != manifest.arguments.get("start") or end not in (asked_end, manifest.fingerprint.last + 1):
        raise InputError("it was made for other claims than its name says", path=path)
    if sha256(path) != manifest.output_sha256:
        raise InputError("its manifest is of another file: was it changed, or its step not finished?", path=path)
    return Shard(path, start, end, data.lstrip()[:1] == b"[", manifest)


def join(shards: Sequence[Shard]) -> tuple[Iterator[msgspec.Raw], Manifest]:
    """Return the records of all shards in claim order, read shard by shard, and the manifest of the merged output.

    Raises InputError unless the shards follow one another without a gap and were made with the same arguments, inputs
    and model.
    """
    for before, after in pairwise(shards):
        if before.end != after.start:
            problem = "missing" if before.end < after.start else "in both"
            low, high = sorted((before.end, after.start))
            raise InputError(f"claims {low} to {high - 1} are {problem}: {before.path.name}, {after.path.name}")
        if difference := _unlike(before, after):
            raise InputError(f"made otherwise than {before.path.name}: {difference}", path=after.path)
    return chain.from_iterable(shard.records() for shard in shards), _whole(shards)


def encoded(records: Iterable[msgspec.Raw], *, is_list: bool) -> Iterator[bytes]:
    """Yield the bytes of the merged file, record by record: of a JSON list or of JSON lines."""
    return list_pieces(records) if is_list else map(encode_line, records)


def check_replaceable(output: Path, merged: Manifest) -> None:
    """Raise InputError if the output exists and was made with other arguments than `merged`, or has no manifest."""
    if output.exists():
        made_alike(output, merged.fingerprint, part=_shared)


def _unlike(one: Shard, other: Shard) -> str:
    if not same_model(one.manifest.model, other.manifest.model):
        return "another model"
    if one.is_list != other.is_list:
        return "one is a JSON list, the other JSON lines"
    ours, theirs = one.manifest.fingerprint, other.manifest.fingerprint
    ours, theirs = _shared(ours, theirs), _shared(theirs, ours)
    changed = [f"another {name}" for name in changed_inputs(ours, theirs)]
    return "; ".join(filter(None, [differences(ours, theirs), *changed, _unlike_inputs(one, other)]))


def _unlike_inputs(one: Shard, other: Shard) -> str:
    """Return the differences of the arguments that made the inputs of two shards, as text; "" if there are none.

    Only inputs that are shards with manifests are compared.
    """
    for name, file in one.manifest.fingerprint.inputs.items():
        other_file = other.manifest.fingerprint.inputs.get(name)
        if other_file is None or not (_is_shard(file) and _is_shard(other_file)):
            continue
        manifest, other_manifest = read_manifest(Path(file.path)), read_manifest(Path(other_file.path))
        if (
            manifest
            and other_manifest
            and (changes := differences(_shared(manifest.fingerprint), _shared(other_manifest.fingerprint)))
        ):
            return f"{name}: {changes}"
    return ""


def _shared(fingerprint: Fingerprint, other: Fingerprint | None = None) -> Fingerprint:
    """Return the fingerprint without the parts that may differ between the shards of one run.

    These parts are the claim range, folders (which may grow), and inputs that are shards. An input is also left out if
    it is a folder or shard in `other`, the fingerprint of another shard.
    """
    own = [*fingerprint.inputs.items(), *(other.inputs.items() if other else ())]
    left_out = {name for name, file in own if _is_shard(file) or file.is_folder}
    inputs = {name: file for name, file in fingerprint.inputs.items() if name not in left_out}
    return msgspec.structs.replace(fingerprint, inputs=inputs, first=0, last=0, claims=0)


def _is_shard(file: InputFile) -> bool:
    return bool(re.fullmatch(r".+\.[0-9]+-[0-9]+\.json", file.path))


def _whole(shards: Sequence[Shard]) -> Manifest:
    manifests = [shard.manifest for shard in shards]
    prints = [manifest.fingerprint for manifest in manifests]
    notes = list(dict.fromkeys(note for manifest in manifests for note in manifest.notes))
    if len({manifest.source_sha256 for manifest in manifests}) > 1:
        notes.append("the shards were made by different versions of the code")
    return msgspec.structs.replace(
        manifests[0],
        fingerprint=msgspec.structs.replace(
            _shared(prints[0]),
            inputs=_whole_inputs(prints),
            first=min(fingerprint.first for fingerprint in prints),
            last=max(fingerprint.last for fingerprint in prints),
            claims=sum(fingerprint.claims for fingerprint in prints),
        ),
        failures=sum(manifest.failures for manifest in manifests),
        counts=total(manifest.counts for manifest in manifests),
        seconds=total(manifest.seconds for manifest in manifests),
        notes=notes,
        cost=_sum_of([manifest.cost for manifest in manifests]),
        answers=list({(file.path, file.sha256): file for one in manifests for file in one.answers}.values()),
        shards=[manifest.output_sha256 for manifest in manifests],
        deterministic=all(manifest.deterministic for manifest in manifests),
    )


def _sum_of(costs: Sequence[float | None]) -> float | None:
    """Return the sum of the shards' costs; None if one is not known."""
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if len(known) == len(costs) else None


def _whole_inputs(prints: Sequence[Fingerprint]) -> dict[str, InputFile]:
    """Return the inputs of the merged output: those that all shards share, and the merged files of inputs in shards.

    An input that differs from shard to shard is left out, such as a folder that grew.
    """
    whole = {name: _whole_input([one.inputs.get(name) for one in prints]) for name in prints[0].inputs}
    return {name: file for name, file in whole.items() if file is not None}


def _whole_input(files: Sequence[InputFile | None]) -> InputFile | None:
    """Return the input that all shards share, or the merged file of the inputs; None if there is no such file."""
    given = [file for file in files if file is not None]
    if len(given) < len(files):
        return None
    if len({file.sha256 for file in given}) == 1:
        return given[0]
    paths = [Path(file.path) for file in given]
    path, *others = {whole_of(path) for path in paths}
    if others or path is None or not path.is_file():
        return None
    unchanged = all(one.is_file() and sha256(one) == file.sha256 for one, file in zip(paths, given, strict=True))
    digest = sha256(path)
    return InputFile(storable(str(path)), digest) if unchanged and _joined_sha256(paths) == digest else None


def _joined_sha256(paths: Sequence[Path]) -> str:
    """Return the hexadecimal SHA-256 of the merged file of shards. One shard at a time is in memory."""
    with paths[0].open("rb") as file:
        is_list = file.read(1) == b"["
    digest = hashlib.sha256()
    for piece in encoded(chain.from_iterable(map(_records, paths)), is_list=is_list):
        digest.update(piece)
    return digest.hexdigest()


def _records(path: Path) -> Iterator[msgspec.Raw]:
    """Yield the records of a file as JSON, in file order."""
    return (record for _, record in located(read_bytes(path), msgspec.Raw, path))


def _range(path: Path) -> tuple[int, int]:
    match = re.search(r"\.([0-9]+)-([0-9]+)\.json$", path.name)
    return (int(match[1]), int(match[2])) if match else (0, 0)
