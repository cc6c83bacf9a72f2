"""Settings of the whole pipeline, and the paths of its files."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from src.models.reranker import RERANKER_HELP, RERANKERS
from src.one_call.prompt import EvidenceForm
from src.pipeline.one_call import OneCallSettings
from src.prediction.verdicts import VERDICT_HELP, VERDICT_NAMES
from src.reranking.hybrid.settings import HybridRetrieval
from src.reranking.questions.flags import WriterSettings
from src.reranking.retrievers import HYBRID, RETRIEVERS, retrievers_help
from src.reranking.select import SELECT_HELP, Select
from src.reranking.top_file import TOP_K
from src.retrieval.providers import PROVIDERS
from src.runner.claim_range import DividedRange
from src.runner.division import Part, read_part
from src.runner.prices import Prices
from src.runner.shard_plan import ShardPlan, shard_path
from src.settings import Cluster, ClusterSettings, Flag, Group, Natural, Positive, StepSettings

PROVIDER_HELP = "find and scrape the pages first, with a provider as src.retrieval.search takes it"
SHARD_HELP = "compute part I of N, from 0/N, to files of its range; --merge joins them"
ONE_CALL = OneCallSettings()
WRITER = "model that writes the questions (default: smollm2; with --published bigscience/bloom-7b1)"


class PipelineStrategy(StrEnum):
    """Strategy for finding evidence and verdict: question by question, or in one call for each claim."""

    QUESTIONS = "questions"
    ONE_CALL = "one_call"


class PipelineSettings(StepSettings, frozen=True, kw_only=True):
    """Settings of a pipeline run over the claims `start` to `end` - 1 of a split.

    `plan`: the plan by which these claims are a part of the run; None: they are all of it. The result files of a part
        are shards. Only merged files are validated and scored.
    """

    split: Annotated[str, Flag("names the files: dev, train, test or your own", positional=True)]
    start: Annotated[Natural, Flag("first claim_id", positional=True)]
    end: Annotated[Natural, Flag("claim_id after the last one", positional=True)]
    strategy: Annotated[
        PipelineStrategy,
        Flag("a question for each sentence, then a verdict model; or one call of --llm, a chat model, for each claim"),
    ] = PipelineStrategy.QUESTIONS
    published: Annotated[bool, Flag("run the published baseline in every step; what is missing is named first")] = False
    search: Annotated[str | None, Flag(PROVIDER_HELP, metavar="PROVIDER", or_path=True, names=PROVIDERS)] = None
    claim_file: Annotated[Path | None, Flag("claims (default: data/SPLIT.json)")] = None
    knowledge_store_dir: Annotated[
        Path | None, Flag("folder or zip of <claim_id>.json (default: data_store/knowledge_store/SPLIT)")
    ] = None
    reference_corpus: Annotated[
        Path | None, Flag("claims with gold pairs, for recipes that show examples (default: data/train.json)")
    ] = None
    output_dir: Annotated[Path | None, Flag("folder of all results (default: data_store)")] = None
    top_k: Annotated[
        Positive | None, Flag(f"sentences for each claim (default: {TOP_K}; sources of one call: {ONE_CALL.sources})")
    ] = None
    top_n: Annotated[
        Positive | None, Flag(f"question-answer pairs for each claim (default: 3; of one call: {ONE_CALL.top_n})")
    ] = None
    no_scores: Annotated[bool, Flag("print no scores, as for claims without labels")] = False
    retriever: Annotated[str | None, Flag(f"{retrievers_help()} (default: {HYBRID})", choices=RETRIEVERS)] = None
    index_dir: Annotated[
        Path | None, Flag("where indexes are kept (default: KNOWLEDGE_STORE_DIR.index)", one_of="index")
    ] = None
    no_index: Annotated[bool, Flag("neither keep indexes nor use kept ones", one_of="index")] = False
    workers: Annotated[Positive | None, Flag("processes that rank (default: one for each core)")] = None
    select: Annotated[Select | None, Flag(f"{SELECT_HELP} (default: {Select.LIKENESS})")] = None
    reranker: Annotated[str | None, Flag(RERANKER_HELP, metavar="NAME|CKPT", else_path=True, names=RERANKERS)] = None
    verdict: Annotated[str | None, Flag(VERDICT_HELP, metavar="NAME|PATH", else_path=True, names=VERDICT_NAMES)] = None
    hybrid: Annotated[HybridRetrieval, Group("with --retriever hybrid")] = HybridRetrieval()
    writer: Annotated[WriterSettings, Group(WRITER)] = WriterSettings(llm="")
    evidence: Annotated[
        EvidenceForm, Flag("with --strategy one_call: answers as in AVeriTeC, or statements as in FEVER-9")
    ] = EvidenceForm.PAIRS
    calibration: Annotated[
        Path | None, Flag("with --strategy one_call: file of src.training.calibrate_llm, for levels of the verdicts")
    ] = None
    prices: Annotated[Prices, Group("cost of the tokens, with --strategy one_call")] = Prices()
    shard: Annotated[Part | None, Flag(SHARD_HELP, metavar="I/N", parse=read_part, one_of="shard")] = None
    merge: Annotated[bool, Flag("join the shards of all stages, then validate and score", one_of="shard")] = False
    cluster: Cluster = ClusterSettings()
    plan: ShardPlan | None = None

    def file(self, name: str) -> Path:
        """Return the path of a result file by its name: `data_store/dev_top_k_qa.json` for `top_k_qa`.

        For a part of a run, it is the shard of the claims: `data_store/dev_top_k_qa.0-250.json`.
        """
        merged = self.output_folder / f"{self.split}_{name}.json"
        return shard_path(merged, self.start, self.end) if self.plan else merged

    @property
    def claims(self) -> Path:
        return self.claim_file or Path("data") / f"{self.split}.json"

    @property
    def references(self) -> Path:
        return self.reference_corpus or Path("data/train.json")

    @property
    def output_folder(self) -> Path:
        return self.output_dir or Path("data_store")

    @property
    def urls(self) -> Path:
        return self.output_folder / f"{self.split}_store"

    @property
    def store(self) -> Path:
        above = self.output_folder if self.search else Path("data_store")
        return self.knowledge_store_dir or above / "knowledge_store" / self.split

    @property
    def range(self) -> DividedRange:
        return DividedRange(self.start, self.end, plan=self.plan)
