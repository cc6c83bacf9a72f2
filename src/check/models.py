"""Models of a check: each is loaded on first use and kept for the next check."""

import sys
from argparse import ArgumentParser, Namespace
from functools import cached_property
from pathlib import Path
from threading import Lock

from msgspec.structs import replace

from src.check.records import Road
from src.evaluation.meteor import meteor_table
from src.explanation.checks.bearing import Bearing
from src.explanation.checks.checker import Checker
from src.explanation.checks.flag import NO_TAGGER, SHIPPED, chosen_checker
from src.llm import get_llm
from src.llm.flags import options_from
from src.llm.protocol import LanguageModel, ModelInfo
from src.models.classifier import CachedClassifier, Classifier
from src.models.encoder import SentenceEncoder, load_encoder
from src.models.entailment import Entailment, load_entailment, load_reading
from src.models.reranker import Reranker, chosen_reranker, keeps_duplicates, load_reranker
from src.models.trained import is_trained
from src.models.veracity import VerdictModel
from src.prediction.verdicts import STACKED, Loading, llm_verdict_model, load_verdict_model, named_verdict_model
from src.programs.decomposition.planner import Planner, planner
from src.records import CandidateQuestions, Evidence
from src.reranking.claim_ranking import Retriever
from src.reranking.hybrid.retriever import Refused
from src.reranking.questions.flags import add_writer_flags, recipe_from, writer_from
from src.reranking.questions.writer import QuestionWriter
from src.reranking.ranked_evidence import rerank
from src.reranking.retriever_settings import RetrieverSettings
from src.reranking.retrievers import HYBRID, RETRIEVERS
from src.reranking.select import Select
from src.runner.named import named
from src.stance.reader import StanceReader
from src.stance.stacker import READERS, readers_of
from src.store import read_claims

TRAIN, SAMPLE = Path("data/train.json"), Path("data_store/sample/reference.json")
ENTAILMENT = Path("pretrained_models/adapters/entailment")  # answers the steps of programs, as measured on HOVER


class Models:
    """Models of a check, loaded on first use.

    `asking` are the question writer's flags (`add_writer_flags`), None for their defaults. `reference` is the file of
    its examples, if its recipe shows some (None: AVeriTeC's train, else the sample's). `verdict` is one of
    `VERDICT_MODELS`, a path, or `llm` (the model of `asking`). `retriever` is one of `RETRIEVERS`. `reranker` is one of
    `RERANKERS` or a path (None: the first that is installed).

    Only one thread at a time may use a model. Raises InputError for an unknown name. Loading a model that is not there
    raises InputError or MissingExtra.
    """

    def __init__(
        self,
        asking: Namespace | None = None,
        reference: Path | None = None,
        verdict: str | Path = STACKED.name,
        *,
        retriever: str = HYBRID,
        reranker: str | Path | None = None,
    ) -> None:
        self._asking, self._reference = asking or _defaults(), reference
        self._verdict = named_verdict_model(verdict)
        self.retrieves = named(RETRIEVERS, retriever, "retriever")
        self._reranker, self._reranker_notes = chosen_reranker(reranker)
        self.recipe, self._recipe_notes = recipe_from(self._asking)
        self._lock = Lock()
        self._notes: dict[str, list[str]] = {}
        self._names: dict[str, str] = {}

    def load(self, road: Road, select: Select = Select.STANCE) -> None:
        """Load the models of a strategy in order of use, unless they are loaded already."""
        with self._lock:
            for name in self._parts(road, select):
                getattr(self, name)

    def names(self, road: Road, select: Select = Select.STANCE) -> dict[str, str]:
        """Return name and engine of each loaded model of a strategy."""
        return {name: self._names[name] for name in self._parts(road, select) if name in self._names}

    def notes(self, road: Road, select: Select = Select.STANCE) -> list[str]:
        """Return notes on models of a strategy that differ from the intended ones."""
        return [note for name in self._parts(road, select) for note in self._notes.get(name, [])]

    def retriever(self, refused: Refused) -> Retriever:
        """Return the retriever of passages (of sentences if it has no passages), which leaves out refused pages."""
        encoder = self.encoder if self.retrieves.is_hybrid else None
        return self.retrieves.make(RetrieverSettings(encoder=encoder, refused=refused, passages=True))

    def rerank(self, top_n: int, candidates: CandidateQuestions) -> Evidence:
        """Return the best pairs of a claim. Raises ModelError when the reranker fails."""
        (best,) = rerank(self.reranker, top_n, keeps_duplicates(self._reranker), [candidates])
        return best.record

    def _parts(self, road: Road, select: Select) -> list[str]:
        """Return the names of the models that a strategy uses, in order."""
        if road is Road.PROGRAMS:
            return ["planner", "entailment", "reader", "checker"]
        encoder = ["encoder"] if self.retrieves.is_hybrid else []
        reranker = ["reranker"] if select is Select.LIKENESS else []
        return [*encoder, "verdict", "reader", "writer", *reranker, "checker"]

    @cached_property
    def encoder(self) -> SentenceEncoder:
        found = load_encoder()
        self._keep("encoder", found.info)
        return found

    @cached_property
    def _llm(self) -> LanguageModel:
        """Return the language model that writes questions, with its adapter."""
        return get_llm(self._asking.llm, options_from(self._asking))

    @property
    def _judge(self) -> LanguageModel:
        """Return the language model without the adapter, which was trained for questions only."""
        if self._asking.adapter is None:
            return self._llm
        return get_llm(self._asking.llm, replace(options_from(self._asking), adapter=None))

    @cached_property
    def writer(self) -> QuestionWriter:
        model = self._llm
        reference = read_claims(self._reference or _examples()) if self.recipe.num_examples else None
        # sys.maxsize: as many sentences as retrieval leaves
        found, left_out = writer_from(self._asking, model, self.recipe, reference, meteor_table, sys.maxsize)
        self._keep("writer", model.info, [*self._recipe_notes, *left_out])
        return found

    @cached_property
    def reranker(self) -> Reranker:
        found = load_reranker(self._reranker)
        self._keep("reranker", found.info, self._reranker_notes)
        return found

    @cached_property
    def verdict(self) -> VerdictModel:
        found = self._verdict_model()
        self._keep("verdict", found.info)
        return found

    def _verdict_model(self) -> VerdictModel:
        if self._verdict is None:
            return llm_verdict_model(self._judge)
        return load_verdict_model(self._verdict, Loading(reading=lambda: self._reading))

    @cached_property
    def _reading(self) -> Classifier:
        """Return the cached classifier that verdict and stances share."""
        return CachedClassifier(load_reading(readers_of(self._verdict)[READERS[0]]))

    @cached_property
    def reader(self) -> StanceReader:
        """Return the stance reader, which the check of the justification uses too."""
        found = StanceReader(Entailment(self._reading))
        self._keep("reader", found.info)
        return found

    @cached_property
    def planner(self) -> Planner:
        found = planner()
        self._keep("planner", found.info)
        return found

    @cached_property
    def entailment(self) -> Entailment:
        found = load_entailment(ENTAILMENT)
        self._keep("entailment", found.info)
        return found

    @cached_property
    def checker(self) -> Checker:
        words_alone = f"{SHIPPED} is not there, so that the justification is checked by words alone"
        has_tagger = is_trained(SHIPPED)
        self._notes["checker"] = [] if has_tagger else [words_alone]
        return chosen_checker(None if has_tagger else NO_TAGGER, Bearing(self.reader.model))

    def _keep(self, name: str, info: ModelInfo, notes: list[str] | None = None) -> None:
        self._names[name] = f"{info.name} ({info.engine})"
        self._notes[name] = notes or []


def _examples() -> Path:
    """Return AVeriTeC's training claims if they were downloaded, else the gold pairs of the invented sample."""
    return TRAIN if TRAIN.is_file() else SAMPLE


def _defaults() -> Namespace:
    flags = ArgumentParser()
    add_writer_flags(flags)
    return flags.parse_args([])
