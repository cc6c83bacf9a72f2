"""Step: verdicts from what a language model knows, without evidence, by each of five ways to ask it.

Reads the claims of HOVER, FEVEROUS or AVeriTeC. Writes a file for each method, OUTPUT/METHOD.json, in the form of
execute_programs; evaluate_programs scores it. A range of claims goes to METHOD.START-END.json; merge joins the ranges.
The model is loaded once for all methods. A run that was stopped goes on after the claims that each method finished.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec

from src.claims import ClaimText, passed_over, read_claim_texts, with_keys
from src.llm import Options, get_llm
from src.llm.flags import EngineOptions, engine_of, llm_flag, model_file
from src.llm.protocol import LanguageModel
from src.programs.baselines.closed_book import METHODS, ClosedBook, Method, examples, method_names
from src.programs.generation import refuse_overlap
from src.programs.records import ClaimTrace, without_result
from src.runner.claim_range import ClaimRange, Claims, end_of, in_range
from src.runner.console import say
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.paths import output_folder
from src.runner.run_all import run_all
from src.runner.step import step
from src.settings import Cluster, ClusterSettings, Flag, Group, JobSettings, StepSettings

MODULE = "src.programs.closed_book"
BATCH = 8  # claims; shards that start at multiples of it give the same bytes as one run


class AskingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that all closed-book methods share: claims, model and range."""

    claim_file: Annotated[Path, Flag("claims", "-c")] = Path("data/dev.json")
    ids: Annotated[Path | None, Flag("the claims to take, by their data set's own ids, one a line")] = None
    chat: Annotated[bool, Flag("ask through the model's chat template")] = True
    llm: Annotated[str, llm_flag()] = "qwen2.5-coder-1.5b"
    engine: EngineOptions = Options()
    range: Claims = ClaimRange()


class ClosedBookSettings(StepSettings, frozen=True, kw_only=True):
    """Settings of `closed_book`."""

    output_folder: Annotated[
        Path,
        Flag(
            "METHOD.json of each method, one claim a line, goes there; of a range METHOD.START-END.json", "-o",
            "--output_folder",
        ),
    ] = Path("data_store/dev_closed_book")  # fmt: skip
    methods: Annotated[str, Flag("some of them, with commas between", parse=method_names)] = ",".join(METHODS)
    asking: Annotated[AskingSettings, Group()] = AskingSettings()
    cluster: Cluster = ClusterSettings()


class MethodSettings(JobSettings, frozen=True, kw_only=True):
    """Settings of the job of one method: those that its output depends on.

    The other methods and the output folder are not among them.
    """

    asking: Annotated[AskingSettings, Group()]
    method: Annotated[str, Flag("the method")]
    output: Annotated[Path, Flag("its file")]


@step(ClosedBookSettings)
def main(settings: ClosedBookSettings) -> int:
    asking, methods = settings.asking, [METHODS[name] for name in settings.methods.split(",")]
    output_folder(settings.output_folder)
    everyone = read_claim_texts(asking.claim_file)
    for note in passed_over(everyone, asking.ids):
        say(f"closed_book: note: {note}", quiet=settings.quiet)
    chosen = with_keys(everyone, asking.ids)
    claims = in_range(chosen, asking.range.start, asking.range.end, asking.claim_file)
    for method in methods:
        if method.demonstrations is not None:
            refuse_overlap(examples(method), [(one.claim_id, one.claim) for one in everyone], method.name)
    model = _Shared(asking.llm, engine_of(settings, asking.engine))
    numbered = sorted(chosen, key=lambda claim: claim.claim_id)
    part = _part(asking.range, chosen)
    jobs = [_job(settings, method, part, claims, numbered, model) for method in methods]
    return run_all(jobs)


@dataclass
class _Shared:
    """The model of all methods: calling it returns the model, which is loaded at the first call."""

    llm: str
    options: Options

    def __call__(self) -> LanguageModel:
        return self._model

    @cached_property
    def _model(self) -> LanguageModel:
        return get_llm(self.llm, self.options)


def _part(wanted: ClaimRange, chosen: list[ClaimText]) -> str:
    """Return the range of claims as a part of the file names, `.0-100`; empty if all claims are judged.

    The merge of files reads the range from their names.
    """
    if wanted == ClaimRange():
        return ""
    return f".{wanted.start}-{end_of(chosen) if wanted.end == -1 else wanted.end}"


def _job(
    settings: ClosedBookSettings,
    method: Method,
    part: str,
    claims: list[ClaimText],
    numbered: list[ClaimText],
    model: Callable[[], LanguageModel],
) -> Job[ClaimText, ClaimTrace]:
    asking = settings.asking
    own = MethodSettings(
        overwrite=settings.overwrite,
        quiet=settings.quiet,
        dry_run=settings.dry_run,
        cluster=settings.cluster,
        asking=asking,
        method=method.name,
        output=settings.output_folder / f"{method.name}{part}.json",
    )
    lists = {"ids": asking.ids, "demonstrations": method.demonstrations}
    given = {name: path for name, path in lists.items() if path is not None}
    return Job(
        step=MODULE,
        settings=own,
        claims=claims,
        inputs={"claim_file": asking.claim_file, **given, **model_file(asking.llm)},
        start=lambda: _engine(model(), method, chat=asking.chat),
        without_result=lambda claim: without_result(claim.claim_id, claim.claim),
        batch=BATCH,
        numbered=numbered,
    )


def _engine(model: LanguageModel, method: Method, *, chat: bool) -> Engine[ClaimText, ClaimTrace]:
    closed_book = ClosedBook(model, method, chat=chat)
    return Engine(closed_book.answer, model=model.info, deterministic=model.info.deterministic)


if __name__ == "__main__":
    raise SystemExit(main())
