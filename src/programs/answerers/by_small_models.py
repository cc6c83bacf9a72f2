"""Answerer of steps without a language model: one entailment model for facts and, with candidate names, for questions.

A fact is compared with its passages together, ten at a time; with `alone` also with each of several passages alone. Let
S be the highest probability of entailment, and R the highest probability of contradiction:

    true          S >= threshold and S - R >= margin
    false         R >= threshold and R - S >= margin, and not true
    conflicting   S and R >= threshold, by less than the margin apart, from passages of different sites
    unknown       else

With margin -1, contradictions of a fact that is true by the threshold do not count. Only passages that are read alone
can conflict; each costs a pass of the model.

The candidates for a question are the names, numbers and dates of its passages, of the kind that its question word asks
for. Each turns the question into a sentence: "Which river runs through Lund?" and "Höje" make "Höje runs through Lund",
"Which film did Ann direct?" and "Snow" make "Ann did direct Snow". The answer is the candidate whose sentence has the
highest probability of entailment; there is no answer if that is below the threshold.

Limitations: spaCy's small English pipeline finds the candidates, and misses some. Questions for which there are no
candidates (how, why) have no answer. Verbs are not inflected: `did` and `does` stay.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import urlsplit

from src.models.entailment import Entailed, Premise
from src.programs.answerers.evidence import EvidenceSource, Passages
from src.programs.functions import Answered, Call, unanswered
from src.programs.records import Function, StepEvidence
from src.records import Value
from src.spacy_pipelines import FROM_PYPI, load
from src.text import same

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_DO = {"do", "does", "did"}
_BE = {"is", "are", "was", "were"}
_HAVE = {"has", "have", "had"}
_CHAINED = {"of", "that", "which", "who", "whom", "whose", "where"}
_ENDS = ("ADP", "ADV", "NUM", "SCONJ")


class Statement(NamedTuple):
    """A question turned into a statement: the words before and those after the gap for the answer."""

    before: str
    after: str


def statement_of(question: "Doc", last: int) -> Statement | None:
    """Return the question as a statement with a gap for the answer.

    The question words must come first; `last` is the index of the token after them. Return None if the question words
    are the subject; the word order is then already that of a statement.
    """
    if last + 1 >= len(question):
        return None
    carrier = question[last]
    split = _split(question, carrier)
    if split is None:
        return None
    subject, rest = split
    at = _place(rest)
    words = [*subject, carrier, *rest[:at]]
    return Statement(_text(words), _text(rest[at:]))


def _split(question: "Doc", carrier: "Token") -> tuple[list["Token"], list["Token"]] | None:
    """Return the words of the question's subject, and the words after the subject.

    `carrier` is the auxiliary that follows the question words. Return None if the subject cannot be found.
    """
    words = [word for word in question[carrier.i + 1 :] if word.text != "?"]
    kind = carrier.lower_
    if kind in _DO or carrier.tag_ == "MD" or kind in _HAVE:
        verbs = [at for at, word in enumerate(words) if word.tag_ in _forms(carrier) and not _is_inside(word, carrier)]
        at = verbs[0] if verbs else len(words) - 1 if kind in _DO else 0  # else the verb is last, but mistagged
        return (words[:at], words[at:]) if at > 0 else None
    if kind not in _BE:
        return None
    chunks = [chunk for chunk in question.noun_chunks if chunk.start == carrier.i + 1]
    if not chunks:
        return None
    length = chunks[0].end - chunks[0].start
    rest = words[length:]
    if not rest or rest[0].lower_ in _CHAINED:
        return None
    is_open = rest[0].tag_ in ("VBN", "VBG", "JJ") or rest[-1].tag_ in ("IN", "RP")
    return (words[:length], rest) if is_open else None


def _forms(carrier: "Token") -> tuple[str, ...]:
    return ("VBN", "VBD") if carrier.lower_ in _HAVE else ("VB", "VBP")


def _is_inside(word: "Token", carrier: "Token") -> bool:
    """Return True if the word is the verb of a clause inside the question's subject; `carrier` is the question's
    auxiliary.
    """
    return word.dep_ in ("relcl", "acl") and carrier.head != word


def _place(rest: list["Token"]) -> int:
    """Return the index in `rest` before which the answer is inserted; `rest` are the words after the subject.

    The answer follows a preposition without a noun, else the verb and its particle.
    """
    for at in range(len(rest) - 1, 0, -1):
        is_last = at + 1 == len(rest) or rest[at + 1].pos_ in _ENDS
        if (
            rest[at].tag_ in ("IN", "RP", "TO")
            and is_last
            and not any(child.dep_ == "pobj" for child in rest[at].children)
        ):
            return at + 1
    if len(rest) > 1 and rest[1].dep_ == "prt":
        return 2
    return 1


def _text(words: list["Token"]) -> str:
    return "".join(word.text_with_ws for word in words).strip()


MOST = 12  # candidates of a question
REMEMBERED = 1024  # cached questions with their passages: they are needed again after scoring
PERSONS = ("PERSON", "ORG", "NORP")
PLACES = ("GPE", "LOC", "FAC", "ORG")
DATES = ("DATE", "TIME")
NUMBERS = ("CARDINAL", "QUANTITY", "ORDINAL", "PERCENT", "MONEY")
ANY = (*PERSONS, *PLACES, "WORK_OF_ART", "EVENT", "PRODUCT", "LANGUAGE", "LAW", *DATES, *NUMBERS)
BY_WORD = {"who": PERSONS, "whom": PERSONS, "whose": PERSONS, "where": PLACES, "when": DATES}
WORKS = ("WORK_OF_ART", "ORG", "PRODUCT", "EVENT")
NAMES = tuple(kind for kind in ANY if kind not in (*DATES, *NUMBERS))
PERSON_NOUNS = (
    "actor", "actress", "artist", "astronaut", "athlete", "author", "comedian", "composer", "director", "individual",
    "journalist", "man", "musician", "novelist", "person", "player", "playwright", "poet", "politician", "producer",
    "rapper", "screenwriter", "singer", "songwriter", "woman", "writer",
)  # fmt: skip
WORK_NOUNS = (
    "album", "book", "film", "magazine", "movie", "musical", "novel", "opera", "play", "series", "show", "single",
    "sitcom", "song",
)  # fmt: skip
PLACE_NOUNS = (
    "city", "town", "country", "state", "county", "place", "region", "continent", "village", "suburb", "island",
)  # fmt: skip
BY_NOUN = (
    dict.fromkeys(("year", "date", "day", "month", "decade", "century"), DATES)
    | dict.fromkeys(("number", "percentage", "age", "amount", "rank"), NUMBERS)
    | dict.fromkeys(PLACE_NOUNS, PLACES)
    | dict.fromkeys(PERSON_NOUNS, ("PERSON",))
    | dict.fromkeys(WORK_NOUNS, WORKS)
)
COUNTED = {"many", "much", "old", "long", "far", "tall", "large", "high", "big"}


class OpenQuestion(NamedTuple):
    """A question without its question words, into which candidates are inserted.

    `before`, `after`: the words before and those after the gap for the answer.
    `kinds`: spaCy's labels of the names that can be the answer.
    """

    before: str
    after: str
    kinds: tuple[str, ...]

    def answered(self, name: str) -> str:
        return " ".join(filter(None, (self.before, name, self.after)))


@lru_cache(REMEMBERED)
def candidates(question: str, passages: tuple[StepEvidence, ...]) -> dict[str, str]:
    """Return the candidates for the answer, each under the sentence that it makes of the question.

    The dictionary is empty if no name can answer the question.
    """
    question_form = _open_question(_pipeline()(question))
    if question_form is None:
        return {}
    names = list(dict.fromkeys(_named(question, passages, question_form.kinds)))[:MOST]
    return {question_form.answered(name): name for name in names}


def _named(question: str, passages: Sequence[StepEvidence], kinds: Sequence[str]) -> Iterator[str]:
    """Yield the candidates in the passages: titles of pages first, then names of these `kinds` in the sentences.

    Titles come first, because pages are about what their titles name. If only dates or numbers are wanted, titles are
    left out. Names that occur in the question itself are left out.
    """
    in_question = f" {same(question)} "
    if not set(kinds) <= {*DATES, *NUMBERS}:
        titles = [one.title for one in passages if one.title]
        yield from (title for title in titles if f" {same(title)} " not in in_question)
    for document in _pipeline().pipe(one.sentence for one in passages):
        yield from (
            entity.text
            for entity in document.ents
            if entity.label_ in kinds and f" {same(entity.text)} " not in in_question
        )


def _pipeline() -> "Language":
    return load(FROM_PYPI, ["lemmatizer"])


def _open_question(question: "Doc") -> OpenQuestion | None:
    words = [token for token in question if token.lower_ in (*BY_WORD, "which", "what", "how")]
    if not words:
        return None
    first, last = _span(question, words[0])
    kinds = _kinds(question, words[0], last)
    before, after = question[:first].text.strip(), question[last:].text.strip().removesuffix("?").strip()
    if kinds is None:
        return None
    turned = statement_of(question, last) if first == 0 and words[0].lower_ not in ("when", "where", "how") else None
    if turned is not None:
        return OpenQuestion(turned.before, turned.after, kinds)
    adverb = words[0].lower_ in ("when", "where")  # "was Ann born" reads better before its date than after it
    return (
        OpenQuestion(" ".join(filter(None, (before, after))), "", kinds)
        if adverb
        else OpenQuestion(before, after, kinds)
    )


def _span(question: "Doc", word: "Token") -> tuple[int, int]:
    """Return the indexes of the first token and of the end of the question words: "which river", "how many", "who".

    In "which river's mouth", the question words are "which river".
    """
    if word.lower_ == "how":
        return word.i, min(word.i + 2, len(question))
    ends = [chunk.end for chunk in question.noun_chunks if chunk.start <= word.i < chunk.end]
    ends += [one.i for one in question[word.i :] if one.lower_ in ("do", "does", "did") and one.dep_ == "aux"]
    end = ends[0] if ends else word.i + 1
    owners = [one.i for one in question[word.i : end] if one.tag_ == "POS"]
    return word.i, owners[0] if owners else end


def _kinds(question: "Doc", word: "Token", last: int) -> tuple[str, ...] | None:
    if word.lower_ == "how":
        return (*NUMBERS, *DATES) if question[last - 1].lower_ in COUNTED else None
    others = NAMES if word.lower_ == "which" else ANY
    return BY_WORD.get(word.lower_) or BY_NOUN.get(question[last - 1].lower_, others)


THRESHOLD, MARGIN = 0.5, 0.1
GOLD_THRESHOLD, GOLD_MARGIN = 0.25, -1.0  # chosen by bench/entailment_thresholds.py
READ = 10  # passages that the model reads together


class Scoring(Protocol):
    """The interface of an entailment model, as far as this answerer needs it."""

    def scores(self, premises: Sequence[Premise], /) -> list[Entailed]: ...


class Comparison(NamedTuple):
    """The result of comparing a fact with its passages.

    `entail`, `contradict`: highest probabilities of entailment and contradiction, 0 to 1.
    `passes`: number of passes of the model.
    `by`: the passage that entails the fact most; None if several together do.
    `against`: the passage that contradicts the fact most; None if several together do.
    """

    entail: float
    contradict: float
    passes: int
    by: StepEvidence | None = None  # the passage that entails it most; None if several together do
    against: StepEvidence | None = None


class SmallModelAnswers:
    """Answerer of steps that uses an entailment model; the module says how `threshold` and `margin` are applied.

    `read`: number of passages of a step that the model reads; by default None: all that were found.
    `alone`: True to compare a fact also with each passage alone; by default it is compared with ten together.
    """

    def __init__(
        self, entailment: Scoring, source: EvidenceSource, threshold: float = THRESHOLD, margin: float = MARGIN,
        read: int | None = None, *, alone: bool = False,
    ) -> None:  # fmt: skip
        self._entailment, self._source = entailment, source
        self._threshold, self._margin, self._read, self._alone = threshold, margin, read, alone

    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        """Return an answer for each call, in order; steps without evidence are unknown.

        Raises StoreError when a claim's evidence cannot be read, and ModelError when the model fails.
        """
        everything = [passages or () for passages in self._source.find(calls)]
        shown = [passages[: self._read] for passages in everything]
        hypotheses = [
            self._hypotheses(call, passages) if passages else [] for call, passages in zip(calls, shown, strict=True)
        ]
        premises = [
            self._premises(passages, text) for passages, texts in zip(shown, hypotheses, strict=True) for text in texts
        ]
        scores = iter(self._entailment.scores([one for several in premises for _, one in several]))
        comparisons = iter(_compared(several, [next(scores) for _ in several]) for several in premises)
        return [
            self._answered(call, passages, dict(zip(texts, [next(comparisons) for _ in texts], strict=True)))
            for call, passages, texts in zip(calls, everything, hypotheses, strict=True)
        ]

    def _hypotheses(self, call: Call, passages: Passages) -> list[str]:
        """Return the sentences that the passages may entail: the fact, or the question with each candidate inserted."""
        if call.function is Function.VERIFY:
            return [call.text]
        return list(candidates(call.text, passages))

    def _premises(self, passages: Passages, text: str) -> list[tuple[Passages, Premise]]:
        """Return groups of passages that the model reads together, each with its premise for the hypothesis `text`.

        A group has at most `READ` passages. With `alone`, each of several passages is a further group.
        """
        together = [passages[at : at + READ] for at in range(0, len(passages), READ)]
        alone: list[Passages] = [(one,) for one in passages] if self._alone and len(passages) > 1 else []
        parts = [*together, *alone]
        return [(part, Premise([(one.title, one.sentence) for one in part], text)) for part in parts]

    def _answered(self, call: Call, passages: Passages, comparisons: dict[str, Comparison]) -> Answered:
        passes = sum(one.passes for one in comparisons.values())
        if not comparisons:
            return unanswered(call.function, passages)
        if call.function is Function.VERIFY:
            return self._verified(comparisons[call.text], passages)
        best = max(comparisons, key=lambda text: comparisons[text].entail)
        if comparisons[best].entail < self._threshold:
            return unanswered(call.function, passages, model_calls=passes)
        answer = candidates(call.text, passages[: self._read])[best]
        return Answered(answer, _first(passages, comparisons[best].by), comparisons[best].entail, passes)

    def _verified(self, comparison: Comparison, passages: Passages) -> Answered:
        """Return the answer to a Verify, with the decisive passages first.

        The passage that entails or contradicts the fact decides; for a conflict, both do.
        """
        value = self._value(comparison)
        telling, confidence = {
            Value.TRUE: ([comparison.by], comparison.entail),
            Value.FALSE: ([comparison.against], comparison.contradict),
            Value.CONFLICTING: ([comparison.by, comparison.against], min(comparison.entail, comparison.contradict)),
            Value.UNKNOWN: ([comparison.by if comparison.entail >= comparison.contradict else comparison.against], 0.0),
        }[value]
        return Answered(value, _first(passages, *telling), confidence, comparison.passes)

    def _value(self, comparison: Comparison) -> Value:
        for_it, against = comparison.entail >= self._threshold, comparison.contradict >= self._threshold
        lead = comparison.entail - comparison.contradict
        if for_it and lead >= self._margin:
            return Value.TRUE
        if against and -lead >= self._margin:
            return Value.FALSE
        return Value.CONFLICTING if for_it and against and _on_two_sites(comparison) else Value.UNKNOWN


def _compared(premises: Sequence[tuple[Passages, Premise]], scores: Sequence[Entailed]) -> Comparison:
    """Return the highest probability of entailment and of contradiction over all groups of passages."""
    parts = [part for part, _ in premises]
    best = max(range(len(parts)), key=lambda place: scores[place].entail)
    worst = max(range(len(parts)), key=lambda place: scores[place].contradict)
    by, against = ((parts[place][0] if len(parts[place]) == 1 else None) for place in (best, worst))
    return Comparison(scores[best].entail, scores[worst].contradict, len(parts), by, against)


def _first(passages: Passages, *telling: StepEvidence | None) -> Passages:
    """Return all passages, with the decisive ones (`telling`) in front; a decisive passage of None is left out."""
    named = [one for one in telling if one is not None]
    return (*named, *(one for one in passages if one not in named))


def _on_two_sites(comparison: Comparison) -> bool:
    if comparison.by is None or comparison.against is None:
        return False
    return _site(comparison.by.url) != _site(comparison.against.url)


def _site(url: str) -> str:
    """Return the host of an address; a title is returned unchanged."""
    return urlsplit(url).netloc.removeprefix("www.") or url
