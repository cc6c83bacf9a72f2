"""Stage: select the best question-answer pairs of each claim as its evidence."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from msgspec.structs import replace

from src.models.bert import classifier_files
from src.models.reranker import RERANKER_HELP, chosen_reranker, keeps_duplicates, load_reranker
from src.records import CandidateQuestions, Evidence
from src.reranking.ranked_evidence import rerank
from src.reranking.select import SELECT_HELP, Select
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.sharding import in_shard, input_file
from src.settings import Flag, Positive, refuse_unread
from src.stance.reader import READER, load_stance_reader
from src.stance.selection import select_evidence
from src.store import read_by_claim

STEP = "src.reranking.rerank_questions"
BATCH = 10  # claims; shards cut at multiples of it give the bytes of an undivided run


class SelectSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `select_job`."""

    top_k_qa_file: Annotated[Path, Flag("candidate pairs of each claim", "-i")] = Path("data_store/dev_top_k_qa.json")
    output: Annotated[Path, Flag("evidence, one claim a line", "-o", "--output_file")] = Path(
        "data_store/dev_top_3_rerank_qa.json"
    )
    best_checkpoint: Annotated[Path | None, Flag(RERANKER_HELP, "-ckpt", "--best_checkpoint", ("--reranker",))] = None
    top_n: Annotated[Positive, Flag("pairs for each claim")] = 3
    select: Annotated[Select, Flag(SELECT_HELP)] = Select.LIKENESS
    entailment: Annotated[Path | None, Flag(f"the model that reads stances (default: {READER})")] = None
    duplicates: Annotated[
        Literal["keep", "drop"] | None,
        Flag("repeated answers (default: keep with a published checkpoint, else drop)"),
    ] = None
    dtype: Annotated[
        str | None,
        Flag(
            "number format (default: float32 for a published checkpoint, else bfloat16 if the device computes in it)",
            choices=("float32", "bfloat16"),
        ),
    ] = None
    device: Annotated[str | None, Flag("cpu, cuda, ... (default: a GPU where there is one)")] = None


def select_job(settings: SelectSettings) -> Job[CandidateQuestions, Evidence]:
    """Return the job that selects evidence from a file of candidate pairs. Raises InputError for bad input."""
    source = input_file(settings.top_k_qa_file, "src.reranking.question_generation_top_sentences", settings.range)
    everyone = read_by_claim(source, CandidateQuestions)
    settings = in_shard(settings, everyone, source)
    claims = in_range(everyone, settings.range.start, settings.range.end, source)
    inputs = {"top_k_qa_file": source}
    notes: list[str] = []
    if settings.select is Select.STANCE:
        refuse_unread(settings, ["best_checkpoint", "duplicates"], "changes nothing with --select stance")
        settings = replace(settings, entailment=settings.entailment or READER)
        inputs |= classifier_files(settings.entailment or READER, "entailment")
    else:
        settings, notes = _with_reranker(settings)
        inputs |= classifier_files(settings.best_checkpoint) if settings.best_checkpoint else {}
    return Job(
        step=STEP,
        settings=settings,
        claims=claims,
        inputs=inputs,
        start=partial(start_selection, settings, notes),
        without_result=lambda claim: Evidence(claim.claim_id, claim.claim, []),
        batch=BATCH,
    )


def _with_reranker(settings: SelectSettings) -> tuple[SelectSettings, list[str]]:
    """Return the settings with the reranker filled in, and notes on the choice.

    Its checkpoint is None for cosine similarity.
    """
    refuse_unread(settings, ["entailment"], "goes with --select stance")
    checkpoint, notes = chosen_reranker(settings.best_checkpoint)
    if checkpoint is None:
        refuse_unread(settings, ["dtype", "device"], "changes nothing: the cosine ranks")
    duplicates = settings.duplicates or ("keep" if keeps_duplicates(checkpoint) else "drop")
    return replace(settings, best_checkpoint=checkpoint, duplicates=duplicates), notes


def start_selection(settings: SelectSettings, notes: list[str]) -> Engine[CandidateQuestions, Evidence]:
    """Load the model and return the engine that selects evidence. Raises InputError or MissingExtra."""
    if settings.select is Select.STANCE:
        reader = load_stance_reader(settings.entailment or READER, settings.dtype, settings.device)
        work = partial(select_evidence, reader, settings.top_n)
        return Engine(work, model=reader.info, notes=notes, deterministic=reader.info.deterministic)
    reranker = load_reranker(settings.best_checkpoint, settings.dtype, settings.device)
    ranking = partial(rerank, reranker, settings.top_n, settings.duplicates == "keep")
    return Engine(ranking, model=reranker.info, notes=notes, deterministic=reranker.info.deterministic)
