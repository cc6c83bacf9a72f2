"""Contents of a claim's page: evidence beside gold evidence, justification with findings, changes by a debate.

Evidence and gold evidence are matched as in the published score (`src/evaluation/averitec.py`): `question answer` with
`question answer`, one to one, with the largest sum of METEOR. Only the first ten pairs of a prediction are matched.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
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
from src.retrieval.providers import FactCheck
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
    """A question-answer pair of the evidence or of the gold evidence.

    `number`: number of the pair, from 1; evidence and gold evidence are numbered separately.
    `partner`: for evidence, the number of the matched gold pair, and vice versa; None if unmatched.
    `meteor`: METEOR of the two matched pairs; None if unmatched.
    `stance`: stance of the pair toward the claim; None if it was not read.
    """

    number: int
    question: str
    answer: str
    url: str = ""
    partner: int | None = None
    meteor: float | None = None
    stance: Side | None = None


class Retrieved(msgspec.Struct, frozen=True):
    """A retrieved sentence.

    `rank`: rank of the sentence, from 1.
    `before`, `after`: text before and after the sentence on its page.
    `reason`: why the sentence was retrieved; None if unknown.
    `used`: numbers of the pairs whose answer is this sentence.
    """

    rank: int
    sentence: str
    url: str
    before: str = ""
    after: str = ""
    reason: Reason | None = None
    used: tuple[int, ...] = ()


class Part(msgspec.Struct, frozen=True):
    """A part of a sentence of the justification.

    `text`: words of the part.
    `findings`: numbers, from 1, of the findings that mark these words.
    """

    text: str
    findings: tuple[int, ...] = ()


class JustificationSentence(msgspec.Struct, frozen=True):
    """A sentence of a justification, with the numbers of the evidence that it cites."""

    parts: tuple[Part, ...]
    cites: tuple[int, ...] = ()


class Change(msgspec.Struct, frozen=True):
    """Words that a debate left unchanged, or words that it replaced.

    `kept`: unchanged words; empty for a replacement.
    `removed`: words of the draft that were removed.
    `added`: words of the final text at the same place.
    """

    kept: str = ""
    removed: str = ""
    added: str = ""


class DebateView(msgspec.Struct, frozen=True):
    """The debate on a justification, with the differences between its draft and its final text, in order."""

    debate: Debate
    changes: tuple[Change, ...]

    @property
    def ended(self) -> str:
        return ENDED[self.debate.stop]

    @property
    def is_changed(self) -> bool:
        return any(one.removed or one.added for one in self.changes)


def in_order(probabilities: Mapping[Verdict, float] | None) -> tuple[tuple[Verdict, float], ...]:
    """Return verdicts with their probabilities, in the order of the published class ids."""
    return tuple((one, probabilities[one]) for one in VERDICTS if one in probabilities) if probabilities else ()


class ClaimView(msgspec.Struct, frozen=True):
    """Contents of a claim's page.

    `claim`: the claim, with gold label and justification if known.
    `pairs`, `gold`: evidence and gold evidence.
    `score`: scores against the gold evidence; None without a label.
    `justification`: sentences with their citations and findings.
    `open_because`: why the claim is undecided, in a few words; "" if it is not.
    `reliance`: sentences on how reliable the verdict is.
    `decisive`: evidence that decides the verdict; `change` says in words what would change it.
    `are_programs_apart`: True if the verdict does not come from `programs`.
    `debate`: the debate on the justification.
    `pages`: log of each page.
    `fact_checks`: fact-checks by others.
    `checked`: by what a claim was checked, "" in a run.
    `checked_at`: time of the check.
    `models`: model of each task of a check.
    `dates`: publication date of pages, by URL, if known.
    `seconds`: seconds of each stage of a check.
    `without`: the verdict in words without each set of evidence, by the numbers of its pieces, such as "1,3".
    `archived`: where the Internet Archive may have a copy of a page, by URL.
    `summary`: the check as text to copy.
    `failures`: failures of the claim in the steps of a run.
    `notes`: notes on a check.
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
    open_because: str = ""
    reliance: tuple[str, ...] = ()
    decisive: Decisive | None = None
    change: str = ""
    retrieved: tuple[Retrieved, ...] = ()
    programs: DrawnClaim | None = None
    are_programs_apart: bool = False
    debate: DebateView | None = None
    pages: tuple[PageLog, ...] = ()
    fact_checks: tuple[FactCheck, ...] = ()
    checked: str = ""
    checked_at: datetime = datetime.min
    models: tuple[tuple[str, str], ...] = ()
    dates: Mapping[str, str] = {}
    seconds: tuple[tuple[str, float], ...] = ()
    without: Mapping[str, str] = {}
    archived: Mapping[str, str] = {}
    summary: str = ""
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool | None:
        """True if the verdict is the gold label; None if no gold label is known."""
        return None if self.claim.label is None else self.claim.label is self.verdict

    @property
    def is_undecided(self) -> bool:
        return self.level is Level.UNDECIDED

    @property
    def has_stances(self) -> bool:
        """True if the stance of at least one pair of evidence was read."""
        return any(pair.stance for pair in self.pairs)

    def side(self, *sides: str | None) -> tuple[Pair, ...]:
        """Return the pairs of evidence with one of these stances; None selects pairs whose stance was not read."""
        return tuple(pair for pair in self.pairs if pair.stance in sides)


def pairs_of(evidence: Sequence[QAPair], sides: Sequence[Side] = ()) -> tuple[Pair, ...]:
    """Return the evidence as numbered pairs; `sides` has the stances of the first of them."""
    return tuple(
        Pair(
            number,
            " ".join(one.question.split()),
            " ".join(one.answer.split()),
            one.url.strip(),
            stance=side,
        )
        for number, (one, side) in enumerate(zip_longest(evidence, sides[: len(evidence)]), start=1)
    )


def gold_pairs_of(claim: Claim) -> tuple[Pair, ...]:
    """Return the gold evidence: a pair for each answer, and one for a question without answers, as the score counts
    them.
    """
    pairs = [
        (" ".join(question.question.split()), gold_answer(answer), (answer.source_url or "").strip())
        for question in claim.questions
        for answer in question.answers or [Answer(NO_ANSWER)]
    ]
    return tuple(Pair(number, *one) for number, one in enumerate(pairs, start=1))


def matched(pairs: Sequence[Pair], gold: Sequence[Pair], known: Gold) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Return evidence and gold evidence, with `partner` and `meteor` set in matched pairs.

    `known` is the gold evidence as the score reads it, in the order of `gold`. Raises MissingExtra without NLTK 3.9.1
    and its data.
    """
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
    """Return the retrieved sentences in rank order, each with the numbers of the pairs whose answer it is."""
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
    """Return the sentences of the explanation, with the numbers of the evidence that they cite and with their
    findings.
    """
    cited = zip_longest(sentences(claim.explanation or ""), claim.cites, fillvalue=())
    return tuple(
        JustificationSentence(tuple(_parts(str(sentence), place, findings)), tuple(cites))
        for place, (sentence, cites) in enumerate(cited)
        if sentence
    )


def _parts(sentence: str, place: int, findings: Sequence[Finding]) -> Iterator[Part]:
    """Yield the parts of a sentence, cut where the words that findings mark begin and end.

    `place` is the index (from 0) of the sentence in the justification. A finding whose words are not in the sentence
    marks the whole sentence.
    """
    spans = {number: _span(sentence, one.span) for number, one in enumerate(findings, start=1) if one.sentence == place}
    edges = sorted({0, len(sentence), *(edge for span in spans.values() for edge in span)})
    for begin, end in pairwise(edges):
        inside = tuple(number for number, (first, last) in spans.items() if first <= begin and end <= last)
        yield Part(sentence[begin:end], inside)


def _span(sentence: str, words: str) -> tuple[int, int]:
    """Return begin and end of the words in the sentence; of the whole sentence if they are not in it."""
    begin = sentence.find(words) if words else -1
    return (begin, begin + len(words)) if begin >= 0 else (0, len(sentence))


def debated(claim: ExplainedClaim) -> DebateView | None:
    """Return the debate on the explanation, with its changes; None if there was no debate."""
    if claim.debate is None:
        return None
    return DebateView(claim.debate, tuple(_changes(claim.debate.draft, claim.explanation or "")))


def _changes(draft: str, final: str) -> Iterator[Change]:
    """Yield, in order, the words that draft and final text share and the words that were replaced."""
    old, new = draft.split(), final.split()
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Change(kept=" ".join(old[a:b]))
        else:
            yield Change(removed=" ".join(old[a:b]), added=" ".join(new[c:d]))
