"""Answerer without a language model: one entailment model for facts and, with candidate names, for questions.

A fact is compared with its passages together, ten at a time; with `alone` also with each of several passages alone. Let
S be the highest probability of entailment, and R the highest probability of contradiction:

    true          S >= threshold and S - R >= margin
    false         R >= threshold and R - S >= margin, and not true
    conflicting   S and R >= threshold, by less than the margin apart, found in passages of different sites
    unknown       else

With margin -1, contradictions of a fact that is true by the threshold do not count. Only passages that are read alone
can conflict; each costs a pass.

The candidates for a question are the names, numbers and dates of its passages. The answer is the candidate that makes
the best entailed sentence in the place of the question word. Below the threshold there is no answer.

Limitations: questions that no such candidate answers (how, why) have no answer.
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
READ = 10  # passages that the model reads together


class Scoring(Protocol):
    """The interface of an entailment model that this answerer needs."""

    def scores(self, asked: Sequence[Premise], /) -> list[Entailed]: ...


class Held(NamedTuple):
    """A fact compared with its passages: the highest probabilities for and against it, and the passages that give them.

    `passes` counts passes of the model.
    """

    entail: float
    contradict: float
    passes: int
    by: StepEvidence | None = None  # the passage that entails it most; None if several together do
    against: StepEvidence | None = None


class SmallModelAnswers:
    """Answers steps with an entailment model.

    With `alone`, each passage is also compared with the fact alone. The model reads the first `read` of the passages
    found; None means all.
    """

    def __init__(
        self, entailment: Scoring, source: EvidenceSource, threshold: float = THRESHOLD, margin: float = MARGIN,
        read: int | None = None, *, alone: bool = False,
    ) -> None:  # fmt: skip
        self._entailment, self._source = entailment, source
        self._threshold, self._margin, self._read, self._alone = threshold, margin, read, alone

    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        """Return an answer for each call; steps without evidence are unknown.

        Raises StoreError when a claim's evidence cannot be read, and ModelError when the model fails.
        """
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
        """Return the hypotheses: the fact, or the question with each candidate inserted."""
        if call.function is Function.VERIFY:
            return [call.text]
        return list(candidates(call.text, found))

    def _premises(self, found: Found, text: str) -> list[tuple[Found, Premise]]:
        """Return the passages in groups that the model can read; with `alone`, also each of several alone."""
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
        """Return the verdict with the decisive passages first; for a conflict, both of them."""
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
    """Return the highest probabilities for and against, over the passages together and each alone."""
    parts = [part for part, _ in premises]
    best = max(range(len(parts)), key=lambda place: scores[place].entail)
    worst = max(range(len(parts)), key=lambda place: scores[place].contradict)
    by, against = ((parts[place][0] if len(parts[place]) == 1 else None) for place in (best, worst))
    return Held(scores[best].entail, scores[worst].contradict, len(parts), by, against)


def _first(found: Found, *telling: StepEvidence | None) -> Found:
    """Return the passages with the decisive ones in front."""
    named = [one for one in telling if one is not None]
    return (*named, *(one for one in found if one not in named))


def _on_two_sites(held: Held) -> bool:
    if held.by is None or held.against is None:
        return False
    return _site(held.by.url) != _site(held.against.url)


def _site(url: str) -> str:
    """Return the host of an address; a title is returned as it is."""
    return urlsplit(url).netloc.removeprefix("www.") or url
