"""Manifest `X.manifest.json` beside every output: how the output was made, and how long that took."""

import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256 as hash_sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from src.json_decoding import decode
from src.runner.console import how_many
from src.runner.fingerprint import Fingerprint, Setting, plain_arguments
from src.settings import OF_THE_MACHINE

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "nltk",
    "numpy",
    "scipy",
    "spacy",
    "torch",
    "transformers",
    "sentence-transformers",
    "xllamacpp",
    "openai",
    "aiohttp",
    "trafilatura",
    "pypdfium2",
    "pdfminer.six",
)
Number = TypeVar("Number", int, float)


class AnswersFile(msgspec.Struct, frozen=True):
    """A file of answers to a batch of requests. `models`: how many of its answers each model gave, by its full name."""

    path: str
    sha256: str
    models: dict[str, int]


class Manifest(msgspec.Struct):
    """Record of how an output was made.

    `fingerprint`: step, settings, inputs and claims.
    `arguments`: all arguments of the last start.
    `counts`: sums over the claims (prompts, tokens, …).
    `notes`: where the run departs from the published recipe, and other remarks.
    `deterministic`: another run gives the same output.
    `model`: description of the model.
    `seconds`: `work` is the sum over all starts of the run, `wall` the duration of the last start.
    `source_sha256`: hash of the project's code and prompts.
    `revision`: git commit.
    `python`, `packages`: versions.
    `output_sha256`: hash of the output file.
    `failures`: number of failed claims.
    `answers`: files of answers to a batch that the last start was given.
    `shards`: hashes of the shards from which the output was merged, in order; [] if it was computed in one run.
    `cost`: cost of the tokens, if their prices were given (`src/runner/prices.py`).
    `one_line_a_claim`: the output has one record for each claim; otherwise any number of them, in the claims' order.
    """

    fingerprint: Fingerprint
    arguments: dict[str, Setting]
    counts: dict[str, int]
    notes: list[str]
    deterministic: bool
    model: Any
    seconds: dict[str, float]
    source_sha256: str
    revision: str | None
    python: str
    packages: dict[str, str]
    output_sha256: str = ""
    failures: int = 0
    answers: list[AnswersFile] = []
    shards: list[str] = []
    one_line_a_claim: bool = True
    cost: float | None = None


def manifest_path(output: Path) -> Path:
    """Return the manifest path of an output: `out/dev_top_k_qa.json` -> `out/dev_top_k_qa.manifest.json`."""
    return output.with_name(f"{output.name.removesuffix('.json')}.manifest.json")


def read_manifest(output: Path) -> Manifest | None:
    """Return the manifest of an output, or None if there is none or it cannot be read."""
    try:
        return decode(manifest_path(output).read_bytes(), Manifest)
    except (OSError, msgspec.DecodeError):
        return None


def new_manifest(
    fingerprint: Fingerprint,
    settings: msgspec.Struct,
    *,
    seconds: dict[str, float],
    counts: dict[str, int] | None = None,
    notes: Iterable[str] = (),
    deterministic: bool = True,
    model: object = None,
    answers: Sequence[AnswersFile] = (),
) -> Manifest:
    """Return the manifest of the current run, with the versions of the code, Python and packages in use."""
    return Manifest(
        fingerprint=fingerprint.kept(),
        arguments=plain_arguments(settings),
        counts=counts or {},
        notes=list(notes),
        deterministic=deterministic,
        model=plain_model(model),
        seconds=seconds,
        source_sha256=source_hash(),
        revision=revision(),
        python=python_version(),
        packages=package_versions(),
        answers=list(answers),
    )


def plain_model(model: object) -> Any:
    """Return the description of a model as JSON values, with sets sorted so that it is the same in every process."""
    return msgspec.to_builtins(model, order="deterministic")


def same_model(one: Any, other: Any) -> bool:
    """Return True if two descriptions of models are equal, apart from fields that concern the machine."""
    return bool(_without_machine(one) == _without_machine(other))


def _without_machine(model: Any) -> Any:
    if isinstance(model, list):
        return [_without_machine(part) for part in model]
    if not isinstance(model, dict):
        return model
    return {name: _without_machine(part) for name, part in model.items() if name not in OF_THE_MACHINE}


def upstream_failures(inputs: Iterable[Path]) -> list[str]:
    """Return a note for each input whose manifest reports failed claims."""
    manifests = [(path, read_manifest(path)) for path in inputs]
    return [
        f"{how_many(manifest.failures, 'claim')} failed in the step that made {path}"
        for path, manifest in manifests
        if manifest is not None and manifest.failures
    ]


def total(parts: Iterable[Mapping[str, Number]]) -> dict[str, Number]:
    """Add up mappings from names to numbers; a name that a mapping lacks counts as 0 in it."""
    sums: dict[str, Number] = {}
    for part in parts:
        for name, value in part.items():
            sums[name] = sums[name] + value if name in sums else value
    return sums


@cache
def source_hash() -> str:
    """Return one SHA-256 of all Python files, prompts and grammars in src/."""
    digest = hash_sha256()
    for path in sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in {".py", ".md", ".gbnf"}):
        digest.update(f"{path.relative_to(ROOT)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def revision() -> str | None:
    """Return the git commit of the project (with `-dirty` if files were changed), or None outside git."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def package_versions() -> dict[str, str]:
    """Return the installed versions of the packages that results depend on."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def python_version() -> str:
    return f"{platform.python_implementation()} {platform.python_version()} {platform.system()} {platform.machine()}"
