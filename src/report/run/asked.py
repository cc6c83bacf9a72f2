"""What the command line names: runs with their names, their labels, and where a report may go."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from src.errors import InputError
from src.records import Claim
from src.report.run.folder import RunFolder
from src.report.run.run import Run
from src.runner.arguments import output_folder
from src.runner.manifest import read_manifest
from src.store import read_claims

MADE = "report"  # report.manifest.json, in the report's folder


class NamedFolder(NamedTuple):
    name: str
    path: Path


class Labels(NamedTuple):
    """`claims` of the file, none where there is no file; `path` is None then."""

    claims: Sequence[Claim]
    path: Path | None


def named_folder(text: str) -> NamedFolder:
    """NAME=FOLDER or a folder, whose own name is the run's. Raises InputError."""
    name, equals, folder = text.partition("=")
    if not equals or Path(text).is_dir():
        return NamedFolder(Path(text).resolve().name, Path(text))
    if not name or not folder:
        raise InputError(f"{text!r} is neither NAME=FOLDER nor a folder")
    return NamedFolder(name, Path(folder))


def named_folders(texts: Sequence[str]) -> list[NamedFolder]:
    """Raises InputError, also where two have the same name: nobody could tell them apart."""
    found = [named_folder(text) for text in texts]
    names = [one.name for one in found]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two runs are called {double!r}; NAME=FOLDER names one")
    return found


def labels_of(given: Path | None, folder: RunFolder) -> Labels:
    """Those of the file that is given, else of data/SPLIT.json where that is there. Raises InputError."""
    path = given or Path("data") / f"{folder.split}.json"
    return Labels(read_claims(path), path) if given or path.is_file() else Labels((), None)


def told(labels: Labels, run: Run) -> str:
    """Where a run's labels are from, or why it has none."""
    if labels.path is None:
        return "none given (--label_file names a file)"
    known = {one.claim_id for one in labels.claims if one.label is not None}
    without = sum(one.claim_id not in known for one in run.predictions)
    return f"{labels.path.name}, without {without} of this run's claims" if without else labels.path.name


def check_report_folder(path: Path, step: str) -> Path:
    """Raises InputError where something else than an earlier report of this step would be lost."""
    if not output_folder(path).exists() or not any(path.iterdir()):
        return path
    made = read_manifest(path / MADE)
    if made is None or made.fingerprint.step != step:
        raise InputError("is not empty, and no earlier report; name another folder", path=path)
    return path
