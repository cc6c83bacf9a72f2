"""Explanation without a model: one or two copied sentences of the evidence, then the verdict.

The sentences come from the first answered pieces of evidence; the last clause is the conclusion of the label. Because
they are copied, they say nothing that their piece does not say. A bare yes or no is preceded by its question.

For Conflicting Evidence, one answer begins with yes and one with no, if both exist. For Refuted, an answer that only
repeats the claim is used only if there is no other.

Limitations: of each piece, the sentence that shares most words with the claim is used; a question is used only if the
piece has nothing else. Nothing is rephrased.
"""

import re
from collections.abc import Sequence

from src.explanation.labels import clause, conclusion
from src.explanation.pieces import Piece, is_answered, pieces
from src.explanation.records import ExplainedClaim, Explanation
from src.explanation.text import ended, without_end
from src.records import Verdict
from src.reranking.hybrid.own_words import own_words
from src.text import sentences

MOST_PIECES = 2
MOST_WORDS = 60  # of a sentence; a longer one is cut
_BARE = 5  # most words of an answer that is shown with its question
_SIDE = re.compile(r"(yes|no)\b", re.IGNORECASE)
_DOUBTS = re.compile(
    r"\b(no|not|never|nor|none|nothing|nobody|without|false\w*|fake\w*|untrue|wrong\w*|incorrect\w*|inaccurate\w*|"
    r"mislead\w*|baseless|unfounded|unproven|hoax\w*|myths?|rumou?rs?|den(y|ies|ied)|debunk\w*|refut\w*|claim(s|ed)?|"
    r"alleg\w*)\b|n['\u2019]t\b", re.IGNORECASE,
)  # fmt: skip


def template(claim: ExplainedClaim) -> Explanation:
    """Return the template explanation of a claim.

    Raises InputError if the label is unknown.
    """
    ending = conclusion(claim.label)
    chosen = _chosen(claim)
    is_open = claim.label == Verdict.NOT_ENOUGH_EVIDENCE
    if not is_open and not any(map(is_answered, chosen)):
        return Explanation((f"No evidence was found; the verdict is that {clause(claim.label)}.",), ((),))
    if not chosen:
        return Explanation((f"Nothing that was found tells of it, {ending}.",), ((),))
    cites: dict[str, list[int]] = {}
    for piece in chosen:
        cites.setdefault(_sentence_of(piece, claim.claim), []).append(piece.number)
    *before, last = cites
    return Explanation((*before, f"{without_end(last)}; {ending}."), tuple(map(tuple, cites.values())))


def _chosen(claim: ExplainedClaim) -> Sequence[Piece]:
    """Return up to `MOST_PIECES` pieces of evidence to quote: the first answered pairs, else the first pairs. Of a
    source, those that share most words with the claim.
    """
    evidence = pieces(claim)
    if claim.evidence:
        answered = [piece for piece in evidence if is_answered(piece)] or evidence
        if claim.label == Verdict.CONFLICTING:
            return _both_sides(answered)
        if claim.label == Verdict.REFUTED:
            answered = [
                one for one in answered if not _repeats(_sentence_of(one, claim.claim), claim.claim)
            ] or answered
        return answered[:MOST_PIECES]
    by_words = sorted(evidence, key=lambda piece: -_shared(piece.text, claim.claim))
    return sorted(by_words[:MOST_PIECES], key=lambda piece: piece.number)


def _repeats(text: str, claim: str) -> bool:
    """Return True if the text has every content word of the claim, and neither a negation nor a word of doubt."""
    return set(own_words(claim)) <= set(own_words(text)) and not _DOUBTS.search(text)


def _both_sides(answered: Sequence[Piece]) -> Sequence[Piece]:
    """Return the first answer that begins with yes and the first that begins with no, in their order.

    If there is no such pair, return the first `MOST_PIECES` pieces.
    """
    sides: dict[str, Piece] = {}
    for piece in answered:
        if begins := _SIDE.match(piece.text):
            sides.setdefault(begins[0].lower(), piece)
    return [*sides.values()] if len(sides) == 2 else answered[:MOST_PIECES]


def _sentence_of(piece: Piece, claim: str) -> str:
    """Return the sentence of the piece that shares most words with the claim, as it is quoted."""
    if len(piece.text.split()) <= _BARE or not is_answered(piece):
        return ended(piece.whole)
    candidates = [one for one in sentences(piece.text) if len(one.split()) > _BARE] or [piece.text]
    statements = [one for one in candidates if not one.endswith("?")] or candidates
    words = max(statements, key=lambda one: _shared(one, claim)).split()
    return ended(" ".join(words)) if len(words) <= MOST_WORDS else f"{' '.join(words[:MOST_WORDS])} …"


def _shared(text: str, claim: str) -> int:
    return len(set(own_words(text)) & set(own_words(claim)))
