"""Justification from what decides: sentences that entail or contradict the claim, in the direction of the verdict.

"so the claim is …" is said only where a cited sentence, or a cited piece as a whole, entails (Supported) or contradicts
(Refuted) the claim with at least the probability `sure`; for Conflicting both sides are told. Otherwise the text says
what was found and that it does not settle the claim. Sentences are copied, so that they say nothing that their piece
does not say.

Limitations: what two sentences prove only together is not found; a piece that only repeats the claim is no reason.
"""

from collections.abc import Sequence
from typing import NamedTuple

from src.explanation.labels import conclusion
from src.explanation.pieces import is_answered, pieces
from src.explanation.quoted import ended, without_end
from src.explanation.records import ExplainedClaim, Explanation
from src.records import Level, QAPair, Verdict
from src.stance.reader import StanceReader
from src.stance.records import SIDE_OF, Passage, Side, Stance
from src.stance.stacker import passage_of
from src.text import sentences

SURE = 0.7
LEAST = 0.3  # force of a piece whose sentences are read
MOST_SENTENCES = 8  # of a piece
SHORTEST = 4  # words that a quoted sentence has at least
LONGEST = 60
_LEANS = {
    Verdict.SUPPORTED: "this does not settle the claim, though it speaks for it",
    Verdict.REFUTED: "this does not settle the claim, though it speaks against it",
}
_UNSETTLED = "this does not settle the claim"


class Reason(NamedTuple):
    """A sentence of piece `number`; `force` is the larger of its own probability for its side and that of its piece."""

    number: int
    text: str
    side: Side
    force: float


def reasoned(claim: ExplainedClaim, reader: StanceReader, sure: float = SURE) -> Explanation:
    """Return the justification of a claim with evidence and a verdict. Raises InputError (label), ModelError."""
    found = _reasons(claim, reader)
    ending = conclusion(claim.label)
    if not found:
        return Explanation((f"Nothing that was found bears on it, {ending}.",), ((),))
    best = {side: [one for one in found if one.side is side] for side in (Side.FOR, Side.AGAINST)}
    strong = {side: [one for one in own if one.force >= sure] for side, own in best.items()}
    if claim.label == Verdict.CONFLICTING:
        return _both_sides(best, ending, is_settled=all(strong.values()))
    if (side := SIDE_OF.get(Verdict(claim.label))) is None:
        return _justification(found[:1], ending)
    if strong[side] and claim.level is not Level.UNDECIDED:
        return _justification(_two(strong[side]), ending)
    return _justification((best[side] or found)[:1], _LEANS[Verdict(claim.label)] if best[side] else _UNSETTLED)


def _reasons(claim: ExplainedClaim, reader: StanceReader) -> list[Reason]:
    """Return the best sentence of every answered piece that bears on the claim, else of the best piece; the strongest
    first, and none of a piece that only repeats the claim."""
    numbered = [(one.number, claim.evidence[one.number - 1]) for one in pieces(claim) if is_answered(one)]
    if not numbered:
        return []
    (stances,) = reader.stances([(claim.claim, [passage_of(pair) for _, pair in numbered])])
    found = [(number, pair, own) for (number, pair), own in zip(numbered, stances, strict=True) if own.force]
    found.sort(key=lambda one: -one[2].force)
    decisive = [one for one in found if one[2].force >= LEAST] or found[:1]
    texts = {number: _sentences(pair) for number, pair, _ in decisive}
    (each,) = reader.stances([(claim.claim, [Passage(text) for own in texts.values() for text in own])])
    read = iter(each)
    reasons = [_reason(number, [(text, next(read)) for text in texts[number]], own) for number, _, own in decisive]
    return sorted(reasons, key=lambda one: (-one.force, one.number))


def _reason(number: int, read: Sequence[tuple[str, Stance]], whole: Stance) -> Reason:
    """Return the sentence read that does most for the side of its piece; `whole` is the stance of the piece."""
    is_for = whole.entail >= whole.contradict

    def chance(stance: Stance) -> float:
        return stance.entail if is_for else stance.contradict

    text, stance = max(read, key=lambda one: chance(one[1]))
    force = max(chance(whole), chance(stance))
    return Reason(number, text, Side.FOR if is_for else Side.AGAINST, force)


def _sentences(pair: QAPair) -> list[str]:
    text = passage_of(pair).text
    found = [one for one in sentences(text) if len(one.split()) >= SHORTEST][:MOST_SENTENCES]
    return found or [text]


def _two(found: Sequence[Reason]) -> Sequence[Reason]:
    """Return the strongest, and before it the next one of another text, where there is one."""
    first, *rest = found
    others = [one for one in rest if one.text != first.text]
    return [*others[:1], first]


def _justification(found: Sequence[Reason], ending: str) -> Explanation:
    *before, last = found
    texts = [*(_quoted(one.text) for one in before), f"{without_end(_quoted(last.text))}; {ending}."]
    return Explanation(tuple(texts), tuple((one.number,) for one in found))


def _both_sides(best: dict[Side, list[Reason]], ending: str, *, is_settled: bool) -> Explanation:
    if not all(best.values()):
        return _justification([own[0] for own in best.values() if own], _UNSETTLED)
    for_it, against = best[Side.FOR][0], best[Side.AGAINST][0]
    last = f"Against it: {without_end(_quoted(against.text))}; {ending if is_settled else _UNSETTLED}."
    return Explanation((f"For the claim: {_quoted(for_it.text)}", last), ((for_it.number,), (against.number,)))


def _quoted(text: str) -> str:
    kept = text.split()
    return ended(" ".join(kept)) if len(kept) <= LONGEST else f"{' '.join(kept[:LONGEST])} …"
