"""Whether a revision may take the draft's place: the checks must find nothing in it that they did not find before.

The reference takes every revision; a refiner that changes the verdict, or adds a name or number, makes things worse.
"""

from collections.abc import Sequence

from src.explanation.checks.checker import Checker
from src.explanation.checks.conclusions import other_sides, sides, states
from src.explanation.debate.talk import Result
from src.explanation.draft import is_ended, read_draft, unmarked
from src.explanation.labels import closing, conclusion
from src.explanation.pieces import pieces
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.explanation.writer import explained
from src.reranking.hybrid.own_words import own_words

# What no revision may add, however little a tagger doubts it, where words alone can tell.
ADDED = (ErrorType.EXTRINSIC_ENTITY, ErrorType.INTRINSIC_ENTITY, ErrorType.REASONING_COHERENCE)
# Of a draft's words, its verdict's aside, that a revision must have: it mends errors and changes nothing else.
KEPT = 0.3
SAME = "it is the draft again"


def settled(
    draft: ExplainedClaim, before: Sequence[Finding], result: Result, checker: Checker, most_words: int
) -> tuple[ExplainedClaim, Sequence[Finding]]:
    """The draft or its revision, whichever stands in the end, with its findings; the debate's record says why.

    A revision of more than `most_words` is too long, unless its draft is as long.
    """
    debate = result.debate
    debate.kept_back, debate.accepted = "", False
    if result.revision is None:
        return draft, before
    most = max(most_words, len((draft.explanation or "").split()))
    read = read_draft(with_verdict(result.revision, draft), pieces(draft), most)
    revision = explained(draft, read.explanation)
    (after,) = checker.check([revision])
    cut = read.counts["sentences_cut"]
    debate.kept_back = kept_back(before, after) or added(draft, revision, checker) or changed(draft, revision, cut=cut)
    debate.accepted = not debate.kept_back
    return (revision, after) if debate.accepted else (draft, before)


def changed(draft: ExplainedClaim, revision: ExplainedClaim, *, cut: int) -> str:
    """Why it is no revision of the draft, whatever it says; empty where it is one."""
    before, after = draft.explanation or "", revision.explanation or ""
    if not after:
        return "it says nothing"
    if after.split() == before.split():
        return SAME
    if cut:
        return "it is too long"
    if other_sides(after, draft.label) - sides(before):
        return "it states another verdict"
    if states(before, draft.label) and not states(after, draft.label):
        return "it no longer states the verdict"
    whole = set(own_words(before))
    words = whole - set(own_words(conclusion(draft.label))) or whole
    return "" if len(words & set(own_words(after))) >= KEPT * len(words) else "it is another text"


def with_verdict(revision: str, draft: ExplainedClaim) -> str:
    """The revision with the verdict as its last sentence, where the draft states it and the revision states none.

    One that states another verdict is left as it is, and kept back for it.
    """
    before, text = draft.explanation or "", revision.rstrip()
    if sides(text) or not own_words(unmarked(text)) or not states(before, draft.label):
        return revision
    stop = "" if is_ended(unmarked(text)) else "."
    return f"{text}{stop} {closing(draft.label)}"


def kept_back(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    """Why the draft stays; empty where the revision is accepted."""
    if new := _new(before, after):
        return new
    return "" if len(after) <= len(before) else f"{len(after)} findings where the draft had {len(before)}"


def added(draft: ExplainedClaim, revision: ExplainedClaim, checker: Checker) -> str:
    """The names, numbers and verdicts that by words alone neither the evidence nor the draft has; empty without any.

    The tagger's thresholds are chosen for few alarms; a revision has no need of what is in doubt.
    """
    before, after = checker.without_tagger().check([draft, revision])
    return _new(before, [one for one in after if one.type in ADDED])


def _new(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    known = {(one.type, one.span.casefold()) for one in before}
    new = [one for one in after if (one.type, one.span.casefold()) not in known]
    return "; ".join(f"{one.type} {one.span}: {one.reason}" for one in new)
