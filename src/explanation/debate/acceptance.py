"""Acceptance of revisions (`--accept careful`): a revision is accepted only if the checks find nothing new in it.

The paper accepts every revision (`as_written`), even if the refiner changes the verdict or adds a name or number. A
finding is not new if the draft has the same words between the same neighboring words: removing one error must not
report an old one beside it as new.
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

# Types of lexical findings that no revision may add, even if the tagger has little doubt of its words.
ADDED = (ErrorType.EXTRINSIC_ENTITY, ErrorType.INTRINSIC_ENTITY, ErrorType.REASONING_COHERENCE)
KEPT = 0.3  # share of the draft's words, without its verdict, that a revision must have
OF_DRAFT = 0.7  # or the share of the revision's words that are from the draft, or replace its words from the evidence
FEWEST = 2  # fewest different words of the draft, without its verdict, that a revision must have
LONGER = 1.25  # a revision may have so many times the words of its draft
SAME = "the revision is the draft again"
EMPTY = "the revision says nothing"


def as_written(draft: ExplainedClaim, revision: str) -> ExplainedClaim:
    """Return the claim with the agent's text as explanation, whatever it says (`--accept published`).

    Citation marks are moved from the text to `cites`, line breaks become spaces, and sentences of dots only are
    dropped. The remaining text may be empty.
    """
    return explained(draft, read_draft(revision, pieces(draft), most_words=None).explanation)


def settled(
    draft: ExplainedClaim, before: Sequence[Finding], result: Result, checker: Checker, most_words: int
) -> tuple[ExplainedClaim, Sequence[Finding]]:
    """Return the draft or the revision, whichever is kept, with its findings; record the reason in the debate.

    A revision with more than `most_words` is too long, unless its draft is about as long.
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
    """Return the reason why the text is no revision of the draft; empty if it is one."""
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
    """Return True if the revision has enough of the draft's words, or hardly any others.

    A word of the claim or its evidence counts as the draft's if it can replace one that was removed.
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
    """Return the revision with the verdict as its last sentence, if the draft states it and the revision states none.

    A revision that states another verdict is returned unchanged; it is rejected later.
    """
    before, text = draft.explanation or "", revision.rstrip()
    if sides(text) or not own_words(unmarked(text)) or not states(before, draft.label):
        return revision
    stop = "" if is_ended(unmarked(text)) else "."
    return f"{text}{stop} {closing(draft.label)}"


def kept_back(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    """Return the reason why the draft is kept; empty if the revision is accepted."""
    if new := _new(before, after):
        return new
    more = f"the checks find {len(after)} errors in the revision, {len(before)} in the draft"
    return "" if len(after) <= len(before) else more


def added(draft: ExplainedClaim, revision: ExplainedClaim, checker: Checker) -> str:
    """Return the names, numbers and verdicts that, by the lexical rules, neither the evidence nor the draft has.

    The tagger's thresholds are chosen for few false alarms. A revision must not add even what is only doubtful.
    """
    before, after = checker.without_tagger().check([draft, revision])
    return _new(before, [one for one in _unlike(draft, revision, after) if one.type in ADDED])


def _new(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    known = {(one.type, one.span.casefold()) for one in before}
    new = [one for one in after if (one.type, one.span.casefold()) not in known]
    return "; ".join(f'the revision says "{one.span}", but {one.reason}' for one in new)


def _unlike(draft: ExplainedClaim, revision: ExplainedClaim, found: Sequence[Finding]) -> list[Finding]:
    """Return the findings whose span is not in the draft between the same neighboring words."""
    whole, said = _words(draft.explanation or ""), sentences(revision.explanation or "")
    return [one for one in found if not _stood(one.span, said[one.sentence], f" {whole} ")]


def _stood(span: str, sentence: str, draft: str) -> bool:
    """Return True if the draft has the span between the same preceding and following words."""
    before, there, behind = sentence.partition(span)
    near = [*_words(before).split()[-1:], _words(span), *_words(behind).split()[:1]]
    return bool(there) and f" {' '.join(near)} " in draft


def _words(text: str) -> str:
    return " ".join(re.findall(r"\d+(?:[.,:/]\d+)*|\w+(?:['\u2019]\w+)?|[%$\u20ac\u00a3]", text.casefold()))
