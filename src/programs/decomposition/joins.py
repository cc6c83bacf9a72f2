"""Coordination and contrast of clauses: the links between verbs, and verbs that are not verbs of the sentence."""

from typing import TYPE_CHECKING

from src.programs.decomposition.phrases import DASHES
from src.programs.decomposition.subjects import SUBJECTS, has_subject
from src.programs.decomposition.verbs import auxiliaries, finite

if TYPE_CHECKING:
    from spacy.tokens import Token

_CONTRASTS = {"although", "though", "whereas", "while"}
_JOINING = {"and", "but", "or", "&", "yet"}


def is_title(verb: "Token") -> bool:
    """Return True if the verb is capitalized inside its sentence, as in the title of a work."""
    return verb.is_title and verb != verb.sent[0]


def is_opening_participle(verb: "Token") -> bool:
    """Return True for `Anna Berg, married to an architect, died in Lorn`, where the participle is parsed as the main
    verb."""
    if verb.i == 0 or verb.nbor(-1).text != "," or auxiliaries(verb) or verb.tag_ not in ("VBN", "VBD"):
        return False
    joined = [child for child in verb.children if child.dep_ == "conj" and finite(child) and not has_subject(child)]
    subjects = [child for child in verb.children if child.dep_ in SUBJECTS and child.i == verb.i - 2]
    follows = joined[0].left_edge.nbor(-1).text == "," if joined else False
    return len(joined) == 1 and len(subjects) == 1 and follows


def links(verb: "Token") -> set[str]:
    """Return the `and`, `but`, `or` between the verb and all clauses joined to it."""
    found = {child.lower_ for child in verb.children if child.dep_ == "cc"}
    joined = [child for child in verb.children if child.dep_ == "conj" and child.pos_ in ("VERB", "AUX")]
    return found.union(*(links(child) for child in joined)) if joined else found


def is_bare(verb: "Token", joined: "Token") -> bool:
    """Return True if the verb has nothing of its own: in `wrote and directed the film` both verbs share one object."""
    return not any(
        child.dep_ not in ("cc", "punct", "preconj", "conj", "prt") for child in verb.rights if child.i < joined.i
    ) and any(child.dep_ in ("dobj", "prep", "agent", "attr") for child in joined.rights)


def contrast(verb: "Token") -> "Token | None":
    """Return the `although` of a clause that has its own subject and tense."""
    marks = [child for child in verb.children if child.dep_ in ("mark", "advmod") and child.lower_ in _CONTRASTS]
    return marks[0] if marks and has_subject(verb) and finite(verb) else None


def joining(verb: "Token") -> list["Token"]:
    """Return the words between the joined clause and the previous one; they are superfluous after the split."""
    words, at = [], verb.left_edge.i - 1
    while at >= 0 and (verb.doc[at].lower_ in _JOINING or verb.doc[at].text in (",", ";", *DASHES)):
        words.append(verb.doc[at])
        at -= 1
    either = [child for child in verb.head.lefts if child.lower_ in ("either", "both") and child.dep_ != "det"]
    return words + either
