"""Models of a check: each is loaded on first use and reused by the next checks."""

import sys
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from src.check.call_model import CALL_LLM, call_llm, caller_of, most_pairs, numbers_of
from src.check.records import CheckRequest, Strategy
from src.errors import InputError
from src.evaluation.meteor import meteor_table
from src.explanation.checks.bearing import Bearing
from src.explanation.checks.checker import NO_TAGGER, SHIPPED, Checker
from src.explanation.checks.when_needed import checker_when_needed
from src.free_memory import give_back
from src.llm.flags import refuse_batch
from src.llm.presence import lacking
from src.llm.protocol import LanguageModel, ModelInfo
from src.models.classifier import CachedClassifier, Classifier
from src.models.encoder import SentenceEncoder, load_encoder
from src.models.entailment import Entailment, load_entailment, load_reading
from src.models.reranker import RERANKER_HELP, RERANKERS, Reranker, chosen_reranker, keeps_duplicates, load_reranker
from src.models.trained import is_trained
from src.models.veracity import VerdictModel
from src.one_call.caller import OneCall
from src.one_call.verdict import Calibration, check_numbers
from src.prediction.verdicts import (
    DEFAULT_LLM,
    STACKED,
    VERDICT_HELP,
    VERDICT_NAMES,
    Loading,
    llm_verdict_model,
    load_verdict_model,
    named_verdict_model,
)
from src.programs.decomposition.planner import Planner, planner
from src.records import CandidateQuestions, Evidence
from src.reranking.claim_ranking import Retriever
from src.reranking.questions.flags import ChosenRecipe, WriterSettings, question_writer, resolved
from src.reranking.questions.writer import QuestionWriter
from src.reranking.ranked_evidence import rerank
from src.reranking.retriever_settings import Refused, RetrieverSettings
from src.reranking.retrievers import HYBRID, RETRIEVERS, retrievers_help
from src.reranking.select import SELECT_HELP, Select
from src.runner.console import how_many
from src.settings import Flag, Group
from src.stance.reader import StanceReader
from src.stance.stacker import READERS, readers_of
from src.store import read_claims, read_json

TRAIN, SAMPLE = Path("data/train.json"), Path("data_store/sample/reference.json")
ENTAILMENT = Path("pretrained_models/adapters/entailment")  # answers the steps of programs, as measured on HOVER
DRAWN = 5  # questions for each passage besides the likeliest: as good as 11 on Q+A, in half of the time
WRITER = f"model that writes the questions (default: {DEFAULT_LLM}) or answers one call (default: {CALL_LLM})"


class ModelSettings(msgspec.Struct, frozen=True):
    """Names of the models that a check uses with the question strategy, or with one call.

    `retriever`: name of the retriever of passages or sentences, one of `RETRIEVERS`.
    `select`: how evidence is selected: by stance toward the claim, or by likeness to gold evidence.
    `reranker`: one of `RERANKERS` or a path, for selection by likeness; None: the first that is installed.
    `verdict`: one of `VERDICT_MODELS`, a path, or `llm` (the model of `writer`).
    `reference_corpus`: claims whose gold questions are examples in prompts; None: AVeriTeC's train split, else the
        sample.
    `calibration`: file of `calibrate_llm` for the model of one call.
    `writer`: model that writes questions or answers one call; without a name `DEFAULT_LLM` or `CALL_LLM`.
    """

    retriever: Annotated[
        str,
        Flag(f"{retrievers_help()}. {HYBRID} gives passages, the others single sentences", choices=RETRIEVERS),
    ] = HYBRID
    select: Annotated[Select, Flag(SELECT_HELP)] = Select.STANCE
    reranker: Annotated[
        str | Path | None,
        Flag(
            f"with --select {Select.LIKENESS}: {RERANKER_HELP}",
            metavar="NAME|CKPT",
            parse=str,
            or_path=True,
            names=RERANKERS,
        ),
    ] = None
    verdict: Annotated[
        str | Path, Flag(VERDICT_HELP, metavar="NAME|PATH", parse=str, else_path=True, names=VERDICT_NAMES)
    ] = STACKED.name
    reference_corpus: Annotated[
        Path | None,
        Flag(f"claims with gold pairs, for recipes that show examples (default: {TRAIN}, else those of the sample)"),
    ] = None
    calibration: Annotated[
        Path | None,
        Flag(f"with --strategy {Strategy.ONE_CALL}: file of src.training.calibrate_llm, for levels of the verdicts"),
    ] = None
    writer: Annotated[WriterSettings, Group(WRITER)] = WriterSettings(llm="")


class Models:
    """Models of a check, each loaded on first use.

    One thread at a time may use models. Another one may load further models meanwhile (`Loading`).

    The constructor raises InputError for an unknown name, for a reranker that would not be used, and for a batch.
    Loading a model that is not installed raises InputError or MissingExtra.

    `settings`: names of the models, as requested.
    `are_kept`: True if further checks use them. If False, a check frees the writer's memory after the questions.
    `chosen`: `settings.writer` with its defaults filled in.
    `retrieves`: the line of `RETRIEVERS` that `settings.retriever` names.
    """

    def __init__(self, settings: ModelSettings = ModelSettings(), *, are_kept: bool = True) -> None:  # noqa: B008
        if settings.reranker is not None and settings.select != Select.LIKENESS:
            only = f"it goes with {Select.LIKENESS}"
            raise InputError(f"--reranker changes nothing with --select {settings.select}: {only}")
        refuse_batch(settings.writer.engine, "a check")
        self.settings, self.are_kept = settings, are_kept
        self.chosen = _chosen(replace(settings.writer, llm=settings.writer.llm or DEFAULT_LLM))
        file = settings.calibration
        self._calibration = None if file is None else read_json(file, Calibration)
        if settings.retriever not in RETRIEVERS:
            raise InputError(f"{settings.retriever!r} is not a retriever; known are: {', '.join(RETRIEVERS)}")
        self.retrieves = RETRIEVERS[settings.retriever]
        self._verdict = named_verdict_model(settings.verdict)
        self._reranker, self._reranker_notes = chosen_reranker(settings.reranker)
        self._notes: dict[str, list[str]] = {}
        self._names: dict[str, str] = {}

    def refuse(self, request: CheckRequest) -> None:
        """Raise InputError if the language model for a request is not installed; nothing is loaded.

        It is loaded after the other models. Missing files of those are found as soon as loading begins. Raises
        InputError, too, if the calibration of one call was fitted for other numbers than those of the request.
        """
        if reason := self.lacking(request.strategy, request.select):
            raise InputError(reason)
        if request.strategy is Strategy.ONE_CALL and self._calibration is not None:
            numbers = numbers_of(self.settings.writer, request.top_k, self.most_pairs(request))
            check_numbers(self._calibration, numbers, self.settings.calibration)

    def lacking(self, strategy: Strategy, select: Select, *, ask_hub: bool = True) -> str:
        """Return which language model a strategy lacks, with the command that installs it; "" if none is missing.

        `ask_hub`: ask the hub for a model that has a name of the hub.
        """
        needed = {"writer": self.chosen.settings.llm, "caller": call_llm(self.settings.writer.llm)}
        parts = self.parts(strategy, select)
        reasons = (
            lacking(llm, ask_hub=ask_hub) for part, llm in needed.items() if part in parts and part not in vars(self)
        )
        return next(filter(None, reasons), "")

    def most_pairs(self, request: CheckRequest) -> int:
        """Return the number of question-answer pairs that a check keeps, at most."""
        return most_pairs(request, self.settings.writer.llm)

    def load(self, strategy: Strategy, select: Select = Select.STANCE) -> None:
        """Load the models of a strategy in the order of their use, unless they are loaded already."""
        for name in self.parts(strategy, select):
            self.load_part(name)

    def load_part(self, name: str) -> None:
        """Load the model that `parts` names, unless it is loaded already."""
        getattr(self, name)

    def release_writer(self) -> None:
        """Free the memory of the model that writes questions, unless it is needed again."""
        if not self.are_kept and self._verdict is not None:
            for name in ("writer", "_llm"):
                self.__dict__.pop(name, None)
            give_back()

    def names(self, strategy: Strategy, select: Select = Select.STANCE) -> dict[str, str]:
        """Return task -> name and engine of its model, for the loaded models of a strategy."""
        return {name: self._names[name] for name in self.parts(strategy, select) if name in self._names}

    def notes(self, strategy: Strategy, select: Select = Select.STANCE) -> list[str]:
        """Return notes for the reader on the loaded models of a strategy, such as a default that is not installed."""
        return [note for name in self.parts(strategy, select) for note in self._notes.get(name, [])]

    def retriever(self, refused: Refused) -> Retriever:
        """Return the chosen retriever: a hybrid one returns passages, the others single sentences.

        `refused` says which pages must not be evidence. A hybrid retriever skips them; other retrievers read all pages.
        """
        encoder = self.encoder if self.retrieves.is_hybrid else None
        return self.retrieves.make(RetrieverSettings(encoder=encoder, refused=refused, passages=True))

    def rerank(self, top_n: int, candidates: CandidateQuestions) -> Evidence:
        """Return a claim's `top_n` best question-answer pairs, by score of the reranker. Raises ModelError when the
        reranker fails.
        """
        (best,) = rerank(self.reranker, top_n, keeps_duplicates(self._reranker), [candidates])
        return best.record

    def parts(self, strategy: Strategy, select: Select) -> list[str]:
        """Return the names of the models that a strategy uses, in the order of their use."""
        if strategy is Strategy.PROGRAMS:
            return ["planner", "entailment", "reader", "checker"]
        encoder = ["encoder"] if self.retrieves.is_hybrid else []
        if strategy is Strategy.ONE_CALL:
            return [*encoder, "caller", "reader", "checker"]
        reranker = ["reranker"] if select is Select.LIKENESS else []
        return [*encoder, "verdict", "reader", "writer", *reranker, "checker"]

    @cached_property
    def encoder(self) -> SentenceEncoder:
        encoder = load_encoder()
        self._keep("encoder", encoder.info)
        return encoder

    @cached_property
    def _llm(self) -> LanguageModel:
        """Return the language model that writes questions, with its adapter."""
        return self.chosen.settings.model()

    @property
    def _judge(self) -> LanguageModel:
        """Return the language model as verdict model, without its adapter, which was trained only for questions."""
        if self.chosen.settings.adapter is None:
            return self._llm
        return replace(self.chosen.settings, adapter=None).model()

    @cached_property
    def writer(self) -> QuestionWriter:
        has_examples = self.chosen.recipe.num_examples
        reference = read_claims(self.settings.reference_corpus or _examples()) if has_examples else None
        # sys.maxsize: as many sentences as retrieval leaves
        writer, left_out = question_writer(self.chosen, self._llm, reference, meteor_table, sys.maxsize)
        self._keep("writer", self._llm.info, [*self.chosen.notes, *left_out])
        return writer

    @cached_property
    def caller(self) -> OneCall:
        settings = self.settings
        reference = settings.reference_corpus or _examples()
        caller = caller_of(settings.writer, reference, self._calibration)
        shown = f"the model was shown {how_many(caller.num_examples, 'claim')} of {reference} as examples"
        self._keep("caller", caller.model.info, [shown] if caller.num_examples else [])
        return caller

    @cached_property
    def reranker(self) -> Reranker:
        reranker = load_reranker(self._reranker)
        self._keep("reranker", reranker.info, self._reranker_notes)
        return reranker

    @cached_property
    def verdict(self) -> VerdictModel:
        model = self._verdict_model()
        self._keep("verdict", model.info)
        return model

    def _verdict_model(self) -> VerdictModel:
        if self._verdict is None:
            return llm_verdict_model(self._judge)
        return load_verdict_model(self._verdict, Loading(reading=lambda: self._reading))

    @cached_property
    def _reading(self) -> Classifier:
        """Return the cached entailment classifier that verdict model and stance reader share."""
        return CachedClassifier(load_reading(readers_of(self._verdict)[READERS[0]]))

    @cached_property
    def reader(self) -> StanceReader:
        """Return the stance reader; the check of the justification uses its model, too."""
        reader = StanceReader(Entailment(self._reading))
        self._keep("reader", reader.info)
        return reader

    @cached_property
    def planner(self) -> Planner:
        model = planner()
        self._keep("planner", model.info)
        return model

    @cached_property
    def entailment(self) -> Entailment:
        model = load_entailment(ENTAILMENT)
        self._keep("entailment", model.info)
        return model

    @cached_property
    def checker(self) -> Checker:
        words_alone = f"{SHIPPED} is not there, so that the justification is checked by words alone"
        has_tagger = is_trained(SHIPPED)
        self._notes["checker"] = [] if has_tagger else [words_alone]
        return checker_when_needed(None if has_tagger else NO_TAGGER, Bearing(self.reader.model))

    def _keep(self, name: str, info: ModelInfo, notes: list[str] | None = None) -> None:
        self._names[name] = f"{info.name} ({info.engine})"
        self._notes[name] = notes or []


def _chosen(settings: WriterSettings) -> ChosenRecipe:
    """Return the recipe for the questions of a check: at most DRAWN are drawn, unless the settings have a number."""
    chosen = resolved(settings)
    if settings.samples is not None or chosen.recipe.samples <= DRAWN:
        return chosen
    return resolved(replace(settings, samples=DRAWN))


def _examples() -> Path:
    """Return AVeriTeC's training claims if they were downloaded, else the gold pairs of the invented sample."""
    return TRAIN if TRAIN.is_file() else SAMPLE
