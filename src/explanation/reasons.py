"""Justification from what decides: sentences that entail or contradict the claim, in the direction of the verdict.

"so the claim is …" is said only where a cited sentence, or a cited piece as a whole, entails (Supported) or contradicts
(Refuted) the claim with at least the probability `sure`; what is as strong on the other side stands before it. For
Conflicting both sides are told. Otherwise, and for every undecided claim, the text says what was found and that it does
not settle the claim. Sentences are copied, so that they say nothing that their piece does not say.

Limitations: what two sentences prove only together is not found; a piece that only repeats the claim is no reason.
"""

from collections.abc import Sequence
from typing import NamedTuple

from src.explanation.labels import conclusion
from src.explanation.pieces import is_answered, pieces
from src.explanation.quoted import ended, without_end
from src.explanation.records import ExplainedClaim, Explanation
from src.records import Level, QAPair, Side, Verdict
from src.stance.reader import StanceReader
from src.stance.records import ON_A_SIDE, SIDE_OF, Passage, Stance
from src.stance.stacker import passage_of
from src.text import sentences

SURE = 0.9  # chosen on held-out claims (`bench/reason_thresholds.py`)
LEAST = 0.3  # force of a piece whose sentences are read
MOST_SENTENCES = 8  # of a piece
SHORTEST = 4  # words that a quoted sentence has at least
LONGEST = 60
_LEANS = {
    Verdict.SUPPORTED: "this does not settle the claim, though it speaks for it",
    Verdict.REFUTED: "this does not settle the claim, though it speaks against it",
}
_UNSETTLED = "this does not settle the claim"
_OPEN = ", which leaves the claim open"
_IN_WORDS = {Side.AGAINST: ("For the claim", "Against it"), Side.FOR: ("Against the claim", "For it")}


class Reason(NamedTuple):
    """A sentence of piece `number`; `force` is the larger of its own probability for its side and that of its piece."""

    number: int
    text: str
    side: Side
    force: float


def reasoned(claim: ExplainedClaim, reader: StanceReader, sure: float = SURE) -> Explanation:
    """Return the justification of a claim with evidence and a verdict. Raises InputError (label), ModelError."""
    found = _reasons(claim, reader)
    ending, label = conclusion(claim.label), Verdict(claim.label)
    is_decided = claim.level is not Level.UNDECIDED
    if not found:
        is_settled = is_decided and label is Verdict.NOT_ENOUGH_EVIDENCE
        return Explanation((f"Nothing that was found bears on it{f', {ending}' if is_settled else _OPEN}.",), ((),))
    best = {side: [one for one in found if one.side is side] for side in (Side.FOR, Side.AGAINST)}
    strong = {side: [one for one in own if one.force >= sure] for side, own in best.items()}
    if label is Verdict.CONFLICTING:
        return _both_sides(best, ending if is_decided and all(strong.values()) else _UNSETTLED)
    if (side := SIDE_OF.get(label)) is None:
        return _justification(found[:1], ending if is_decided and not any(strong.values()) else _UNSETTLED)
    if not strong[side] or not is_decided:
        is_read = bool(best[side]) and best[side][0].force >= ON_A_SIDE
        return _justification((best[side] or found)[:1], _LEANS[label] if is_read else _UNSETTLED)
    if all(strong.values()):
        return _both_sides(strong, ending, last=side)
    return _justification(_two(strong[side]), ending)


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
    if text != pair.answer:  # a bare answer, which says nothing without its question
        return [text]
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


def _both_sides(best: dict[Side, list[Reason]], ending: str, last: Side = Side.AGAINST) -> Explanation:
    """Return the best reason of each side, that of the `last` side before the ending."""
    if not all(best.values()):
        return _justification([own[0] for own in best.values() if own], _UNSETTLED)
    first, second = _IN_WORDS[last]
    before = best[Side.FOR if last is Side.AGAINST else Side.AGAINST][0]
    after = best[last][0]
    texts = (f"{first}: {_quoted(before.text)}", f"{second}: {without_end(_quoted(after.text))}; {ending}.")
    return Explanation(texts, ((before.number,), (after.number,)))


def _quoted(text: str) -> str:
    kept = text.split()
    return ended(" ".join(kept)) if len(kept) <= LONGEST else f"{' '.join(kept[:LONGEST])} …"
