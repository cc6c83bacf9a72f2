"""Whether a revision may take the draft's place (`--accept careful`): the checks must find nothing new in it.

The paper takes every revision (`as_written`); a refiner that changes the verdict, or adds a name or number, makes
things worse. A finding is not new where the draft has the same words between the same neighbors: taking out one error
must not bring up what was there beside it.
"""

import re
from collections.abc import Sequence

from src.explanation.checks.checker import Checker
from src.explanation.checks.conclusions import other_sides, sides, states
from src.explanation.checks.grounds import Grounds
from src.explanation.debate.conversation import Result
from src.explanation.draft import is_ended, read_draft, unmarked
from src.explanation.labels import closing, conclusion
from src.explanation.pieces import pieces
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.explanation.writer import explained
from src.reranking.hybrid.own_words import own_words
from src.text import sentences

# What no revision may add, however little a tagger doubts it, where words alone can tell.
ADDED = (ErrorType.EXTRINSIC_ENTITY, ErrorType.INTRINSIC_ENTITY, ErrorType.REASONING_COHERENCE)
KEPT = 0.3  # share of the draft's words, its verdict's aside, that a revision of it has
OF_DRAFT = 0.7  # or the share of the revision's words that are the draft's, or the evidence's in their place
FEWEST = 2  # different words of the draft, besides its verdict, that a revision has
LONGER = 1.25  # times the words of a long draft that its revision may have
SAME = "the revision is the draft again"
EMPTY = "the revision says nothing"


def as_written(draft: ExplainedClaim, revision: str) -> ExplainedClaim:
    """Return the draft's claim with the agent's words, whatever they say (`--accept published`).

    Citation marks go from the text into `cites`, line breaks become spaces, and sentences of dots alone are left out.
    What is then left may be empty.
    """
    return explained(draft, read_draft(revision, pieces(draft), most_words=None).explanation)


def settled(
    draft: ExplainedClaim, before: Sequence[Finding], result: Result, checker: Checker, most_words: int
) -> tuple[ExplainedClaim, Sequence[Finding]]:
    """Return the draft or its revision, whichever is kept, with its findings; the debate's record says why.

    A revision of more than `most_words` is too long, unless its draft is about as long.
    """
    debate = result.debate
    debate.kept_back, debate.accepted = "", False
    if result.revision is None:
        return draft, before
    most = max(most_words, int(LONGER * len((draft.explanation or "").split())))
    read = read_draft(with_verdict(result.revision, draft), pieces(draft), most)
    revision = explained(draft, read.explanation)
    (after,) = checker.check([revision])
    new = kept_back(before, _unlike(draft, revision, after)) or added(draft, revision, checker)
    debate.kept_back = new or changed(draft, revision, cut=read.counts["sentences_cut"])
    debate.accepted = not debate.kept_back
    return (revision, after) if debate.accepted else (draft, before)


def changed(draft: ExplainedClaim, revision: ExplainedClaim, *, cut: int) -> str:
    """Return why it is no revision of the draft, whatever it says; empty where it is one."""
    before, after = draft.explanation or "", revision.explanation or ""
    if not after:
        return EMPTY
    if after.split() == before.split():
        return SAME
    if cut:
        return "the revision is too long"
    if other_sides(after, draft.label) - sides(before):
        return "the revision states another verdict"
    if states(before, draft.label) and not states(after, draft.label):
        return "the revision no longer states the verdict"
    return "" if _is_of(draft, revision) else "the revision is another text"


def _is_of(draft: ExplainedClaim, revision: ExplainedClaim) -> bool:
    """Return True if the revision has enough of the draft's words, or hardly any but these.

    A word of claim or evidence counts as the draft's where it can stand for one that was taken out.
    """
    verdict, whole, after = (
        set(own_words(text)) for text in (conclusion(draft.label), draft.explanation or "", revision.explanation or "")
    )
    words = whole - verdict or whole
    if len(words & after) >= KEPT * len(words):
        return True
    left = after - verdict
    kept, mended = left & words, left & Grounds.of(draft).words - words
    stay = len(kept) + min(len(mended), len(words - after))
    return len(kept) >= FEWEST and stay >= OF_DRAFT * len(left)


def with_verdict(revision: str, draft: ExplainedClaim) -> str:
    """Return the revision with the verdict as its last sentence, where the draft states it and the revision none.

    One that states another verdict is left as it is, and kept back for it.
    """
    before, text = draft.explanation or "", revision.rstrip()
    if sides(text) or not own_words(unmarked(text)) or not states(before, draft.label):
        return revision
    stop = "" if is_ended(unmarked(text)) else "."
    return f"{text}{stop} {closing(draft.label)}"


def kept_back(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    """Return why the draft is kept; empty where the revision is accepted."""
    if new := _new(before, after):
        return new
    more = f"the checks find {len(after)} errors in the revision, {len(before)} in the draft"
    return "" if len(after) <= len(before) else more


def added(draft: ExplainedClaim, revision: ExplainedClaim, checker: Checker) -> str:
    """Return the names, numbers and verdicts that by words alone neither the evidence nor the draft has.

    The tagger's thresholds are chosen for few alarms; a revision has no need of what is in doubt.
    """
    before, after = checker.without_tagger().check([draft, revision])
    return _new(before, [one for one in _unlike(draft, revision, after) if one.type in ADDED])


def _new(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    known = {(one.type, one.span.casefold()) for one in before}
    new = [one for one in after if (one.type, one.span.casefold()) not in known]
    return "; ".join(f'the revision says "{one.span}", but {one.reason}' for one in new)


def _unlike(draft: ExplainedClaim, revision: ExplainedClaim, found: Sequence[Finding]) -> list[Finding]:
    """Return the findings on words of the revision that the draft does not have in the same place."""
    whole, said = _words(draft.explanation or ""), sentences(revision.explanation or "")
    return [one for one in found if not _stood(one.span, said[one.sentence], f" {whole} ")]


def _stood(span: str, sentence: str, draft: str) -> bool:
    """Return True if the draft has the span between the word before it and the word behind it."""
    before, there, behind = sentence.partition(span)
    near = [*_words(before).split()[-1:], _words(span), *_words(behind).split()[:1]]
    return bool(there) and f" {' '.join(near)} " in draft


def _words(text: str) -> str:
    return " ".join(re.findall(r"\d+(?:[.,:/]\d+)*|\w+(?:['\u2019]\w+)?|[%$\u20ac\u00a3]", text.casefold()))
