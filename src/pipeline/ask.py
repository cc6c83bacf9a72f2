"""Stage: a language model writes, for each sentence found for a claim, the question that the sentence answers."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from src.evaluation.meteor import meteor_table
from src.llm.flags import engine_of
from src.models.model_files import named_model_files
from src.records import CandidateQuestions, Claim, RankedSentences
from src.reranking.questions.flags import ChosenRecipe, WriterSettings, question_writer, resolved
from src.reranking.top_file import TOP_K, read_ranked
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.sharding import in_shard, input_file
from src.settings import Flag, Group, Positive
from src.store import read_claims

STEP = "src.reranking.question_generation_top_sentences"


class AskSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `ask_job`."""

    reference_corpus: Annotated[Path | None, Flag("claims with gold pairs, for recipes that show examples")] = Path(
        "data/train.json"
    )
    target_file: Annotated[str | None, Flag("not used; kept for published command lines")] = None
    top_k_target_knowledge: Annotated[Path, Flag("ranked sentences", "-i", "--top_k_target_knowledge")] = Path(
        "data_store/dev_top_k_sentences.json"
    )
    output: Annotated[Path, Flag("candidate pairs, one claim a line", "-o", "--output_questions")] = Path(
        "data_store/dev_top_k_qa.json"
    )
    top_k: Annotated[Positive, Flag("sentences of each claim at most")] = TOP_K
    writer: Annotated[WriterSettings, Group()] = WriterSettings()


def ask_job(settings: AskSettings) -> Job[RankedSentences, CandidateQuestions]:
    """Return the job that writes questions for a file of ranked sentences. Raises InputError for bad input."""
    source = input_file(settings.top_k_target_knowledge, "src.reranking.bm25_sentences", settings.range)
    ranked = read_ranked(source)
    settings = in_shard(settings, ranked, source)
    chosen = resolved(settings.writer)
    has_examples = chosen.recipe.num_examples and settings.reference_corpus
    reference = read_claims(settings.reference_corpus) if has_examples and settings.reference_corpus else None
    corpus = settings.reference_corpus if reference is not None else None  # one that is not read is no setting
    inputs = {"top_k_target_knowledge": source, **chosen.settings.inputs()}
    return Job(
        step=STEP,
        settings=replace(settings, writer=chosen.settings, reference_corpus=corpus),
        claims=in_range(ranked, settings.range.start, settings.range.end, source),
        inputs=inputs | ({"reference_corpus": corpus} if corpus else {}),
        start=partial(start_asking, settings, chosen, reference),
        without_result=lambda claim: CandidateQuestions(claim.claim_id, claim.claim, []),
        node_files=named_model_files(chosen.settings),
    )


def start_asking(
    settings: AskSettings, chosen: ChosenRecipe, reference: Sequence[Claim] | None
) -> Engine[RankedSentences, CandidateQuestions]:
    """Load the model and return the engine that writes questions. Raises InputError or MissingExtra."""
    writer_settings = replace(chosen.settings, engine=engine_of(settings, chosen.settings.engine))
    model = writer_settings.model()
    writer, left_out = question_writer(chosen, model, reference, meteor_table, settings.top_k)
    return Engine(
        work=writer.write_all,
        model=model.info,
        notes=[*chosen.notes, *left_out],
        deterministic=model.info.deterministic,
        estimate=writer.estimate,
    )
