"""Settings of the answerer of a program's steps and of its evidence; the functions that load both."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from src.claims import read_gold_passages
from src.errors import InputError
from src.knowledge_store import KnowledgeStore
from src.llm import Options, get_llm
from src.llm.flags import SCALE, EngineOptions, llm_flag, model_file
from src.programs.answerers.by_language_model import LONGEST_EVIDENCE, Forms, LanguageModelAnswers, Prompts
from src.programs.answerers.by_small_models import (
    GOLD_MARGIN,
    GOLD_THRESHOLD,
    MARGIN,
    THRESHOLD,
    SmallModelAnswers,
)
from src.programs.answerers.evidence import (
    CorpusEvidence,
    CorpusSettings,
    EvidenceSource,
    GoldEvidence,
    NoEvidence,
    OneStep,
    StoreEvidence,
    search_of,
)
from src.programs.functions import Answering
from src.settings import Flag, Group, Positive, Share, refuse_unread

if TYPE_CHECKING:
    from src.models.entailment import Entailment

NO_SETTING = "goes with a --setting: gold, open or closed"
OF_MODELS = ("llm", "entailment", "gold", "corpus", "knowledge_store_dir", "index_dir", "retriever", "step_top_k",
             "read_top_k", "one_step", "threshold", "unsure", "margin", "alone", "prompts", "chat",
             "max_evidence_length")  # fmt: skip
ANSWERING = {"setting", *OF_MODELS} - {"index_dir"}  # what answers depend on
OF_ENTAILMENT = ("margin", "alone")
OF_LANGUAGE_MODELS = ("unsure", "prompts", "chat", "max_evidence_length", *SCALE)
OPEN = ("corpus", "knowledge_store_dir", "index_dir", "retriever", "step_top_k", "read_top_k", "one_step")


class AnsweringSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the models that answer the steps of programs. If `setting` is None, no model answers.

    A `threshold` or `margin` of None is replaced by `with_defaults`: the default depends on `setting`. `chat` is an old
    form of `prompts`: True is Prompts.CHAT, False is Prompts.CODE.
    """

    setting: Annotated[
        Literal["gold", "open", "closed"] | None,
        Flag("what models answer from: gold evidence, what is retrieved for each step, what they know"),
    ] = None
    entailment: Annotated[
        Path | None, Flag("folder of an entailment model, which answers in place of a language model")
    ] = None
    gold: Annotated[Path | None, Flag("claims with their gold evidence, for --setting gold")] = None
    search: Annotated[CorpusSettings, Group()] = CorpusSettings()
    knowledge_store_dir: Annotated[Path | None, Flag("the claims' knowledge store, for --setting open", "-k")] = None
    step_top_k: Annotated[Positive, Flag("passages for each step")] = 10
    read_top_k: Annotated[Positive | None, Flag("passages of these that a model reads (default: all)")] = None
    one_step: Annotated[bool, Flag("retrieve once a claim, with the claim, and not for each step")] = False
    threshold: Annotated[
        Share | None,
        Flag(
            "probability from which a fact is true; of an entailment model also that from which it is false (default: "
            f"{THRESHOLD}; of an entailment model with gold evidence {GOLD_THRESHOLD})"
        ),
    ] = None
    unsure: Annotated[Share, Flag("a language model's probability so near the threshold is unknown")] = 0.0
    margin: Annotated[
        Annotated[float, msgspec.Meta(ge=-1, le=1)] | None,
        Flag(
            "how far an entailment model must favor true over false, or false over true; with -1 the threshold of true "
            f"decides alone (default: {MARGIN}; with gold evidence {GOLD_MARGIN})"
        ),
    ] = None
    alone: Annotated[
        bool,
        Flag(
            "let an entailment model also read each passage alone: a step whose sources contradict each other is then "
            "conflicting; slower"
        ),
    ] = False
    prompts: Annotated[
        Prompts | None,
        Flag(
            "how a language model is asked: as the paper prints it, and what the model writes is its verdict; as the "
            "released code words it; in a chat (default: code for encoder-decoders, else chat)"
        ),
    ] = None
    chat: Annotated[bool | None, Flag("", hidden=True)] = None
    max_evidence_length: Annotated[Positive, Flag("words of evidence in a prompt")] = LONGEST_EVIDENCE
    llm: Annotated[str | None, llm_flag()] = None
    engine: EngineOptions = Options()

    def with_defaults(self) -> "AnsweringSettings":
        """Return the settings with the default threshold and margin filled in, as manifests record them.

        Raises InputError when settings do not go together.
        """
        if self.setting is None:
            refuse_unread(self, OF_MODELS, NO_SETTING)
            return self
        self._check(self.setting)
        of_gold = self.setting == "gold" and self.entailment is not None
        threshold, margin = (GOLD_THRESHOLD, GOLD_MARGIN) if of_gold else (THRESHOLD, MARGIN)
        filled = self if self.threshold is not None else replace(self, threshold=threshold)
        return filled if self.margin is not None or self.entailment is None else replace(filled, margin=margin)

    def _sources(self) -> dict[str, Path]:
        """Return the paths of the evidence sources that are set, by the names of their flags."""
        sources = {
            "gold": self.gold,
            "corpus": self.search.corpus,
            "knowledge_store_dir": self.knowledge_store_dir,
        }
        return {name: path for name, path in sources.items() if path is not None}

    def _check(self, setting: str) -> None:
        if (self.llm is None) == (self.entailment is None):
            raise InputError(f"--setting {setting}: either --llm or --entailment answers")
        wanted = {"gold": ("gold",), "open": ("corpus", "knowledge_store_dir"), "closed": ()}[setting]
        given = list(self._sources())
        if len(given) != bool(wanted) or not set(given) <= set(wanted):
            need = " or ".join(f"--{name}" for name in wanted) or "no evidence"
            got = " and ".join(f"--{name}" for name in given) or "none"
            raise InputError(f"--setting {setting} takes {need}; given: {got}")
        mine, why = (OF_LANGUAGE_MODELS, "--llm") if self.llm is None else (OF_ENTAILMENT, "--entailment")
        refuse_unread(self, mine, f"goes with {why}")
        if setting != "open":
            refuse_unread(self, OPEN, "goes with --setting open")
        if self.search.retriever != "bm25" and self.search.corpus is None:
            raise InputError(f"--retriever {self.search.retriever} goes with --corpus")
        if self.prompts is not None and self.chat is not None:
            raise InputError(
                "--chat is the old name of --prompts chat, --no-chat of --prompts code; give --prompts alone"
            )
        if self.prompts is Prompts.PUBLISHED:
            why = "changes nothing with --prompts published: the model writes true or false"
            refuse_unread(self, ("threshold", "unsure"), why)
        if setting == "closed" and self.entailment is not None:
            raise InputError("an entailment model knows nothing by itself: --setting closed goes with --llm")

    def inputs(self) -> dict[str, Path]:
        """Return the files that answers depend on, by the names of their flags."""
        model = {} if self.entailment is None else {"entailment": self.entailment}
        return self._sources() | model | model_file(self.llm)


class Answerer(msgspec.Struct, frozen=True):
    """An answerer of steps, with what the manifest records of its model.

    `model`: the manifest's entry for the model.
    `deterministic`: True if the model gives the same answers in every run.
    """

    answering: Answering
    model: Any
    deterministic: bool


def answerer_of(settings: AnsweringSettings, claims: Mapping[int, str], *, keep_index: bool) -> Answerer:
    """Load the answerer that the settings select; `claims` are the claims' texts by claim_id.

    `settings` must come from `with_defaults()`, which fills in default thresholds. If `keep_index` is False, an index
    that this call builds is deleted at exit. Raises InputError when a file cannot be read, and MissingExtra when a
    library is not installed.
    """
    source = _source(settings, claims, keep_index=keep_index)
    if settings.entailment is not None:
        from src.models.entailment import load_entailment

        entailment = load_entailment(settings.entailment, settings.engine.dtype, settings.engine.device)
        return Answerer(small_answers(settings, entailment, source), entailment.info, entailment.info.deterministic)
    assert settings.llm is not None
    assert settings.threshold is not None
    model = get_llm(settings.llm, settings.engine)
    forms = Forms(_prompts(settings, seq2seq=model.info.seq2seq), settings.max_evidence_length)
    shared = settings.setting == "gold" or settings.one_step  # also for whole claims: they then share cached answers
    answers = LanguageModelAnswers(
        model, source, forms, settings.threshold, settings.unsure, settings.read_top_k, shared=shared
    )
    return Answerer(answers, model.info, model.info.deterministic)


def _prompts(settings: AnsweringSettings, *, seq2seq: bool) -> Prompts:
    if settings.prompts is not None:
        return settings.prompts
    chat = not seq2seq if settings.chat is None else settings.chat
    return Prompts.CHAT if chat else Prompts.CODE


def small_answers(settings: AnsweringSettings, entailment: "Entailment", source: EvidenceSource) -> SmallModelAnswers:
    """Return the answerer with an entailment model.

    `settings` must come from `with_defaults()`, which fills in default thresholds.
    """
    assert settings.threshold is not None
    assert settings.margin is not None
    return SmallModelAnswers(
        entailment, source, settings.threshold, settings.margin, settings.read_top_k, alone=settings.alone
    )


def _source(settings: AnsweringSettings, claims: Mapping[int, str], *, keep_index: bool) -> EvidenceSource:
    if settings.setting == "closed":
        return NoEvidence()
    if settings.gold is not None:
        return GoldEvidence(read_gold_passages(settings.gold, claims))
    source: EvidenceSource
    if settings.knowledge_store_dir is None:
        source = CorpusEvidence(search_of(settings.search, keep=keep_index), settings.step_top_k)
    else:
        store = KnowledgeStore(settings.knowledge_store_dir)
        store.refuse_without(claims)
        source = StoreEvidence(store, settings.step_top_k, settings.search.index_dir)
    return OneStep(source, claims) if settings.one_step else source
