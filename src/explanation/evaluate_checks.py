"""Step: measure how many planted errors the faithfulness checks find, by kind, and how often they flag clean texts.

Each copy of an explanation has one planted error; its twin is the same text without it. A copy counts as found if the
sentence with the error has a finding of its type that the twin does not have. Recall is the share of copies found.
False alarms are the shares of clean explanations, and of their sentences, with any finding.

    python -m src.explanation.evaluate_checks -i data_store/dev_planted.jsonl --clean gold=data_store/dev_clean.jsonl
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.explanation.checks.checker import (
    chosen_bearing,
    chosen_checker,
    reader_files,
    reader_flag,
    tagger_files,
    tagger_flag,
)
from src.explanation.synthetic_errors.records import PlantedClaim
from src.explanation.synthetic_errors.scores import Scores, Share, scores
from src.runner.console import say
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced, existing_file
from src.runner.step import step
from src.settings import Flag, Seed
from src.store import read_by_claim, read_json

STEP = "src.explanation.evaluate_checks"


class EvaluateChecksSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `evaluate_checks`."""

    planted_file: Annotated[Path, Flag("copies with one error, and their twins", "-i")] = Path(
        "data_store/dev_planted.jsonl"
    )
    clean: Annotated[tuple[str, ...], Flag("explanations without errors", metavar="NAME=FILE", repeated=True)] = ()
    read_copies: Annotated[
        bool,
        Flag("check sentences that are copied from the evidence, too; else only a verdict in them is looked at"),
    ] = False
    tagger: Annotated[str | None, tagger_flag()] = None
    reader: Annotated[str | None, reader_flag()] = None
    json: Annotated[Path | None, Flag("write the figures to this file, too", metavar="FILE")] = None
    seed: Annotated[Seed, Flag("of the intervals, which are bootstrapped over claims")] = 0


@step(EvaluateChecksSettings)
def main(settings: EvaluateChecksSettings) -> int:
    began = time.perf_counter()
    source = existing_file(settings.planted_file, "src.explanation.plant_errors")
    clean = _clean(settings.clean)
    reading, notes = reader_files(settings.reader, settings.tagger)
    of_clean = {f"clean {name}": path for name, path in clean.items()}
    inputs = {"planted_file": source, **of_clean, **tagger_files(settings.tagger), **reading}
    if settings.json is not None:
        _check_json(settings.json, inputs)
    planted = read_by_claim(source, PlantedClaim)
    if not planted:
        raise InputError("holds no planted errors", path=source)
    checker = chosen_checker(settings.tagger, chosen_bearing(reading))
    result = scores(planted, clean, checker.with_copies() if settings.read_copies else checker, settings.seed)
    say("\n".join([*notes, *lines(result)]))
    if settings.json is not None:
        made = fingerprint(STEP, settings, inputs, [one.claim_id for one in planted])
        manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
        write_output(settings.json, [msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"], [], manifest)
    return 0


def _check_json(path: Path, inputs: Mapping[str, Path]) -> None:
    """Raise InputError or OutputError, as `check_output` does, if the scores cannot be written to the path or would
    replace another file.
    """
    check_output(path, inputs, "file of scores")
    if not _holds_scores(path):
        check_replaced(path, STEP, "file of scores")


def _holds_scores(path: Path) -> bool:
    """Return True if the file has scores of this step; the files in `bench/results` have no manifest to tell."""
    try:
        read_json(path, Scores)
    except InputError:
        return False
    return True


def lines(result: Scores) -> list[str]:
    rows = [f"{'planted error':34}{'n':>6}  {'of its type':22}{'where it is':22}of any type"]
    rows += [
        f"{one.kind:34}{one.of_type.n:6}  {_shown(one.of_type):22}{_shown(one.there):22}{_shown(one.of_any)}"
        for one in result.recall
    ]
    rows += ["", f"{'clean':34}{'n':>6}  {'explanations flagged':22}{'sentences flagged':22}types"]
    rows += [
        f"{one.name:34}{one.explanations.n:6}  {_shown(one.explanations):22}{_shown(one.sentences):22}"
        + ", ".join(f"{kind} {count}" for kind, count in one.types.items())
        for one in result.clean
    ]
    return [*rows, "", f"{result.a_minute:.0f} explanations a minute"]


def _shown(one: Share) -> str:
    return f"{one.share:.3f} ({one.low:.3f}-{one.high:.3f})"


def _clean(texts: Sequence[str]) -> dict[str, Path]:
    """Return the files of clean explanations, by their names in NAME=FILE.

    Raises InputError if a text is not NAME=FILE, a file is missing, or a name is given twice.
    """
    files = [_named(text) for text in texts]
    names = [name for name, _ in files]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"--clean {double}: two files have this name")
    return dict(files)


def _named(text: str) -> tuple[str, Path]:
    name, mark, path = text.partition("=")
    if not mark or not name:
        raise InputError(f"--clean {text}: it is NAME=FILE")
    return name, existing_file(Path(path), "src.explanation.plant_errors --clean_file")


if __name__ == "__main__":
    raise SystemExit(main())
