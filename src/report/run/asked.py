"""Command-line inputs of a report: runs with their names, labels, and the report's folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from src.errors import InputError
from src.records import Claim
from src.report.run.folder import RunFolder
from src.report.run.run import Run
from src.runner.manifest import read_manifest
from src.runner.paths import output_folder
from src.store import read_claims

MADE = "report"  # report.manifest.json, in the report's folder


class NamedFolder(NamedTuple):
    name: str
    path: Path


class Labels(NamedTuple):
    """Labels of a run: `claims` of the label file and its `path`; empty and None where there is no file."""

    claims: Sequence[Claim]
    path: Path | None


def named_folder(text: str) -> NamedFolder:
    """Return name and path from NAME=FOLDER, or from a folder, whose own name is then used. Raises InputError for other
    text.
    """
    name, equals, folder = text.partition("=")
    if not equals or Path(text).is_dir():
        return NamedFolder(Path(text).resolve().name, Path(text))
    if not name or not folder:
        raise InputError(f"{text!r} is neither NAME=FOLDER nor a folder")
    return NamedFolder(name, Path(folder))


def named_folders(texts: Sequence[str]) -> list[NamedFolder]:
    """Return the names and paths. Raises InputError as `named_folder`, and when two runs have the same name."""
    found = [named_folder(text) for text in texts]
    names = [one.name for one in found]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two runs are called {double!r}; NAME=FOLDER names one")
    return found


def labels_of(given: Path | None, folder: RunFolder) -> Labels:
    """Return the labels of the given file, else of data/SPLIT.json if it exists. Raises InputError as `read_claims`."""
    path = given or Path("data") / f"{folder.split}.json"
    return Labels(read_claims(path), path) if given or path.is_file() else Labels((), None)


def told(labels: Labels, run: Run) -> str:
    """Return where a run's labels are from, or why it has none."""
    if labels.path is None:
        return "none given (--label_file names a file)"
    known = {one.claim_id for one in labels.claims if one.label is not None}
    without = sum(one.claim_id not in known for one in run.predictions)
    return f"{labels.path.name}, without {without} of this run's claims" if without else labels.path.name


def check_report_folder(path: Path, step: str) -> Path:
    """Return the folder. Raises InputError if it holds anything other than an earlier report of this step."""
    if not output_folder(path).exists() or not any(path.iterdir()):
        return path
    made = read_manifest(path / MADE)
    if made is None or made.fingerprint.step != step:
        raise InputError("is not empty, and no earlier report; name another folder", path=path)
    return path
