"""Whether a revision may take the draft's place: the checks must find nothing in it that they did not find before.

The reference takes every revision; a refiner that changes the verdict, or adds a name or number, makes things worse.
"""

from collections.abc import Sequence

from src.explanation.checks.conclusions import states
from src.explanation.records import ExplainedClaim, Finding
from src.reranking.hybrid.own_words import own_words

KEPT = 0.3  # of a draft's words that a revision must have: it mends errors and changes nothing else


def changed(draft: ExplainedClaim, revision: ExplainedClaim, *, cut: int) -> str:
    """Why it is no revision of the draft, whatever it says; empty where it is one."""
    before, after = draft.explanation or "", revision.explanation or ""
    if not after:
        return "it says nothing"
    if after.split() == before.split():
        return "it is the draft again"
    if cut:
        return "it is too long"
    if states(before, draft.label) and not states(after, draft.label):
        return "it no longer states the verdict"
    words = set(own_words(before))
    return "" if len(words & set(own_words(after))) >= KEPT * len(words) else "it is another text"


def kept_back(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    """Why the draft stays; empty where the revision is accepted."""
    known = {(one.type, one.span.casefold()) for one in before}
    new = [one for one in after if (one.type, one.span.casefold()) not in known]
    if new:
        return "; ".join(f"{one.type} {one.span}: {one.reason}" for one in new)
    return "" if len(after) <= len(before) else f"{len(after)} findings where the draft had {len(before)}"
