"""Decomposition of a clause into facts: its main part, its modifiers of nouns, and the clauses coordinated with it.

Limitations: parts that cannot form a sentence alone are not split off, because a wrong split hurts more than none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from src.programs.decomposition.lists import listed
from src.programs.decomposition.modifiers import modifiers, stands_together
from src.programs.decomposition.phrases import (
    DASHES,
    SUBJECTS,
    Phrase,
    Subject,
    auxiliaries,
    be,
    disagrees,
    finite,
    has_loose_ends,
    has_subject,
    indefinite,
    is_denied,
    subject_of,
    tokens,
    without,
)
from src.programs.decomposition.plans import Fact, Plan, all_of, any_of, is_unsplit, record_split
from src.programs.decomposition.pronouns import is_loose, resolved
from src.programs.decomposition.relative_clauses import is_relative, statement

if TYPE_CHECKING:
    from spacy.tokens import Token

_CONTRASTS = {"although", "though", "whereas", "while"}
_JOINING = {"and", "but", "or", "&", "yet"}


def is_title(verb: "Token") -> bool:
    """Return True if the verb is capitalized inside its sentence: it is then part of the title of a work."""
    return verb.is_title and verb != verb.sent[0]


def is_opening_participle(verb: "Token") -> bool:
    """Return True if an opening participle is parsed as the main verb.

    An example is `Anna Berg, married to an architect, died in Lorn`.
    """
    if verb.i == 0 or verb.nbor(-1).text != "," or auxiliaries(verb) or verb.tag_ not in ("VBN", "VBD"):
        return False
    joined = [child for child in verb.children if child.dep_ == "conj" and finite(child) and not has_subject(child)]
    subjects = [child for child in verb.children if child.dep_ in SUBJECTS and child.i == verb.i - 2]
    follows = joined[0].left_edge.nbor(-1).text == "," if joined else False
    return len(joined) == 1 and len(subjects) == 1 and follows


def links(verb: "Token") -> set[str]:
    """Return the conjunctions (`and`, `but`, `or`) between the verb and all clauses coordinated with it."""
    conjunctions = {child.lower_ for child in verb.children if child.dep_ == "cc"}
    joined = [child for child in verb.children if child.dep_ == "conj" and child.pos_ in ("VERB", "AUX")]
    return conjunctions.union(*(links(child) for child in joined)) if joined else conjunctions


def is_bare(verb: "Token", joined: "Token") -> bool:
    """Return True if the verb has no object or complement and the verb coordinated with it has one.

    In `wrote and directed the film`, both verbs share one object.
    """
    return not any(
        child.dep_ not in ("cc", "punct", "preconj", "conj", "prt") for child in verb.rights if child.i < joined.i
    ) and any(child.dep_ in ("dobj", "prep", "agent", "attr") for child in joined.rights)


def contrast(verb: "Token") -> "Token | None":
    """Return the `although` (or `while`, …) that opens the verb's clause.

    Return None unless the clause has a subject and tense.
    """
    marks = [child for child in verb.children if child.dep_ in ("mark", "advmod") and child.lower_ in _CONTRASTS]
    return marks[0] if marks and has_subject(verb) and finite(verb) else None


def joining(verb: "Token") -> list["Token"]:
    """Return the words between a coordinated clause and the clause before it; they are superfluous after the split."""
    words, at = [], verb.left_edge.i - 1
    while at >= 0 and (verb.doc[at].lower_ in _JOINING or verb.doc[at].text in (",", ";", *DASHES)):
        words.append(verb.doc[at])
        at -= 1
    either = [child for child in verb.head.lefts if child.lower_ in ("either", "both") and child.dep_ != "det"]
    return words + either


_PUT_IN = ("was", "were")


@dataclass(frozen=True)
class Clause:
    """A clause of a claim.

    `head`: the main verb.
    `phrase`: the words of the clause, including a repeated subject.
    `subject`: the subject; None if it cannot be repeated.
    `auxiliaries`: verbs that coordinated clauses inherit.
    `outer`: subjects of enclosing clauses and of an opening contrast, nearest first.
    `is_first`: True if the clause begins the claim.
    """

    head: "Token"
    phrase: Phrase
    subject: Subject | None
    auxiliaries: Phrase = ()
    outer: tuple[Subject, ...] = ()
    is_first: bool = False

    @property
    def subjects(self) -> tuple[Subject, ...]:
        return (self.subject, *self.outer) if self.subject else self.outer


def sentence_plan(root: "Token", outer: tuple[Subject, ...]) -> Plan | None:
    """Return the plan of a sentence; None if a pronoun has no clear antecedent.

    `outer`: subjects of the earlier sentences, nearest first; pronouns may refer to them.
    """
    about, is_first = subject_of(root), root.sent.start == 0
    phrase: Phrase = tuple(sorted(root.subtree))
    if about is not None and is_opening_participle(root):
        form = be(about, past=True)
        phrase = tuple(form if piece == root.nbor(-1) else piece for piece in phrase)
    return plan(Clause(root, phrase, about, tuple(auxiliaries(root)), outer, is_first))


def whole_sentence(root: "Token", outer: tuple[Subject, ...]) -> Fact | None:
    """Return the sentence as one fact, with its pronouns replaced by their antecedents.

    `outer`: subjects of the earlier sentences, nearest first; pronouns may refer to them. The first sentence of a claim
    is returned unchanged. Return None if a pronoun has no clear antecedent.
    """
    about, words = subject_of(root), tuple(sorted(root.subtree))
    is_first = root.sent.start == 0
    phrase = words if is_first else resolved(words, (about, *outer) if about else outer, about)
    return Fact(phrase) if phrase is not None else None


def plan(clause: Clause) -> Plan | None:
    if not _has_tense(clause) or is_title(clause.head):
        return None
    clause, joined, is_or = _joined(clause)
    clause, modifier_plans = _without_modifiers(clause)
    is_whole = clause.is_first and not is_loose(clause.phrase)
    phrase = clause.phrase if is_whole else resolved(clause.phrase, clause.subjects, clause.subject)
    if phrase is None or has_loose_ends(phrase):
        return None
    own = listed(phrase, clause.head)
    if own is None:
        return None
    first = all_of(own, *modifier_plans)
    return any_of(first, *joined) if is_or else all_of(first, *joined)


def _joined(clause: Clause) -> tuple[Clause, list[Plan], bool]:
    """Return the clause without its coordinated clauses, the plans of these clauses, and True if `or` joins them."""
    plans: list[Plan] = []
    opening = [subject_of(child) for child in clause.head.lefts if child.dep_ == "advcl" and contrast(child)]
    clause = replace(clause, outer=(*filter(None, opening), *clause.outer))
    linked = links(clause.head)
    if "or" in linked and len(linked) > 1:
        return clause, [], False  # `sang or danced and won`: the scope of `or` is unclear
    for part in _parts(clause):
        is_apart = stands_together(tuple(part.head.subtree), clause.phrase) and not _is_under_not(part, clause, linked)
        part_plan = plan(part) if is_apart and not is_unsplit(part.head) else None
        if part_plan is not None:
            record_split(part.head)
            plans.append(part_plan)
            clause = replace(clause, phrase=without(clause.phrase, [*part.head.subtree, *joining(part.head)]))
    return clause, plans, "or" in linked and not is_denied(clause.head)


def _is_under_not(part: Clause, clause: Clause, linked: set[str]) -> bool:
    """Return True if a `not` of the clause negates the coordinated clause too, or may do so.

    Examples are `did not sing and dance` and `has never sung or danced`.
    """
    shares = any(word in part.auxiliaries for word in clause.head.children if word.dep_ == "neg")
    return is_denied(clause.head) and shares != ("or" in linked)


def _has_tense(clause: Clause) -> bool:
    is_put_in = any(piece in _PUT_IN for piece in clause.phrase if isinstance(piece, str))
    return is_put_in or bool(clause.auxiliaries) or finite(clause.head) is not None


def _parts(clause: Clause) -> Iterator[Clause]:
    for child in clause.head.children:
        if child.pos_ not in ("VERB", "AUX") or child.i not in {word.i for word in tokens(clause.phrase)}:
            continue
        if any(one.dep_ in SUBJECTS and one.lower_ == "one" for one in child.children):
            part = None  # `another one was sold`
        elif child.dep_ == "conj":
            part = _conjunct(child, clause)
        elif child.dep_ == "advcl" and (mark := contrast(child)):
            words = without(tuple(child.subtree), [mark, *(one for one in child.children if one.lower_ == "even")])
            part = Clause(child, words, subject_of(child), tuple(auxiliaries(child)), clause.subjects)
        else:
            part = None
        if part is not None:
            yield part


def _conjunct(verb: "Token", clause: Clause) -> Clause | None:
    """Return a coordinated clause, with the subject and any missing auxiliary of the clause before it.

    Return None if the clause is unclear.
    """
    if is_relative(verb):
        return _relative_conjunct(verb, clause)
    if has_subject(verb):
        return Clause(verb, tuple(verb.subtree), subject_of(verb), tuple(auxiliaries(verb)), clause.subjects)
    if clause.subject is None or is_bare(clause.head, verb):
        return None
    if disagrees(verb, clause.subject):
        return None
    own = tuple(auxiliaries(verb))
    passive = any(isinstance(one, str) for one in clause.auxiliaries) and not own  # `was`, inserted before a participle
    lacks = passive or finite(verb) is None
    if lacks and not clause.auxiliaries:
        return None
    if lacks and verb.tag_ != clause.head.tag_ and not (passive and verb.tag_ == "VBD"):
        return None
    used = clause.auxiliaries if lacks else own
    words = (*clause.subject.phrase, *(used if lacks else ()), *tuple(verb.subtree))
    return Clause(verb, words, clause.subject, used, clause.outer)


def _relative_conjunct(verb: "Token", clause: Clause) -> Clause | None:
    """Return the clause of `and who sang` after another relative clause; None if it is not about the same subject."""
    sentence = statement(verb, clause.subject.phrase) if clause.subject else None
    if sentence is None or not sentence.is_about:
        return None
    return Clause(verb, sentence.phrase, clause.subject, tuple(auxiliaries(verb)), clause.outer)


def _without_modifiers(clause: Clause) -> tuple[Clause, list[Plan]]:
    """Return the clause without its modifiers, and the plans of the modifiers."""
    plans: list[Plan] = []
    for modifier in modifiers(clause.phrase, clause.head, clause.subject):
        if not all(word.i in {one.i for one in tokens(clause.phrase)} for word in modifier.words):
            continue
        part = plan(Clause(modifier.head, modifier.phrase, modifier.subject, modifier.auxiliaries, clause.subjects))
        if part is not None:
            record_split(modifier.head)
            plans.append(part)
            rest = without(clause.phrase, [*modifier.words, *modifier.around])
            clause = replace(clause, phrase=indefinite(rest, modifier.article) if modifier.article else rest)
    return clause, plans
