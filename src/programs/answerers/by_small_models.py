"""Steps answered without a language model: one entailment model for facts and, by trying names, for questions.

A fact is held against its passages together, ten at a time, and with `alone` against each of several alone. With S the
highest probability that it follows and R that it is contradicted:

    true          S >= threshold and S - R >= margin
    false         R >= threshold and R - S >= margin, and not true
    conflicting   S and R >= threshold, by less than the margin apart, found in passages of different sites
    unknown       else

With margin -1 what speaks against a fact that is true by the threshold does not count. So only passages that are read
apart conflict. Each costs a pass.

A question is answered by the name, number or date of its passages that, put in the place of its question word, makes
the best entailed sentence; none is found below the threshold.

But: questions that no word of such a kind answers (how, why) have no answer.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from src.models.entailment import Entailed, Premise
from src.programs.answerers.candidates import candidates
from src.programs.answerers.evidence import EvidenceSource, Found
from src.programs.functions import Answered, Call, unanswered
from src.programs.records import Function, StepEvidence
from src.records import Value

THRESHOLD, MARGIN = 0.5, 0.1
GOLD_THRESHOLD, GOLD_MARGIN = 0.25, -1.0  # chosen by bench/entailment_thresholds.py
READ = 10  # passages that are read together, as the model takes them


class Scoring(Protocol):
    """An entailment model, as far as it is needed here."""

    def scores(self, asked: Sequence[Premise], /) -> list[Entailed]: ...


class Held(NamedTuple):
    """A fact against its passages: what is said most strongly for and against it, and where; `passes` of the model."""

    entail: float
    contradict: float
    passes: int
    by: StepEvidence | None = None  # the passage that entails it most, None where all of them together do
    against: StepEvidence | None = None


class SmallModelAnswers:
    """`alone`: whether passages are also held against a fact one by one. The model reads the first `read` of those that
    are found, all with None."""

    def __init__(
        self, entailment: Scoring, source: EvidenceSource, threshold: float = THRESHOLD, margin: float = MARGIN,
        read: int | None = None, *, alone: bool = False,
    ) -> None:  # fmt: skip
        self._entailment, self._source = entailment, source
        self._threshold, self._margin, self._read, self._alone = threshold, margin, read, alone

    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        """Steps without evidence are unknown. Raises StoreError, ModelError."""
        everything = [found or () for found in self._source.find(calls)]
        shown = [found[: self._read] for found in everything]
        asked = [self._hypotheses(call, found) if found else [] for call, found in zip(calls, shown, strict=True)]
        premises = [self._premises(found, text) for found, texts in zip(shown, asked, strict=True) for text in texts]
        scores = iter(self._entailment.scores([one for several in premises for _, one in several]))
        held = iter(_held(several, [next(scores) for _ in several]) for several in premises)
        return [
            self._answered(call, found, dict(zip(texts, [next(held) for _ in texts], strict=True)))
            for call, found, texts in zip(calls, everything, asked, strict=True)
        ]

    def _hypotheses(self, call: Call, found: Found) -> list[str]:
        """What is held against the passages: the fact, or the question with each candidate in it."""
        if call.function is Function.VERIFY:
            return [call.text]
        return list(candidates(call.text, found))

    def _premises(self, found: Found, text: str) -> list[tuple[Found, Premise]]:
        """The passages together, as many as the model takes, and where asked for each of several alone."""
        together = [found[at : at + READ] for at in range(0, len(found), READ)]
        alone: list[Found] = [(one,) for one in found] if self._alone and len(found) > 1 else []
        parts = [*together, *alone]
        return [(part, Premise([(one.title, one.sentence) for one in part], text)) for part in parts]

    def _answered(self, call: Call, found: Found, held: "dict[str, Held]") -> Answered:
        passes = sum(one.passes for one in held.values())
        if not held:
            return unanswered(call.function, found)
        if call.function is Function.VERIFY:
            return self._verified(held[call.text], found)
        best = max(held, key=lambda text: held[text].entail)
        if held[best].entail < self._threshold:
            return unanswered(call.function, found, model_calls=passes)
        answer = candidates(call.text, found[: self._read])[best]
        return Answered(answer, _first(found, held[best].by), held[best].entail, passes)

    def _verified(self, held: Held, found: Found) -> Answered:
        """With the passages first that decide, of a conflict both."""
        value = self._value(held)
        telling, confidence = {
            Value.TRUE: ([held.by], held.entail),
            Value.FALSE: ([held.against], held.contradict),
            Value.CONFLICTING: ([held.by, held.against], min(held.entail, held.contradict)),
            Value.UNKNOWN: ([held.by if held.entail >= held.contradict else held.against], 0.0),
        }[value]
        return Answered(value, _first(found, *telling), confidence, held.passes)

    def _value(self, held: Held) -> Value:
        for_it, against = held.entail >= self._threshold, held.contradict >= self._threshold
        lead = held.entail - held.contradict
        if for_it and lead >= self._margin:
            return Value.TRUE
        if against and -lead >= self._margin:
            return Value.FALSE
        return Value.CONFLICTING if for_it and against and _on_two_sites(held) else Value.UNKNOWN


def _held(premises: "Sequence[tuple[Found, Premise]]", scores: Sequence[Entailed]) -> Held:
    """The strongest for and against, over the passages together and each alone."""
    parts = [part for part, _ in premises]
    best = max(range(len(parts)), key=lambda place: scores[place].entail)
    worst = max(range(len(parts)), key=lambda place: scores[place].contradict)
    by, against = ((parts[place][0] if len(parts[place]) == 1 else None) for place in (best, worst))
    return Held(scores[best].entail, scores[worst].contradict, len(parts), by, against)


def _first(found: Found, *telling: StepEvidence | None) -> Found:
    """The passages with those that tell in front."""
    named = [one for one in telling if one is not None]
    return (*named, *(one for one in found if one not in named))


def _on_two_sites(held: Held) -> bool:
    if held.by is None or held.against is None:
        return False
    return _site(held.by.url) != _site(held.against.url)


def _site(url: str) -> str:
    """The host of a page's address; a title is its own site."""
    return urlsplit(url).netloc.removeprefix("www.") or url
