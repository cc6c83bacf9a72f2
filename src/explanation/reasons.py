"""Justification from sentences of the evidence that entail or contradict the claim, or in the verdict model's words.

A quotation is a sentence of a piece of evidence, or a run of up to `LONGEST_RUN` adjacent ones. An entailment model
(`src/stance`) reads it as it is quoted. A quotation proves the verdict if it entails (Supported) or contradicts
(Refuted) the claim with a probability of at least `sure`. The text then ends in "so the claim is …". If a quotation
from the other side is weaker, it comes first; if it is stronger, no conclusion is drawn. Conflicting quotes both sides.

If no quotation proves the verdict, the text quotes both sides. It says that they do not settle the claim, and that the
verdict rests on the evidence as a whole. For an undecided claim it quotes both sides and names no verdict. A sentence
that only repeats the claim is quoted only together with its correction.

`by_reasoning` keeps the text that the verdict model wrote before its verdict, if there is one.

Limitations: a proof that needs sentences of two pieces is not found.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from src.explanation.labels import conclusion
from src.explanation.pieces import is_answered, pieces
from src.explanation.records import ExplainedClaim, Explanation
from src.explanation.text import AS_READ, ended, explained, read_draft, without_end
from src.records import Level, QAPair, Side, Verdict
from src.stance.reader import StanceReader
from src.stance.records import ON_A_SIDE, SIDE_OF, Passage, Stance
from src.stance.restatement import repetitions
from src.stance.stacker import passage_of
from src.text import sentences

MOST_SENTENCES = 8  # of a piece
SHORTEST = 4  # fewest words of a sentence that is quoted alone
LONGEST_RUN = 3  # most adjacent sentences that are quoted together
LONGEST = 60  # most words of a quotation; a longer sentence is cut before it is read
CUT = " …"
CELL = " | "  # between the cells of a table in a page's text


class Run(NamedTuple):
    """Adjacent sentences of a piece of evidence, which may be quoted.

    `passage`: the sentences, as the entailment model reads them.
    `text`: the sentences, as they are quoted: of a bare answer of `SHORTEST` words and more without its question.
    `length`: number of sentences.
    `has_repetition`: True if one of the sentences only repeats the claim.
    """

    passage: Passage
    text: str
    length: int
    has_repetition: bool

    def is_reason(self, stance: Stance) -> bool:
        """Return True if the run may be quoted as a reason.

        False if it only repeats the claim, or if it supports the claim and has a sentence that repeats it.
        """
        is_correction = stance.contradict > stance.entail
        return stance.side is not Side.REPEATS and (is_correction or not self.has_repetition)


def runs_of(claim: ExplainedClaim, pair: QAPair) -> list[Run]:
    """Return the sentences of an answer and its runs of adjacent sentences, as possible quotations. A bare answer, such
    as yes, is one run together with its question.
    """
    whole = passage_of(pair, claim.speaker)
    if whole.text != pair.answer:
        run = _run(whole, [whole.text], has_repetition=False)
        return [run if len(pair.answer.split()) < SHORTEST else run._replace(text=pair.answer)]
    each = sentences(whole.text)[:MOST_SENTENCES]
    repeated = repetitions(claim.claim, each, whole.url, whole.speaker)
    places = [(first, 1) for first, one in enumerate(each) if len(one.split()) >= SHORTEST] or [(0, len(each))]
    places += [
        (first, length)
        for length in range(2, min(LONGEST_RUN, len(each)) + 1)
        for first in range(len(each) - length + 1)
        if sum(len(one.split()) for one in each[first : first + length]) <= LONGEST
    ]
    return [
        _run(whole, each[first : first + length], has_repetition=any(repeated[first : first + length]))
        for first, length in places
    ]


def _run(whole: Passage, adjacent: Sequence[str], *, has_repetition: bool) -> Run:
    words = " ".join(adjacent).split()
    text = " ".join(words) if len(words) <= LONGEST else f"{' '.join(words[:LONGEST])}{CUT}"
    return Run(whole._replace(text=text), text, len(adjacent), has_repetition)


SURE = 0.9  # chosen on held-out claims (`bench/reason_thresholds.py`)
LEAST = 0.3  # minimum force of a piece whose sentences are read
_SPEAKS = {
    Side.FOR: f"{AS_READ}, this speaks for the claim",
    Side.AGAINST: f"{AS_READ}, this speaks against the claim",
}
_UNSETTLED = f"{AS_READ}, this does not settle the claim"
_NEITHER = f"{_UNSETTLED}: it speaks neither for it nor against it"
_ON_ALL = "the verdict rests on the evidence as a whole"
_OPEN = ", which leaves the claim open"
_IN_WORDS = {Side.AGAINST: ("For the claim", "Against it"), Side.FOR: ("Against the claim", "For it")}


class Reason(NamedTuple):
    """A quotation from a piece of evidence, as a reason for or against the claim.

    `number`: number (from 1) of the piece.
    `text`: the quotation.
    `side`: for or against the claim.
    `force`: probability that the quotation is on this side.
    `is_shown`: True if the whole piece is also on this side; readers are shown the side of the whole piece.
    """

    number: int
    text: str
    side: Side
    force: float
    is_shown: bool


def reasoned(claim: ExplainedClaim, reader: StanceReader, sure: float = SURE) -> Explanation:
    """Return the justification of a claim's verdict, made of quotations from its evidence.

    Raises InputError if the label is unknown, ModelError if the reader fails.
    """
    reasons = _reasons(claim, reader, sure)
    ending, label = conclusion(claim.label), Verdict(claim.label)
    is_decided = claim.level is not Level.UNDECIDED
    if not reasons:
        return _without_quotation(label if is_decided else None, ending)
    if not is_decided:
        return _undecided(reasons)
    strong = _sides(one for one in reasons if one.force >= sure)
    if label is Verdict.CONFLICTING:
        return _both_sides(strong, ending) if all(strong.values()) else _together(reasons)
    if (side := SIDE_OF.get(label)) is None:
        return _justification(reasons[:1], ending) if not any(strong.values()) else _together(reasons)
    if not strong[side]:
        return _together(reasons, side)
    if reasons[0].force > strong[side][0].force:
        return _both_sides(strong, f"{_UNSETTLED}; {_ON_ALL}", last=side)
    if all(strong.values()):
        return _both_sides(strong, ending, last=side)
    return _justification(_two(strong[side]), ending)


def _without_quotation(label: Verdict | None, ending: str) -> Explanation:
    """Return the justification of a claim for which nothing can be quoted; `label` is None for an undecided claim."""
    if label in (None, Verdict.NOT_ENOUGH_EVIDENCE):
        text = f"Nothing that was found bears on it{f', {ending}' if label else _OPEN}."
    else:
        text = f"What was found does not settle the claim in any one sentence; {_ON_ALL}."
    return Explanation((text,), ((),))


def _undecided(reasons: Sequence[Reason]) -> Explanation:
    """Return the justification of an undecided claim: the best quotation for it, the best one against it, and the
    statement that they do not settle it.
    """
    on = _on_a_side(reasons)
    if all(on.values()):
        return _both_sides(on, _UNSETTLED)
    if one := next((own[0] for own in on.values() if own), None):
        return _justification([one], f"{_SPEAKS[one.side]} but does not settle it")
    return _justification(reasons[:1], _NEITHER)


def _together(reasons: Sequence[Reason], last: Side = Side.AGAINST) -> Explanation:
    """Return the justification if no quotation proves the verdict: the best quotation of each side, that of `last` in
    the end, and the statement that the verdict rests on the evidence as a whole.
    """
    on = _on_a_side(reasons)
    if all(on.values()):
        return _both_sides(on, f"{_UNSETTLED}; {_ON_ALL}", last)
    if one := next((own[0] for own in on.values() if own), None):
        return _justification([one], f"{_SPEAKS[one.side]} but does not settle it; {_ON_ALL}")
    return _justification(reasons[:1], f"{_UNSETTLED}; {_ON_ALL}")


def _on_a_side(reasons: Sequence[Reason]) -> dict[Side, list[Reason]]:
    return _sides(one for one in reasons if one.is_shown and one.force >= ON_A_SIDE)


def _sides(reasons: Iterable[Reason]) -> dict[Side, list[Reason]]:
    each = list(reasons)
    return {side: [one for one in each if one.side is side] for side in (Side.FOR, Side.AGAINST)}


def _reasons(claim: ExplainedClaim, reader: StanceReader, sure: float) -> list[Reason]:
    """Return the best quotation of every answered piece that bears on the claim, strongest first.

    If no piece bears on the claim, only the strongest piece is used. Pieces that only repeat the claim are left out.
    """
    numbered = [(one.number, claim.evidence[one.number - 1]) for one in pieces(claim) if is_answered(one)]
    if not numbered:
        return []
    (stances,) = reader.stances([(claim.claim, [passage_of(pair, claim.speaker) for _, pair in numbered])])
    ranked = [(number, pair, own) for (number, pair), own in zip(numbered, stances, strict=True) if own.force]
    ranked.sort(key=lambda one: -one[2].force)
    decisive = [one for one in ranked if one[2].force >= LEAST] or ranked[:1]
    runs = {number: runs_of(claim, pair) for number, pair, _ in decisive}
    (each,) = reader.stances([(claim.claim, [run.passage for own in runs.values() for run in own])])
    read = iter(each)
    reasons = [_reason(number, [(run, next(read)) for run in runs[number]], own, sure) for number, _, own in decisive]
    return sorted((one for one in reasons if one), key=lambda one: (-one.force, one.number))


def _reason(number: int, read: Sequence[tuple[Run, Stance]], whole: Stance, sure: float) -> Reason | None:
    """Return the best quotation of a piece as a reason; None if none of its runs of sentences may be a reason.

    It is the shortest run with probability `sure` for the piece's side, else the shortest run on this side. If no run
    is on this side, it is the most probable of the shortest runs. Of such runs, those without cells of a table come
    first. `number` is the number of the piece, `whole` its stance, and `read` has its runs with their stances.
    """
    side = Side.FOR if whole.entail >= whole.contradict else Side.AGAINST
    usable = [(run, one) for run, one in read if run.is_reason(one)]
    if not usable:
        return None
    chances = [(run, one.entail if side is Side.FOR else one.contradict) for run, one in usable]
    best = max(chance for _, chance in chances)
    least = next(one for one in (sure, ON_A_SIDE, 0.0) if best >= one)
    fitting = (one for one in chances if one[1] >= least)
    run, chance = min(fitting, key=lambda one: (CELL in one[0].text, one[0].length, -one[1]))
    return Reason(number, run.text, side, chance, whole.side is side)


def _two(reasons: Sequence[Reason]) -> Sequence[Reason]:
    """Return the two strongest reasons with different texts, the strongest last; only one if there is no other."""
    first, *rest = reasons
    others = [one for one in rest if one.text != first.text]
    return [*others[:1], first]


def _justification(reasons: Sequence[Reason], ending: str) -> Explanation:
    *before, last = reasons
    texts = [*(_quoted(one.text) for one in before), f"{without_end(_quoted(last.text))}; {ending}."]
    return _cited((text, one.number) for text, one in zip(texts, reasons, strict=True))


def _cited(parts: Iterable[tuple[str, int]]) -> Explanation:
    """Return the texts as an explanation; each sentence cites the piece whose number is given with its text."""
    cited = [(one, (number,)) for text, number in parts for one in sentences(text)]
    return Explanation(tuple(one for one, _ in cited), tuple(cites for _, cites in cited))


def _both_sides(best: dict[Side, list[Reason]], ending: str, last: Side = Side.AGAINST) -> Explanation:
    """Return a justification with the best reason of each side; that of the side `last` comes second.

    Both sides must have a reason.
    """
    first, second = _IN_WORDS[last]
    before = best[Side.FOR if last is Side.AGAINST else Side.AGAINST][0]
    after = best[last][0]
    last_text = f"{second}: {without_end(_quoted(after.text))}; {ending}."
    return _cited([(f"{first}: {_quoted(before.text)}", before.number), (last_text, after.number)])


def _quoted(text: str) -> str:
    """Return the quotation with a capital letter and a full stop; a quotation that was cut keeps its ellipsis
    instead.
    """
    return text if text.endswith(CUT) else ended(text)


MOST_WORDS = 300  # of a language model's reasoning, whole sentences
_SUBJECT = re.compile(
    r"(^|[.!?]\s+)(?P<lead>(?:In|By|As|But|However,|While)\s+)?(?:(?:piece|evidence)\s+)?\[(?P<number>\d+)\](?=,?\s+(?-i:[a-z]))",
    re.IGNORECASE,
)


def by_reasoning(claim: ExplainedClaim, reasoning: str | None, reader: StanceReader) -> ExplainedClaim:
    """Return the claim with its justification and the numbers of the evidence that each sentence cites.

    `reasoning` is the text that the verdict model wrote. If it is None or has no words, the justification is made of
    quotations from the evidence, which `reader` reads.
    Raises ModelError if the reader fails.
    """
    return explained(claim, _explanation(claim, reasoning, reader))


def with_subjects(text: str) -> str:
    """Return the text with a subject wherever a citation is the subject: `[2] says so.` becomes `Evidence 2 [2] says
    so.`

    Readers see the sentences without citations; they would otherwise lack a subject.
    """
    return _SUBJECT.sub(_named, text)


def _named(match: re.Match[str]) -> str:
    number, lead = match["number"], match["lead"]
    return f"{match[1]}{f'{lead}evidence' if lead else 'Evidence'} {number} [{number}]"


def _explanation(claim: ExplainedClaim, reasoning: str | None, reader: StanceReader) -> Explanation:
    if reasoning:
        written = read_draft(with_subjects(reasoning), pieces(claim), MOST_WORDS).explanation
        if written.sentences:
            return written
    return reasoned(claim, reader)
