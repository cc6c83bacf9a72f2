"""Step: run the programs of each claim and take their vote.

Reads programs and writes one line a claim: the value of most of its programs, and the value of every step. Steps are
answered from `--recorded_answers` and from an earlier `--trace`. A program or an answer can therefore be changed by
hand and run again. All other steps are answered by a model in a `--setting`: with gold, retrieved or no evidence.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from src.errors import InputError
from src.llm.flags import engine_of
from src.models.model_files import named_model_files
from src.programs.answerers.recorded_answers import (
    EarlierTrace,
    Known,
    KnownFirst,
    OnRecord,
    RecordedAnswers,
    missing_path,
    refuse_loss,
)
from src.programs.answerers.settings import ANSWERING, NO_SETTING, AnsweringSettings, answerer_of
from src.programs.interpreter import COUNTS, Vote, executed, fewer, run_notes
from src.programs.predictions import PredictionSettings, write_predictions
from src.programs.program_files import first_programs, read_programs
from src.programs.records import ClaimPrograms, ClaimTrace, without_result
from src.programs.whole_claim import whole
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.console import say
from src.runner.engine import Engine
from src.runner.fingerprint import fingerprint
from src.runner.job import Job, run
from src.runner.sharding import in_shard, input_file, refuse_shard
from src.runner.step import step
from src.settings import NO_CLUSTER, Flag, Group, Positive, as_base, refuse_unread

MODULE = "src.programs.execute_programs"
BATCH = 50  # claims whose steps are answered together
MODEL_BATCH = 8  # claims, for a language model: llama.cpp caches the shared prefix of their prompts


class TraceSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `execute_programs` on which its traces depend; the file of predictions has others."""

    programs_file: Annotated[Path, Flag("programs of each claim", "-i")] = Path("data_store/dev_programs.json")
    output: Annotated[
        Path, Flag("traces: the values of programs and steps, one claim a line", "-o", "--output_file")
    ] = Path("data_store/dev_program_trace.json")
    recorded_answers: Annotated[Path | None, Flag("answers of steps: JSON lines of function, text and value")] = None
    trace: Annotated[Path | None, Flag("an earlier output, whose answers are used again")] = None
    num_programs: Annotated[Positive | None, Flag("run the first so many programs of each claim (default: all)")] = None
    vote: Annotated[
        Vote,
        Flag(
            "plurality: the value of most programs; published: true where more are true than false, else false, as the "
            "released code counts"
        ),
    ] = Vote.PLURALITY
    whole_claim: Annotated[bool, Flag("verify each claim as a whole: the baseline of programs")] = False
    answering: Annotated[AnsweringSettings, Group("answering by models")] = AnsweringSettings()

    def known(self) -> dict[str, Path]:
        """Return the files that contain known answers, by the names of their settings."""
        given = {"recorded_answers": self.recorded_answers, "trace": self.trace}
        return {name: path for name, path in given.items() if path is not None}


class ExecuteSettings(TraceSettings, frozen=True, kw_only=True):
    """Settings of `execute_programs`: for the traces and for the file of predictions."""

    submission: Annotated[PredictionSettings, Group("predictions")] = PredictionSettings()


@step(ExecuteSettings)
def main(settings: ExecuteSettings) -> int:
    settings = _with_defaults(settings)
    if settings.submission.predictions is not None:
        refuse_shard(settings.range, "predictions")
    source = input_file(settings.programs_file, "src.programs.generate_programs", settings.range)
    everyone = read_programs(source)
    settings = in_shard(settings, everyone, source)
    chosen = in_range(everyone, settings.range.start, settings.range.end, source)
    claims = [whole(one) if settings.whole_claim else first_programs(one, settings.num_programs) for one in chosen]
    inputs = {"programs_file": source, **settings.known(), **settings.answering.inputs()}
    settings.submission.check(settings.output, inputs)
    if settings.answering.setting is None:
        if settings.cluster.ray != NO_CLUSTER:
            refuse_unread(settings, ["ray"], "goes with --setting: recorded answers are read on this machine")
        refuse_loss(missing_path(settings.output), inputs, overwrite=settings.overwrite)
    of_traces = as_base(settings, TraceSettings)
    code = run(
        Job(
            step=MODULE,
            settings=of_traces,
            claims=claims,
            inputs=inputs,
            start=lambda: _start(of_traces, claims, inputs),
            without_result=lambda claim: without_result(claim.claim_id, claim.claim),
            batch=BATCH if settings.answering.llm is None else MODEL_BATCH,
            numbered=sorted(everyone, key=lambda claim: claim.claim_id),
            on_cluster="here" if settings.answering.setting is None else "actors",
            node_files=named_model_files(of_traces),
        )
    )
    if settings.submission.predictions is not None and not settings.dry_run:
        write_predictions(settings.submission, settings.output)
        say(f"execute_programs: verdicts -> {settings.submission.predictions}", quiet=settings.quiet)
    return code


def _with_defaults(settings: ExecuteSettings) -> ExecuteSettings:
    """Return the settings with defaults filled in. Raises InputError if settings do not go together."""
    answering = settings.answering.with_defaults()
    if answering.setting is None:
        refuse_unread(settings, ["whole_claim"], NO_SETTING)
    if settings.whole_claim:
        why = "changes nothing with --whole_claim: that is one program a claim"
        refuse_unread(settings, ["num_programs"], why)
    if answering.setting is None and not settings.known():
        raise InputError("nothing answers the steps; give --setting, --recorded_answers, --trace or several of them")
    return replace(settings, answering=answering)


def _start(
    settings: TraceSettings, claims: Sequence[ClaimPrograms], inputs: Mapping[str, Path]
) -> Engine[ClaimPrograms, ClaimTrace]:
    texts = {claim.claim_id: claim.claim for claim in claims}
    count = COUNTS[settings.vote]
    known, notes = _known(settings, texts, inputs)
    notes += fewer(claims, settings.num_programs)
    if settings.answering.setting is None:
        on_record = OnRecord(claims, KnownFirst(known), missing_path(settings.output), count)
        return Engine(
            on_record.work, notes=notes, notes_on=lambda counts: [*run_notes(counts), *on_record.list_missing()]
        )
    answering = replace(settings.answering, engine=engine_of(settings, settings.answering.engine))
    answerer = answerer_of(answering, texts, keep_index=not settings.dry_run)
    with_known = KnownFirst(known, answerer.answering)
    return Engine(
        lambda batch: executed(batch, with_known, count),
        answerer.model,
        notes,
        run_notes,
        deterministic=answerer.deterministic,
    )


def _known(
    settings: TraceSettings, texts: Mapping[int, str], inputs: Mapping[str, Path]
) -> tuple[list[Known], list[str]]:
    """Return the sources of known answers, in order of priority, and notes on them.

    `texts` are the claims' texts by claim_id.
    """
    known: list[Known] = []
    notes: list[str] = []
    if settings.recorded_answers is not None:
        recorded = RecordedAnswers(settings.recorded_answers)
        known, notes = [recorded], recorded.notes()
    if settings.trace is not None:
        earlier = EarlierTrace(settings.trace, texts, ANSWERING)
        made = fingerprint(MODULE, settings, inputs, list(texts))
        known, notes = [*known, earlier], [*notes, *earlier.notes(made)]
    return known, notes


if __name__ == "__main__":
    raise SystemExit(main())
