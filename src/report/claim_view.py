"""Contents of a claim's page: evidence beside gold evidence, justification with findings, a debate's changes.

Evidence and gold evidence are matched as in the published score (`src/evaluation/averitec.py`): `question answer` with
`question answer`, one to one, with the largest sum of METEOR. The first ten pairs of a prediction count.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest

import msgspec
from msgspec.structs import replace

from src.check.records import Decisive
from src.claims import gold_answer
from src.evaluation.averitec import MAX_PAIRS, NO_ANSWER, ClaimScore, Gold
from src.evaluation.hungarian import partners
from src.evaluation.meteor import scores_against
from src.explanation.records import Debate, ExplainedClaim, Finding, Stop
from src.programs.drawing import DrawnClaim
from src.records import VERDICTS, Answer, ChosenSentence, Claim, Level, QAPair, Reason, Sentence, Side, Verdict
from src.retrieval.scraping.page_log import PageLog
from src.runner.output import Failure
from src.text import folded, sentences

ENDED = {
    Stop.AGREED: "the two agreed",
    Stop.EMPTY: "no error was named",
    Stop.STALLED: "nothing new was said",
    Stop.CAP: "the limit of rounds was reached",
    Stop.BUDGET: "the limit of calls was reached",
    Stop.AGENT_FAILED: "an agent did not answer",
}


class Pair(msgspec.Struct, frozen=True):
    """A question-answer pair of the evidence, or of the gold evidence; both are numbered from 1.

    `partner` is the number of the pair of the other side matched by the Hungarian method, `meteor` their similarity;
    None for an unmatched pair. `stance` is the pair's stance to the claim, None where it was not read.
    """

    number: int
    question: str
    answer: str
    url: str = ""
    partner: int | None = None
    meteor: float | None = None
    stance: Side | None = None


class Retrieved(msgspec.Struct, frozen=True):
    """A retrieved sentence; `rank` counts from 1, `used` are the numbers of the pairs whose answer it is."""

    rank: int
    sentence: str
    url: str
    before: str = ""
    after: str = ""
    reason: Reason | None = None
    used: tuple[int, ...] = ()


class Part(msgspec.Struct, frozen=True):
    """A part of a sentence and the numbers, from 1, of the findings that mark it."""

    text: str
    findings: tuple[int, ...] = ()


class JustificationSentence(msgspec.Struct, frozen=True):
    """A sentence of a justification with the numbers of the evidence that it cites."""

    parts: tuple[Part, ...]
    cites: tuple[int, ...] = ()


class Change(msgspec.Struct, frozen=True):
    """Words that a debate kept, or removed and added."""

    kept: str = ""
    removed: str = ""
    added: str = ""


class DebateView(msgspec.Struct, frozen=True):
    debate: Debate
    changes: tuple[Change, ...]

    @property
    def ended(self) -> str:
        return ENDED[self.debate.stop]

    @property
    def is_changed(self) -> bool:
        return any(one.removed or one.added for one in self.changes)


def in_order(probabilities: Mapping[Verdict, float] | None) -> tuple[tuple[Verdict, float], ...]:
    """Return the probabilities in the order of the published class ids."""
    return tuple((one, probabilities[one]) for one in VERDICTS if one in probabilities) if probabilities else ()


class ClaimView(msgspec.Struct, frozen=True):
    """Contents of a claim's page.

    `claim` holds the gold label and justification where they are known. `failures` are those of the claim in the run's
    steps. `reliance` are sentences on how far the verdict may be relied on, `change` is what would change it.
    `are_programs_apart`: the verdict does not come from the programs. `checked` gives the time and the strategy of a
    check, `models` the model for each task, `dates` (by URL) the publication dates of pages where known. `seconds` are
    those of a check's stages.
    """

    claim: Claim
    verdict: Verdict
    probabilities: tuple[tuple[Verdict, float], ...] = ()
    pairs: tuple[Pair, ...] = ()
    gold: tuple[Pair, ...] = ()
    score: ClaimScore | None = None
    justification: tuple[JustificationSentence, ...] = ()
    findings: tuple[Finding, ...] = ()
    level: Level | None = None
    reliance: tuple[str, ...] = ()
    decisive: Decisive | None = None
    change: str = ""
    retrieved: tuple[Retrieved, ...] = ()
    programs: DrawnClaim | None = None
    are_programs_apart: bool = False
    debate: DebateView | None = None
    pages: tuple[PageLog, ...] = ()
    checked: str = ""
    models: tuple[tuple[str, str], ...] = ()
    dates: Mapping[str, str] = {}
    seconds: tuple[tuple[str, float], ...] = ()
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool | None:
        """True if the verdict is the gold label, None where no label is known."""
        return None if self.claim.label is None else self.claim.label is self.verdict

    @property
    def is_undecided(self) -> bool:
        return self.level is Level.UNDECIDED

    @property
    def has_stances(self) -> bool:
        """True if the stance of some pair was read."""
        return any(pair.stance for pair in self.pairs)

    def side(self, *sides: str | None) -> tuple[Pair, ...]:
        """Return the pairs with one of these stances; None means a stance that was not read."""
        return tuple(pair for pair in self.pairs if pair.stance in sides)


def pairs_of(evidence: Sequence[QAPair], sides: Sequence[Side] = ()) -> tuple[Pair, ...]:
    """Return the pairs, each with its stance where stances were read."""
    return tuple(
        Pair(
            number,
            " ".join(one.question.split()),
            " ".join(one.answer.split()),
            one.url.strip(),
            stance=side,
        )
        for number, (one, side) in enumerate(zip_longest(evidence, sides), start=1)
    )


def gold_pairs_of(claim: Claim) -> tuple[Pair, ...]:
    """Return a pair for each answer, and one for a question without answers: the score has as many references."""
    pairs = [
        (" ".join(question.question.split()), gold_answer(answer), (answer.source_url or "").strip())
        for question in claim.questions
        for answer in question.answers or [Answer(NO_ANSWER)]
    ]
    return tuple(Pair(number, *one) for number, one in enumerate(pairs, start=1))


def matched(pairs: Sequence[Pair], gold: Sequence[Pair], known: Gold) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Return predicted and gold pairs with their partners. Raises MissingExtra without NLTK 3.9.1 and its data."""
    if not known.answers:
        return tuple(pairs), tuple(gold)
    scores = scores_against(known.answers, [f"{one.question} {one.answer}" for one in pairs[:MAX_PAIRS]])
    partner_of = {row: column for row, column in partners(scores).items() if scores[row, column] > 0}
    predicted, references = list(pairs), list(gold)
    for row, column in partner_of.items():
        meteor = float(scores[row, column])
        predicted[row] = replace(pairs[row], partner=gold[column].number, meteor=meteor)
        references[column] = replace(gold[column], partner=pairs[row].number, meteor=meteor)
    return tuple(predicted), tuple(references)


def retrieved(sentences: Sequence[Sentence], pairs: Sequence[Pair]) -> tuple[Retrieved, ...]:
    """Return the sentences in rank order, each with the numbers of the pairs whose answer it is."""
    answers: dict[str, list[int]] = {}
    for pair in pairs:
        answers.setdefault(folded(pair.answer), []).append(pair.number)
    return tuple(
        _retrieved(rank, one, tuple(answers.get(folded(one.sentence), ())))
        for rank, one in enumerate(sentences, start=1)
    )


def _retrieved(rank: int, one: Sentence, used: tuple[int, ...]) -> Retrieved:
    if not isinstance(one, ChosenSentence):
        return Retrieved(rank, one.sentence, one.url, used=used)
    return Retrieved(rank, one.sentence, one.url, one.before, one.after, one.reason, used)


def justification_of(claim: ExplainedClaim, findings: Sequence[Finding]) -> tuple[JustificationSentence, ...]:
    """Return each sentence of the explanation with the numbers of the evidence it cites, and its findings marked."""
    cited = zip_longest(sentences(claim.explanation or ""), claim.cites, fillvalue=())
    return tuple(
        JustificationSentence(tuple(_parts(str(sentence), place, findings)), tuple(cites))
        for place, (sentence, cites) in enumerate(cited)
        if sentence
    )


def _parts(sentence: str, place: int, findings: Sequence[Finding]) -> Iterator[Part]:
    """Yield the parts of the sentence, cut where findings begin and end.

    A finding whose words are not in the sentence marks all of it.
    """
    spans = {number: _span(sentence, one.span) for number, one in enumerate(findings, start=1) if one.sentence == place}
    edges = sorted({0, len(sentence), *(edge for span in spans.values() for edge in span)})
    for begin, end in pairwise(edges):
        inside = tuple(number for number, (first, last) in spans.items() if first <= begin and end <= last)
        yield Part(sentence[begin:end], inside)


def _span(sentence: str, words: str) -> tuple[int, int]:
    begin = sentence.find(words) if words else -1
    return (begin, begin + len(words)) if begin >= 0 else (0, len(sentence))


def debated(claim: ExplainedClaim) -> DebateView | None:
    """Return the debate and its changes, None where there was no debate."""
    if claim.debate is None:
        return None
    return DebateView(claim.debate, tuple(_changes(claim.debate.draft, claim.explanation or "")))


def _changes(draft: str, final: str) -> Iterator[Change]:
    """Yield the differences between draft and final text, word by word."""
    old, new = draft.split(), final.split()
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Change(kept=" ".join(old[a:b]))
        else:
            yield Change(removed=" ".join(old[a:b]), added=" ".join(new[c:d]))
