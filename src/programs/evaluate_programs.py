"""Scores of program traces against the gold labels and gold pages of HOVER or FEVEROUS-S.

    python -m src.programs.evaluate_programs -i TRACE [TRACE ...] --gold FILE [--ids FILE] [--paper]

Prints macro-F1 of the two labels with 95 % intervals, by hops and by challenge, beside baselines. Prints recall of the
gold pages, counts of the programs' outcomes, and classes of errors. With several traces it also prints their
differences to the first, paired by claim. `--json` writes all of this to a file. Traces are joined with the claims by
claim_id. Classes of errors follow from rules; `--classes` adds those that people chose (`src.programs.annotate`).
`--markdown` writes the paper's table 2 next to ours.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.annotating.answers_file import read_whole
from src.atomic_file import write_whole
from src.claims import LabelledClaim, apart, passed_over, read_labelled_claims
from src.errors import InputError
from src.evaluation.tables import as_markdown
from src.programs.annotation.classes import People, hashes, people, read_classifications
from src.programs.scoring.report import Joined, join, report
from src.programs.scoring.tables import error_tables_of, render
from src.runner.console import say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.result_files import check_results, check_table
from src.runner.step import step
from src.settings import Flag, Seed

MODULE = "src.programs.evaluate_programs"


class EvaluateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of `evaluate_programs`."""

    traces: Annotated[
        tuple[Path, ...],
        Flag("what execute_programs, closed_book, in_context or few_shot wrote", "-i", metavar="TRACE"),
    ]
    gold: Annotated[Path, Flag("HOVER's or FEVEROUS-S's claims")]
    ids: Annotated[Path | None, Flag("the claims to score, by their data set's own ids, one a line")] = None
    tune_ids: Annotated[Path | None, Flag("claims to fit the baseline of new words on, none of those scored")] = None
    classes: Annotated[Path | None, Flag("people's classes of the only trace's errors", metavar="FILE")] = None
    markdown: Annotated[Path | None, Flag("write the paper's table 2 and ours here (.md)", metavar="FILE")] = None
    paper: Annotated[bool, Flag("print the published tables, too")] = False
    json: Annotated[Path | None, Flag("write the scores here too", "-o", metavar="FILE")] = None
    seed: Annotated[Seed, Flag("seed of the resampling and of random baselines")] = 0


@step(EvaluateSettings)
def main(settings: EvaluateSettings) -> int:
    began = time.perf_counter()
    inputs = _inputs(settings)
    golds = read_labelled_claims(settings.gold)
    joined = join(golds, settings.gold, settings.traces, settings.ids)
    tune = _tune(golds, joined.golds, settings.tune_ids)
    result = report(joined, list(map(str, settings.traces)), tune, settings.seed)
    if settings.classes is not None:
        result = msgspec.structs.replace(result, people=_people(settings.traces, settings.classes, joined))
    tables = as_markdown(error_tables_of(result))
    if settings.markdown is not None:
        check_table(settings.markdown, tables)
    notes = [*passed_over(golds, settings.ids), *upstream_failures(settings.traces)]
    for line in (f"{result.claims} of {len(golds)} claims of {settings.gold}", *notes):
        say_error(line)
    say("\n".join(render(result, with_paper=settings.paper)))
    if settings.markdown is not None:
        write_whole(settings.markdown, tables.encode())
    if settings.json is not None:
        made = fingerprint(MODULE, settings, inputs, [gold.claim_id for gold in joined.golds])
        manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
        write_output(settings.json, [msgspec.json.format(msgspec.json.encode(result)) + b"\n"], [], manifest)
    return 0


def _inputs(settings: EvaluateSettings) -> dict[str, Path]:
    """Return the input files by the names of their settings, for the fingerprint of the output.

    Raises the InputError and OutputError of `check_results`.
    """
    traces = {f"traces {number}": path for number, path in enumerate(settings.traces, start=1)}
    others = {"ids": settings.ids, "tune_ids": settings.tune_ids, "classes": settings.classes}
    inputs = {"gold": settings.gold, **traces, **{name: path for name, path in others.items() if path is not None}}
    check_results(settings, inputs, MODULE)
    return inputs


def _people(trace_files: Sequence[Path], classes: Path, joined: Joined) -> People:
    """Return the error classes that people chose, from the file `classes`, next to the rule-based ones.

    Raises InputError when there are several files of traces, or when a program has changed since it was classified.
    """
    if len(trace_files) > 1:
        raise InputError("--classes takes one trace; name only that one")
    (traces,) = joined.traces
    classed = read_classifications(read_whole(classes), classes, hashes(joined.golds, traces))
    result = people(joined.golds, traces, classed, classes)
    if result.elsewhere:
        say_error(f"{classes}: {result.elsewhere} classes belong to programs that are not wrong predictions here")
    return result


def _tune(golds: list[LabelledClaim], scored: Sequence[LabelledClaim], ids: Path | None) -> list[LabelledClaim]:
    """Return the claims with evidence on which the lexical baseline is fitted.

    `ids` is the file that names them; if it is None, there are none. Raises InputError when one of them is also scored.
    """
    chosen = apart(golds, scored, ids) if ids is not None else []
    return [gold for gold in chosen if gold.gold]


if __name__ == "__main__":
    raise SystemExit(main())
