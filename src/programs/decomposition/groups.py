"""Plan of a whole claim, sentence by sentence.

Parses are repaired first: in `the author of Snow and Karl Holm are Danes` the verb shows that its subject is two
people. A sentence that cannot be understood without the sentence before it is joined to it; both become one fact.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from src.programs.decomposition.bridges import with_answers
from src.programs.decomposition.clauses import sentence_plan, whole_sentence
from src.programs.decomposition.mentions import TAKEN_UP, taken_up, with_mentions
from src.programs.decomposition.parsing import KINDS
from src.programs.decomposition.phrases import SPLIT_OFF, SUBJECTS, Answers, Subject, finite, has_subject, subject_of
from src.programs.decomposition.plans import Fact, Plan, all_of, is_unsplit, record_split, reset_splits
from src.programs.decomposition.statements import is_misread

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_NOUNS = (*SUBJECTS, "pobj", "dobj", "attr")
_MANY = ("are", "were", "have", "share", "do")


def mend(claim: "Doc") -> None:
    """Correct clear errors of the parse of a claim.

    These are a title parsed apart from its noun (`the film Rain`), a list as subject without a verb, and a verb without
    a subject. A word that was coordinated with a word inside the subject is coordinated with the subject itself. That
    requires a plural verb, and exactly one such word.
    """
    for title in [word for word in claim if _is_beside_kind(word)]:
        before = title.nbor(-1)
        title.dep_ = "pobj" if before.dep_ == "prep" else "appos"
        title.head = before
    for name in [word for word in claim if _is_second_subject(word)]:
        name.dep_, name.head = "appos", name.left_edge.nbor(-1)
    for root in [word for word in claim if word.dep_ == "ROOT" and word.pos_ in ("NOUN", "PROPN")]:
        _give_verb(root)
    for verb in [word for word in claim if word.dep_ == "advcl" and _has_lost_subject(word)]:
        _give_subject(verb)
    for subject in [word for word in claim if word.dep_ in SUBJECTS and _lacks_one(word)]:
        joined = [word for word in subject.subtree if word.i > subject.i and _is_joined(word)]
        if len(joined) == 1:
            link = joined[0].left_edge.nbor(-1)
            joined[0].head = link.head = subject
            joined[0].dep_ = "conj"


def _is_beside_kind(word: "Token") -> bool:
    """Return True for the title in `the film Then Came You` if it is parsed as a separate noun."""
    if word.i == 0 or " " not in word.text:
        return False
    kind = word.nbor(-1)
    if kind.dep_ == "prep":
        return word.dep_ == "punct" and word.head == kind
    if kind.lemma_ in KINDS and kind.head != word and word.head != kind:
        return word.dep_ == "punct" or not any(word.children)
    return kind.pos_ == "NOUN" and kind.head == word.head and kind.dep_ == word.dep_ and kind.dep_ in _NOUNS


def _is_second_subject(name: "Token") -> bool:
    """Return True if the name is part of the subject, but is parsed as a second subject.

    An example is `The Arden` in `the founder of the band The Arden is a poet`.
    """
    if name.pos_ != "PROPN" or name.dep_ not in SUBJECTS or name.left_edge.i == 0:
        return False
    subjects = [child for child in name.head.children if child.dep_ in SUBJECTS]
    kind = name.left_edge.nbor(-1)
    return len(subjects) == 2 and subjects[1] == name and kind.pos_ == "NOUN" and subjects[0].is_ancestor(kind)


def _give_verb(root: "Token") -> None:
    """Make the verb the root of a sentence that was parsed as a noun with a coordinated clause.

    In `the area where it grows, and Lorn are in Oslo`, the parser joins the verb to `area`.
    """
    verbs = [child for child in root.rights if child.dep_ == "conj" and finite(child) is not None]
    subjects = [child for verb in verbs for child in verb.lefts if child.dep_ in SUBJECTS]
    links = [child for child in root.rights if child.dep_ == "cc" and child.lower_ == "and"]
    word = finite(verbs[0]) if len(verbs) == 1 else None
    if word is None or word.lower_ not in _MANY or len(subjects) != 1 or len(links) != 1:
        return
    verb, second = verbs[0], subjects[0]
    if not links[0].i < second.left_edge.i or links[0].i + 1 != second.left_edge.i:
        return
    verb.head, verb.dep_ = verb, "ROOT"
    root.head, root.dep_ = verb, second.dep_
    second.head, second.dep_ = root, "conj"


def _has_lost_subject(verb: "Token") -> bool:
    """Return True if the subject of the verb is parsed as a member of a list.

    An example is `died` in `Berg was born in Oslo and Holm died in Lorn` if `Oslo and Holm` is parsed as a list.
    """
    if verb.tag_ != "VBD" or verb.left_edge != verb or verb.i < 2 or verb.head.i > verb.i:
        return False
    name = verb.nbor(-1)
    return name.dep_ == "conj" and name.pos_ == "PROPN" and name.left_edge.nbor(-1).lower_ == "and"


def _give_subject(verb: "Token") -> None:
    name = verb.nbor(-1)
    link = name.left_edge.nbor(-1)
    name.head, name.dep_ = verb, "nsubj"
    link.head, verb.dep_ = verb.head, "conj"


def _lacks_one(subject: "Token") -> bool:
    verb = finite(subject.head)
    is_one = subject.tag_ in ("NN", "NNP") and not any(child.dep_ == "conj" for child in subject.children)
    return is_one and verb is not None and verb.lower_ in _MANY


def _is_joined(word: "Token") -> bool:
    is_noun = word.dep_ in ("conj", "appos") and word.pos_ in ("NOUN", "PROPN")
    return is_noun and word.left_edge.i > 0 and word.left_edge.nbor(-1).lower_ == "and"


_REFERRING = {"as", "neither", "nor", "one", "so"}  # `So did Berg`

_REPEATING = {"either", "too"}
_LEFT_OPEN = {"are", "did", "does", "do", "has", "is", "n't", "not", "was", "were"}


@dataclass(frozen=True)
class Grain:
    """The granularity of a decomposition.

    `splits`: True to split clauses into facts; else each sentence is one fact.
    `asks`: True to add a question for each thing that the claim describes but does not name (`the author of Snow`).
    `joins`: True to make all sentences of the claim one fact.
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


def claim_plan(claim: "Doc", grain: Grain, unsplit: Iterable[int] = ()) -> Plan | None:
    """Return the plan of a claim, with all of its sentences; None if a mention in its first sentence cannot be
    resolved.

    `grain` says how far the claim is split. `unsplit` are indexes (from 0) of words at which it is not split; none by
    default.
    """
    reset_splits(claim, unsplit)
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
            or is_unsplit(one.root)
            or one.start in open_ones
            or _refers(one)
            or any(map(_is_part, sentences[at - 1 : at + 1]))
        )
    }
    while sentences:
        groups = _groups(sentences, joined)
        planned = _planned(groups, grain)
        if isinstance(planned, int):
            joined.add(sentences.index(groups[planned][0]))
            continue
        known: Answers = {}
        plan = with_answers(planned, known) if grain.asks else planned
        named = with_mentions(plan, claim, known)
        if not isinstance(named, int):
            for group in groups[1:]:
                record_split(group[0].root)
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
    """Return True if the sentence is only a part of one: it has no subject or finite verb, or an open quotation.

    An example is the text after a period inside a name.
    """
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
    """Return the plan of the groups of sentences, without questions.

    A group is a sentence with the sentences joined to it. If a group cannot be understood without the group before it,
    return its index (from 0) instead.
    """
    parts: list[Plan] = []
    before: list[Subject] = []
    for at, group in enumerate(groups):
        part = _group_plan(group, tuple(reversed(before)), grain)
        if part is None and at:
            return at
        parts.append(part or Fact(tuple(word for one in group for word in one)))
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
