"""Plan of a whole claim, sentence by sentence.

A sentence that cannot be understood without the previous one is joined to it; both are one fact.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from src.programs.decomposition.bridges import with_answers
from src.programs.decomposition.clauses import sentence_plan, whole_sentence
from src.programs.decomposition.mentions import TAKEN_UP, taken_up, with_mentions
from src.programs.decomposition.misreadings import is_misread
from src.programs.decomposition.phrases import SPLIT_OFF, Answers
from src.programs.decomposition.pieces import begin, is_kept, note
from src.programs.decomposition.plans import Fact, Plan, all_of
from src.programs.decomposition.repairs import mend
from src.programs.decomposition.subjects import Subject, has_subject, subject_of
from src.programs.decomposition.verbs import finite

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

_REFERRING = {"as", "neither", "nor", "one", "so"}  # `So did Berg`

_REPEATING = {"either", "too"}
_LEFT_OPEN = {"are", "did", "does", "do", "has", "is", "n't", "not", "was", "were"}


@dataclass(frozen=True)
class Grain:
    """The granularity of a decomposition.

    `splits` splits clauses, `asks` adds questions for described things, and `joins` makes all sentences one fact.
    """

    splits: bool
    asks: bool
    joins: bool = False


GRAINS = (
    Grain(splits=True, asks=True),
    Grain(splits=False, asks=True),
    Grain(splits=True, asks=False),
    Grain(splits=False, asks=False),
    Grain(splits=False, asks=True, joins=True),
)


def claim_plan(claim: "Doc", grain: Grain, kept: Iterable[int] = ()) -> Plan | None:
    """Return the plan of all sentences, without splits at the `kept` places; None if the claim has no plan."""
    begin(claim, kept)
    mend(claim)
    sentences = list(claim.sents)
    claim.user_data[SPLIT_OFF] = set()
    claim.user_data[TAKEN_UP], open_ones = taken_up(claim)
    joined = {
        at
        for at, one in enumerate(sentences)
        if at
        and (
            grain.joins
            or is_kept(one.root)
            or one.start in open_ones
            or _refers(one)
            or any(map(_is_part, sentences[at - 1 : at + 1]))
        )
    }
    while sentences:
        groups = _groups(sentences, joined)
        found = _planned(groups, grain)
        if isinstance(found, int):
            joined.add(sentences.index(groups[found][0]))
            continue
        known: Answers = {}
        plan = with_answers(found, known) if grain.asks else found
        named = with_mentions(plan, claim, known)
        if not isinstance(named, int):
            for group in groups[1:]:
                note(group[0].root)
            return named
        at = next(at for at, one in enumerate(sentences) if one.start <= named < one.end)
        if at == 0 or at in joined:
            return None
        joined.add(at)
    return None


def _refers(sentence: "Span") -> bool:
    """Return True if the sentence continues the previous one: `So did Berg`, `Berg is too`, `Holm is not`."""
    words = [word for word in sentence if not word.is_punct]
    if words and words[-1].lower_ in _REPEATING:
        words.pop()  # `Holm is a poet, too` is complete
    last = words[-1].lower_ if words else ""
    return sentence[0].lower_ in _REFERRING or last in _LEFT_OPEN


def _is_part(sentence: "Span") -> bool:
    """Return True if the sentence has no subject or finite verb, as after a period inside a name, or has an open
    quotation."""
    if sentence.text.count('"') % 2:
        return True
    return not has_subject(sentence.root) or finite(sentence.root) is None


def _groups(sentences: list["Span"], joined: set[int]) -> list[list["Span"]]:
    groups: list[list[Span]] = []
    for at, sentence in enumerate(sentences):
        if at in joined and groups:
            groups[-1].append(sentence)
        else:
            groups.append([sentence])
    return groups


def _planned(groups: list[list["Span"]], grain: Grain) -> Plan | int:
    """Return the plan before questions are added, or the place of a group that needs the previous one."""
    parts: list[Plan] = []
    before: list[Subject] = []
    for at, group in enumerate(groups):
        found = _group_plan(group, tuple(reversed(before)), grain)
        if found is None and at:
            return at
        parts.append(found or Fact(tuple(word for one in group for word in one)))
        subject = subject_of(group[0].root)
        before += [subject] if subject else []
    return all_of(*parts)


def _group_plan(group: list["Span"], outer: tuple[Subject, ...], grain: Grain) -> Plan | None:
    first, *more = group
    splits = grain.splits and not is_misread(first) and not more
    plan = sentence_plan(first.root, outer) if splits else None
    if plan is not None:
        return plan
    own = whole_sentence(first.root, outer)
    return Fact((*own.phrase, *(word for one in more for word in one))) if own else None
