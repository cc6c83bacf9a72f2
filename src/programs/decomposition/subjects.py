"""Subjects of clauses, as they are repeated in the facts that are derived from them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from src.programs.decomposition.phrases import DASHES, Words

if TYPE_CHECKING:
    from spacy.tokens import Token

SUBJECTS = ("nsubj", "nsubjpass")
_QUANTIFIERS = {
    "all", "any", "each", "either", "every", "everybody", "everyone", "everything", "exactly", "few", "fewer", "hardly",
    "less", "many", "more", "most", "neither", "no", "nobody", "none", "nothing", "only", "several", "some", "somebody",
    "someone",
}  # fmt: skip
_SHARES = {"%", "half", "majority", "minority", "percent", "quarter", "third"}
ROLES = {
    "actor", "actress", "artist", "author", "brother", "comedian", "composer", "creator", "daughter", "developer",
    "director", "discoverer", "editor", "father", "founder", "husband", "inventor", "man", "mother", "musician",
    "narrator", "owner", "player", "producer", "scientist", "screenwriter", "singer", "sister", "son", "star", "wife",
    "woman", "writer",
}  # fmt: skip
_DETACHED = ("relcl", "appos", "acl")


@dataclass(frozen=True)
class Subject:
    """A subject. `head` is the syntactic head of its phrase."""

    phrase: Words
    head: "Token"

    @property
    def is_plural(self) -> bool:
        is_name = self.head.tag_ == "NNPS" and any(child.lower_ == "the" for child in self.head.children)
        return is_name or self.head.tag_ == "NNS" or any(child.dep_ == "conj" for child in self.head.children)

    @property
    def is_person(self) -> bool:
        return self.head.ent_type_ == "PERSON" or self.head.lemma_.lower() in ROLES


def subject_of(verb: "Token") -> Subject | None:
    """Return the subject of the verb without modifiers that do not identify it; None if none can be repeated."""
    found = [child for child in verb.children if child.dep_ in SUBJECTS]
    return core(found[0]) if len(found) == 1 and is_repeatable(found[0]) else None


def has_subject(verb: "Token") -> bool:
    return any(child.dep_ in (*SUBJECTS, "expl", "csubj", "csubjpass") for child in verb.children)


def is_repeatable(noun: "Token") -> bool:
    """Return True if two clauses about the noun can become two sentences: not for `no player`."""
    return noun.pos_ in ("NOUN", "PROPN", "NUM") and noun.lower_ != "who" and not is_quantified(noun)


def is_quantified(noun: "Token") -> bool:
    """Return True if the noun is some, all or none of a kind and not definite: `two players`, not `the two players`."""
    words = [word for word in (noun, *noun.children) if word == noun or word.dep_ not in ("compound", "conj")]
    said = {word.lower_ for word in words if word.lower_ != "only" or word.dep_ == "advmod"}  # `the only player`
    if said & _QUANTIFIERS or noun.lower_ in _SHARES or (noun.pos_ == "NUM" and "of" in said):
        return True
    is_known = any(word.dep_ == "poss" or word.lower_ in ("the", "these", "those") for word in words)
    counts = any(word.dep_ == "nummod" and (noun.tag_ == "NNS" or word.lower_ == "one") for word in words)
    return counts and noun.pos_ == "NOUN" and not is_known


def core(noun: "Token") -> Subject:
    """Return the noun with the words that name it, without appositions and clauses that are set off."""
    told = [child for word in noun.subtree for child in word.children if _tells_more(child)]
    gone = {word.i for child in told for word in child.subtree}
    gone |= {child.i for child in noun.children if child.dep_ == "punct" and child.text in (",", ":", *DASHES)}
    kept = {word.i: word for word in noun.subtree if word.i not in gone}
    for name in noun.doc.ents:
        if name.label_ == "PERSON" and name.start <= noun.i < name.end:  # also parts attached elsewhere
            kept |= {word.i: word for word in name if word.tag_ != "POS"}
    return Subject(tuple(kept[at] for at in sorted(kept)), noun)


def _tells_more(child: "Token") -> bool:
    if child.dep_ == "appos":
        return is_set_off(child) and (child.pos_ != "PROPN" or child.head.pos_ == "PROPN")
    if child.dep_ == "prep":
        return is_set_off(child)
    return child.dep_ in _DETACHED and (is_set_off(child) or child.head.pos_ == "PROPN")


def is_set_off(child: "Token") -> bool:
    """Return True if a comma, a dash or an opening parenthesis precedes the child's words."""
    edge = child.left_edge
    return edge.i > 0 and edge.nbor(-1).text in (",", "(", *DASHES)


def full_name(noun: "Token") -> "Token":
    """Return the head of the name that the noun ends: `University` of `the University of Oslo`."""
    while noun.dep_ == "pobj" and noun.head.lower_ in ("of", "for") and noun.head.head.pos_ == "PROPN":
        noun = noun.head.head
    return noun
