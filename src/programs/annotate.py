"""Step: page where people classify the errors of wrongly predicted claims, and their agreement.

    python -m src.programs.annotate -i TRACE --gold FILE -o classes.jsonl
    python -m src.programs.annotate --agreement classes.jsonl
    python -m src.programs.evaluate_programs -i TRACE --gold FILE --classes classes.jsonl --markdown table2.md

Draws wrong predictions for each number of hops, and serves them on this machine until it is stopped. The first line on
stdout is the address. Annotators enter a name and choose one of the five classes of ProgramFC's Table 2 for each
program. Two people classify the same programs, each in a different order. Each class is appended to the output when it
is saved. `--agreement` prints the agreement of the annotators; so does Ctrl-C. `evaluate_programs --classes` prints the
table.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.annotating.answers_file import read_whole
from src.claims import read_labelled_claims
from src.errors import InputError
from src.evaluation.tables import Section, as_text
from src.programs.annotation.classes import (
    Classification,
    ProgramId,
    agreement,
    by_annotator,
    hashes,
    read_classifications,
    sample_errors,
)
from src.programs.program_files import read_programs
from src.programs.scoring.error_classes import ErrorClass
from src.programs.scoring.report import join
from src.programs.scoring.tables import agreement_section
from src.runner.console import how_many, say, say_error
from src.runner.manifest import upstream_failures
from src.runner.paths import check_output, existing_file
from src.runner.step import step
from src.settings import Flag, Natural, Positive, Seed, refuse_unread

OF_PAGE = ("gold", "ids", "programs", "per_hop", "seed", "output_file", "host", "port")


class AnnotateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of `annotate`: either the page for a `trace`, or the `agreement` of a file of classes."""

    trace: Annotated[
        Path | None, Flag("what src.programs.execute_programs wrote", "-i", one_of="task", required=True)
    ] = None
    agreement: Annotated[
        Path | None,
        Flag("print what the classes of this file say", metavar="FILE", one_of="task", required=True),
    ] = None
    gold: Annotated[Path | None, Flag("HOVER's or FEVEROUS-S's claims")] = None
    ids: Annotated[Path | None, Flag("the claims to draw from, by their data set's own ids, one a line")] = None
    programs: Annotated[
        Path | None, Flag("what generate_programs wrote: programs are shown as they were written, too")
    ] = None
    per_hop: Annotated[Positive, Flag("wrong predictions of each number of hops")] = 100
    seed: Annotated[Seed, Flag("seed of the sample and of its order")] = 0
    output_file: Annotated[Path, Flag("classes; an existing file is continued", "-o", "--output_file")] = Path(
        "data_store/dev_error_classes.jsonl"
    )
    host: Annotated[str, Flag("the address to serve on")] = "127.0.0.1"
    port: Annotated[Natural, Flag("0: any that is free")] = 8010


@step(AnnotateSettings)
def main(settings: AnnotateSettings) -> int:
    if settings.agreement is not None:
        refuse_unread(settings, OF_PAGE, "changes nothing with --agreement: no page is served")
        classed = read_classifications(read_whole(settings.agreement), settings.agreement, {})
        if not classed:
            raise InputError("contains no classes", path=settings.agreement)
        say("\n".join(_summary(classed)))
        return 0
    if settings.gold is None:
        raise InputError("--gold is needed: the claims with their right labels")
    assert settings.trace is not None
    _serve(settings, settings.trace, settings.gold)
    return 0


def _summary(classed: Sequence[Classification]) -> list[str]:
    sides = by_annotator(classed)
    rows = [["annotator", "programs", *ErrorClass]]
    for name, own in sides.items():
        counts = Counter(own.values())
        rows.append([name, str(len(own)), *(str(counts[one]) for one in ErrorClass)])
    pairs = agreement(sides)
    agreed = agreement_section(pairs) if pairs else Section("Agreement: undefined, there is one annotator")
    return as_text([Section("Classes that annotators chose", rows), agreed])


def _serve(settings: AnnotateSettings, trace: Path, gold: Path) -> None:
    from src.programs.annotation.service import ClassesFile, ClassService, app  # starlette
    from src.serving.run import serve  # uvicorn

    output, lists = settings.output_file, {"ids": settings.ids, "programs": settings.programs}
    inputs = {"trace": trace, "gold": gold} | {name: path for name, path in lists.items() if path is not None}
    check_output(output, inputs)
    joined = join(read_labelled_claims(gold), gold, [trace], settings.ids)
    written = _written(settings.programs)
    programs = sample_errors(joined.golds, joined.traces[0], settings.per_hop, settings.seed, written)
    if not programs:
        raise InputError("has no wrong prediction with a program", path=trace)
    for line in upstream_failures([trace]):
        say_error(line)
    with ClassesFile(output, hashes(joined.golds, joined.traces[0])) as file:
        if file.torn:
            say_error(f"{output}: half a line at its end was removed")
        message = f"annotate: {how_many(len(programs), 'wrong prediction')} of {trace} -> {output}"
        application = app(ClassService(programs, file, settings.seed))
        try:
            serve(application, settings.host, settings.port, message, "class, under any name")
        except KeyboardInterrupt:
            if file.answers:
                say("\n".join(_summary(list(file.answers.values()))))
            raise


def _written(path: Path | None) -> dict[ProgramId, str]:
    """Return the text of each program by its id: claim_id, and index (from 0) among the claim's programs.

    The result is empty if `path` is None.
    """
    if path is None:
        return {}
    claims = read_programs(existing_file(path, "src.programs.generate_programs"))
    return {(one.claim_id, place): text for one in claims for place, text in enumerate(one.programs)}


if __name__ == "__main__":
    raise SystemExit(main())
