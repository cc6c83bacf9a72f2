"""The models of a check, each loaded when it is first asked, and kept for the next check."""

import sys
from argparse import ArgumentParser, Namespace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from src.check.records import Road
from src.evaluation.meteor import meteor_table
from src.explanation.checks.bearing import Bearing
from src.explanation.checks.checker import Checker
from src.explanation.checks.flag import NO_TAGGER, NOT_READ, SHIPPED, chosen_checker
from src.llm import get_llm
from src.llm.flags import options_from
from src.llm.protocol import ModelInfo
from src.models.chosen_reranker import chosen_reranker
from src.models.encoder import load_encoder
from src.models.llm_veracity import LabelScorer
from src.models.reranker import Reranker, load_reranker
from src.models.sentence_encoder import SentenceEncoder
from src.models.trained import is_trained
from src.models.veracity import VerdictModel
from src.prediction.verdicts import DEFAULT_LLM, LLM, STACKED, VERDICT_MODELS, load_verdict_model
from src.programs.planning.planner import Planner, planner
from src.reranking.questions.flags import add_writer_flags, recipe_from, writer_from
from src.reranking.questions.writer import QuestionWriter
from src.stance.reader import READER, StanceReader
from src.stance.stacker import is_stacker
from src.store import read_claims

if TYPE_CHECKING:
    from src.models.entailment import Entailment


ENTAILMENT = Path("pretrained_models/adapters/entailment")  # answers the steps of programs, as measured on HOVER


class Models:
    """`asking` are the question writer's flags (`add_writer_flags`), None for their defaults; `reference` holds its
    examples, where its recipe shows some. `verdict` names the verdict model (`VERDICT_MODELS`, or `llm`: that of
    `asking`).

    One thread at a time may ask a model. Raises InputError, MissingExtra when one is loaded that is not there.
    """

    def __init__(
        self, asking: Namespace | None = None, reference: Path = Path("data/train.json"), verdict: str = STACKED.name
    ) -> None:
        self._asking, self._reference, self._verdict = asking or _defaults(), reference, verdict
        self.recipe, self._recipe_notes = recipe_from(self._asking)
        self._lock = Lock()
        self._notes: dict[str, list[str]] = {}
        self._names: dict[str, str] = {}

    def load(self, road: Road) -> None:
        """Loads those of a road in the order in which they are asked, where they are not there yet."""
        with self._lock:
            for name in _OF_ROAD[road]:
                getattr(self, name)

    def names(self, road: Road) -> dict[str, str]:
        """What each loaded model of a road is."""
        return {name: self._names[name] for name in _OF_ROAD[road] if name in self._names}

    def notes(self, road: Road) -> list[str]:
        """Where the models of a road are not those that they should be."""
        return [note for name in _OF_ROAD[road] for note in self._notes.get(name, [])]

    @cached_property
    def encoder(self) -> SentenceEncoder:
        found = load_encoder()
        self._keep("encoder", found.info)
        return found

    @cached_property
    def writer(self) -> QuestionWriter:
        model = get_llm(self._asking.llm, options_from(self._asking))
        reference = read_claims(self._reference) if self.recipe.num_examples else None
        # As many sentences as retrieval leaves
        found, left_out = writer_from(self._asking, model, self.recipe, reference, meteor_table, sys.maxsize)
        self._keep("writer", model.info, [*self._recipe_notes, *left_out])
        return found

    @cached_property
    def reranker(self) -> Reranker:
        folder, notes = chosen_reranker(None)
        found = load_reranker(folder)
        self._keep("reranker", found.info, notes)
        return found

    @cached_property
    def verdict(self) -> VerdictModel:
        found = self._verdict_model()
        self._keep("verdict", found.info)
        return found

    def _verdict_model(self) -> VerdictModel:
        if self._verdict == LLM:
            return LabelScorer(get_llm(self._asking.llm or DEFAULT_LLM, options_from(self._asking)))
        source = VERDICT_MODELS[self._verdict]
        return load_verdict_model(source, reader=self.reader if is_stacker(source) else None)

    @cached_property
    def reader(self) -> StanceReader:
        """The entailment model of the stacked verdict, of the justification and of its checks: it is loaded once."""
        from src.models.entailment import load_entailment

        return StanceReader(load_entailment(READER))

    @cached_property
    def planner(self) -> Planner:
        found = planner()
        self._keep("planner", found.info)
        return found

    @cached_property
    def entailment(self) -> "Entailment":
        from src.models.entailment import load_entailment

        found = load_entailment(ENTAILMENT)
        self._keep("entailment", found.info)
        return found

    @cached_property
    def checker(self) -> Checker:
        words_alone = f"{SHIPPED} is not there, so that the justification is checked by words alone"
        has_tagger, has_reader = is_trained(SHIPPED), is_trained(READER)
        self._notes["checker"] = [*([] if has_tagger else [words_alone]), *([] if has_reader else [NOT_READ])]
        bearing = Bearing(self.reader.model) if has_reader else None
        return chosen_checker(None if has_tagger else NO_TAGGER, bearing)

    def _keep(self, name: str, info: ModelInfo, notes: list[str] | None = None) -> None:
        self._names[name] = f"{info.name} ({info.engine})"
        self._notes[name] = notes or []


_OF_ROAD = {
    Road.QUESTIONS: ("encoder", "verdict", "reader", "writer", "checker"),
    Road.PROGRAMS: ("planner", "entailment", "checker"),
}


def _defaults() -> Namespace:
    flags = ArgumentParser()
    add_writer_flags(flags)
    return flags.parse_args([])
