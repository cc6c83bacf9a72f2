"""Stage: rank the sentences of each claim's knowledge store, and return the best ones.

Indexes and vectors are stored next to the knowledge store for later runs.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from src.errors import InputError
from src.knowledge_store import KnowledgeStore
from src.llm import ModelInfo, Options, get_llm
from src.llm.flags import EngineOptions, engine_of, llm_flag, model_file
from src.models.encoder import SentenceEncoder, load_encoder
from src.models.model_files import named_model_files
from src.records import Claim, RankedSentences
from src.reranking.claim_ranking import ClaimRanking
from src.reranking.hybrid.hyde import write_hypotheticals
from src.reranking.hybrid.settings import HybridRetrieval
from src.reranking.index_cache import notes_on
from src.reranking.retriever_settings import RetrieverSettings
from src.reranking.retrievers import BM25, RETRIEVERS, retrievers_help
from src.reranking.top_file import TOP_K, encode_ranked
from src.retrieval.leakage import read_leakage, refused_pages, without_dates
from src.runner.claim_range import ClaimJobSettings, end_of, in_range
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.sharding import in_shard
from src.runner.workers import cores
from src.settings import Flag, Group, Positive, values_of
from src.store import read_claims

STEP = "src.reranking.bm25_sentences"
WORTH_A_WORKER = 8_000_000  # bytes of pages: a new process starts in less time than it ranks them
HYDE_BATCH = 16  # claims whose fact-checks are written together
OF_MODEL = ("llm", "dtype", "device", "cache_dir", "batch_file", "batch_answers")


class RankSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `rank_job`. `llm` and `engine` are for `hybrid.hyde`."""

    knowledge_store_dir: Annotated[Path, Flag("folder or zip of <claim_id>.json", "-k")] = Path(
        "data_store/knowledge_store/dev"
    )
    claim_file: Annotated[Path, Flag("claims of the split", "-c")] = Path("data/dev.json")
    output: Annotated[Path, Flag("ranked sentences, one claim a line", "-o", "--json_output")] = Path(
        "data_store/dev_top_k_sentences.json"
    )
    top_k: Annotated[Positive, Flag("sentences for each claim")] = TOP_K
    retriever: Annotated[str, Flag(retrievers_help(), choices=RETRIEVERS)] = BM25
    index_dir: Annotated[
        Path | None, Flag("where indexes are kept (default: KNOWLEDGE_STORE_DIR.index)", one_of="index")
    ] = None
    no_index: Annotated[bool, Flag("neither keep indexes nor use kept ones", one_of="index")] = False
    workers: Annotated[Positive, Flag("processes, for large stores (one with --hyde or --encoder)")] = cores()
    hybrid: Annotated[HybridRetrieval, Group("with --retriever hybrid")] = HybridRetrieval()
    llm: Annotated[str | None, llm_flag()] = None
    engine: EngineOptions = Options()

    @property
    def is_hybrid(self) -> bool:
        return RETRIEVERS[self.retriever].is_hybrid


class Models(msgspec.Struct):
    """Models of hybrid retrieval, as the manifest records them."""

    encoder: ModelInfo
    hypothetical: ModelInfo | None = None


def rank_job(settings: RankSettings) -> Job[Claim, RankedSentences]:
    """Return the job that ranks sentences for a file of claims. Raises InputError for bad input."""
    refuse_unread_ranking(settings)
    claims = read_claims(settings.claim_file)
    store = KnowledgeStore(settings.knowledge_store_dir)
    end, last = settings.range.end, end_of(claims) - 1
    notes = []
    if end == -1:
        end = _last_with_pages(store, claims)
        if end <= last:
            notes = [f"the knowledge store ends at claim {end - 1}, the claims at {last}"]
    settings = in_shard(replace(settings, range=replace(settings.range, end=end)), claims, settings.claim_file)
    chosen = in_range(claims, settings.range.start, settings.range.end, settings.claim_file)
    no_index = settings.no_index or settings.dry_run
    settings = replace(settings, index_dir=None if no_index else settings.index_dir or _beside(store.path))
    has_model = settings.hybrid.hyde or settings.hybrid.encoder
    claim_ids = [claim.claim_id for claim in chosen] if settings.is_hybrid else []
    return Job(
        step=STEP,
        settings=settings,
        claims=chosen,
        inputs={
            "claim_file": settings.claim_file,
            "knowledge_store_dir": store.path,
            **model_file(settings.llm),
            **settings.hybrid.inputs(),
        },
        start=partial(start_ranking, settings, store, claim_ids, notes),
        without_result=partial(without_result, settings.top_k),
        encode=encode_ranked,
        batch=HYDE_BATCH if settings.hybrid.hyde else 1,
        workers=1 if has_model else _workers(settings, store, chosen),
        on_cluster="actors" if settings.is_hybrid else "tasks",
        node_files=named_model_files(settings),
    )


def start_ranking(
    settings: RankSettings, store: KnowledgeStore, claim_ids: Sequence[int], notes: Sequence[str] = ()
) -> Engine[Claim, RankedSentences]:
    """Load the models and return the engine that ranks the sentences of each claim's knowledge store.

    Hybrid retrieval has notes on the claims `claim_ids`; the other retrievers do not need them.
    Raises InputError or MissingExtra when a model does not exist.
    """
    if not settings.is_hybrid:
        retriever = RETRIEVERS[settings.retriever].make(RetrieverSettings(index_dir=settings.index_dir))
        ranking = ClaimRanking(store, retriever, settings.top_k)
        return Engine(work=ranking, notes=notes, notes_on=partial(notes_on, folder=settings.index_dir))
    return _start_hybrid(settings, store, claim_ids, notes)


def _start_hybrid(
    settings: RankSettings, store: KnowledgeStore, claim_ids: Sequence[int], notes: Sequence[str]
) -> Engine[Claim, RankedSentences]:
    hybrid = settings.hybrid
    leakage = read_leakage(settings.claim_file, hybrid.exclude_urls, keep_fact_check=hybrid.keep_fact_check,
                           keep_later_pages=hybrid.keep_later_pages)  # fmt: skip
    encoder: SentenceEncoder = load_encoder(hybrid.encoder)
    model = get_llm(settings.llm or "smollm2", engine_of(settings, settings.engine)) if hybrid.hyde else None
    retriever = RETRIEVERS[settings.retriever].make(
        RetrieverSettings(settings.index_dir, encoder, partial(refused_pages, leakage), hybrid.vectors or "float16",
                          hybrid.passages)
    )  # fmt: skip
    hypotheticals = partial(write_hypotheticals, model) if model else None
    ranking = ClaimRanking(store, retriever, settings.top_k, hypotheticals, hybrid.passages)
    undated = [] if hybrid.keep_later_pages else without_dates(store.path, claim_ids)
    return Engine(
        work=ranking,
        model=Models(encoder.info, model.info if model else None),
        notes=[*notes, *leakage.notes(claim_ids), *undated],
        notes_on=partial(notes_on, folder=settings.index_dir),
        deterministic=encoder.info.deterministic and (model is None or model.info.deterministic),
    )


def without_result(top_k: int, claim: Claim) -> RankedSentences:
    """Return the record of a claim for which no sentences could be ranked."""
    return RankedSentences(claim.claim_id, claim.claim, top_k, [])


def refuse_unread_ranking(settings: RankSettings) -> None:
    """Raise InputError if a setting has no effect with the chosen retriever."""
    hybrid = settings.hybrid
    given = [*hybrid.given(), *(["llm"] if settings.llm else [])]
    if given and not settings.is_hybrid:
        raise InputError(f"--{given[0]} works with --retriever hybrid only, not with {settings.retriever}")
    values = values_of(settings)
    of_model = [name for name in OF_MODEL if values[name]]
    if of_model and not hybrid.hyde:
        raise InputError(f"--{of_model[0]} works with --hyde only: without it no language model is asked")


def _workers(settings: RankSettings, store: KnowledgeStore, claims: Sequence[Claim]) -> int:
    """Return the requested number of workers, or fewer if ranking takes less time than starting a process."""
    size = sum(store.size(claim.claim_id) for claim in claims)
    return min(settings.workers, 1 + size * RETRIEVERS[settings.retriever].work // WORTH_A_WORKER)


def _beside(path: Path) -> Path:
    """Return a store's index folder: `data_store/knowledge_store/dev` -> `data_store/knowledge_store/dev.index`."""
    return path.absolute().with_name(f"{path.absolute().name}.index")


def _last_with_pages(store: KnowledgeStore, claims: Sequence[Claim]) -> int:
    """Return the end of the range of claim_ids that both store and claims have.

    Raises InputError for an empty store.
    """
    if not len(store):
        raise InputError("there is no <claim_id>.json in it", path=store.path)
    return min(store.last() + 1, end_of(claims))
