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
from msgspec.structs import replace

from src.claims import ClaimText, passed_over, read_claim_texts, with_keys
from src.llm import Options, get_llm
from src.llm.flags import EngineOptions, engine_of, llm_flag, model_file
from src.llm.protocol import LanguageModel
from src.models.model_files import named_model_files
from src.programs.baselines.closed_book import METHODS, ClosedBook, Method, examples, method_names
from src.programs.generation import refuse_overlap
from src.programs.records import ClaimTrace, without_result
from src.runner.claim_range import ClaimJobSettings, DividedRange, end_of, in_range
from src.runner.console import say
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.paths import output_folder
from src.runner.run_all import run_all
from src.runner.shard_plan import shard_path
from src.runner.sharding import in_shard
from src.runner.step import step
from src.settings import Cluster, ClusterSettings, Flag, Group, StepSettings

MODULE = "src.programs.closed_book"
BATCH = 8  # claims; shards that start at multiples of it give the same bytes as one run


class AskingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that all closed-book methods share: claims and model."""

    claim_file: Annotated[Path, Flag("claims", "-c")] = Path("data/dev.json")
    ids: Annotated[Path | None, Flag("the claims to take, by their data set's own ids, one a line")] = None
    chat: Annotated[bool, Flag("ask through the model's chat template")] = True
    llm: Annotated[str, llm_flag()] = "qwen2.5-coder-1.5b"
    engine: EngineOptions = Options()


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
    range: Annotated[DividedRange, Group()] = DividedRange()
    cluster: Cluster = ClusterSettings()


class MethodSettings(ClaimJobSettings, frozen=True, kw_only=True):
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
    of_methods = [_of_method(settings, method, chosen) for method in methods]
    for method in methods:
        if method.demonstrations is not None:
            refuse_overlap(examples(method), [(one.claim_id, one.claim) for one in everyone], method.name)
    model = _Shared(asking.llm, engine_of(settings, asking.engine))
    return run_all([_job(own, method, chosen, model) for own, method in zip(of_methods, methods, strict=True)])


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


def _of_method(settings: ClosedBookSettings, method: Method, chosen: list[ClaimText]) -> MethodSettings:
    """Return the settings of one method. The file of a range of claims is a shard."""
    own = MethodSettings(
        overwrite=settings.overwrite,
        quiet=settings.quiet,
        dry_run=settings.dry_run,
        cluster=settings.cluster,
        range=settings.range,
        asking=settings.asking,
        method=method.name,
        output=settings.output_folder / f"{method.name}.json",
    )
    start, end = own.range.start, own.range.end
    in_range(chosen, start, end, own.asking.claim_file)
    if own.range.shard is not None or (start, end) == (0, -1):
        return in_shard(own, chosen, own.asking.claim_file)
    return replace(own, output=shard_path(own.output, start, end_of(chosen) if end == -1 else end))


def _job(
    own: MethodSettings, method: Method, chosen: list[ClaimText], model: Callable[[], LanguageModel]
) -> Job[ClaimText, ClaimTrace]:
    asking = own.asking
    lists = {"ids": asking.ids, "demonstrations": method.demonstrations}
    given = {name: path for name, path in lists.items() if path is not None}
    return Job(
        step=MODULE,
        settings=own,
        claims=in_range(chosen, own.range.start, own.range.end, asking.claim_file),
        inputs={"claim_file": asking.claim_file, **given, **model_file(asking.llm)},
        start=lambda: _engine(model(), method, chat=asking.chat),
        without_result=lambda claim: without_result(claim.claim_id, claim.claim),
        batch=BATCH,
        numbered=sorted(chosen, key=lambda claim: claim.claim_id),
        node_files=named_model_files(own),
    )


def _engine(model: LanguageModel, method: Method, *, chat: bool) -> Engine[ClaimText, ClaimTrace]:
    closed_book = ClosedBook(model, method, chat=chat)
    return Engine(closed_book.answer, model=model.info, deterministic=model.info.deterministic)


if __name__ == "__main__":
    raise SystemExit(main())
