"""Distribution tests: does the predicate of a list hold of each member? Not for `no player won the cup or the league`.

Limitations: a list with `and` under `all` or `every` is also kept whole, although each member holds alone there.
"""

from typing import TYPE_CHECKING, NamedTuple

from src.programs.decomposition.phrases import Phrase, Words, tokens
from src.programs.decomposition.subjects import SUBJECTS, is_quantified
from src.programs.decomposition.verbs import is_denied

if TYPE_CHECKING:
    from spacy.tokens import Token

_TOGETHER = {
    "alike", "another", "between", "both", "combine", "common", "compare", "connect", "different", "divide", "each",
    "equal", "join", "link", "marry", "merge", "mix", "other", "respectively", "same", "separate", "share", "similar",
    "together", "unite",
}  # fmt: skip
_LIMITS = {"barely", "hardly", "only", "rarely", "scarcely", "seldom"}
_LONG_NAME = 3  # words of `Carl Dahl Ice`


class Listed(NamedTuple):
    """A list: `members` with their words, `joint` with the words between them, and `link`, the last of and, or, nor,
    but."""

    members: list[tuple["Token", Words]]
    joint: list["Token"]
    link: str
    opening: str  # both, either, neither, or empty


def is_of_many(found: Listed, head: "Token") -> bool:
    """Return True if the subject is `no`, `all` or `two` of a kind, who can be different ones for each member."""
    subjects = [child for child in head.children if child.dep_ in SUBJECTS]
    return found.members[0][0] not in subjects and any(map(is_quantified, subjects))


def is_each_alone(found: Listed, phrase: Phrase, head: "Token") -> bool:
    first = found.members[0][0]
    if any(word.lemma_.lower() in _TOGETHER and word not in found.joint for word in tokens(phrase)):
        return False
    if is_denied(head) or is_denied(first.head) or _is_limited(first, head) or _is_paired(found, phrase, head):
        return False
    holds_of_several = any(child.dep_ == "attr" and child.tag_ == "NNS" for child in first.head.children)
    if first.dep_ in SUBJECTS and (found.opening != "both" or holds_of_several):
        return False
    if first.dep_ == "prep":
        return _are_alike(found)
    alike = len({one.pos_ for one, _ in found.members}) == 1
    return alike and all(_is_definite(one) for one, _ in found.members) and not _may_lack_verb(found)


def _is_limited(first: "Token", head: "Token") -> bool:
    """Return True for `rarely visited`, `only visited`, `in only Rome and Oslo`."""
    near = (*head.children, *first.head.children, *first.children)
    return any(word.lower_ in _LIMITS and word.dep_ == "advmod" for word in near)


def _is_paired(found: Listed, phrase: Phrase, head: "Token") -> bool:
    """Return True if a list of numbers goes with the list: `in Sweden and Norway for 3 and 5 million`."""
    own = {word.i for _, words in found.members for word in words}
    return any(
        word.dep_ == "conj" and word.head.pos_ == "NUM" and word.i > head.i and not {word.i, word.head.i} & own
        for word in tokens(phrase)
    )


def _are_alike(found: Listed) -> bool:
    """Return True if all members are places or all are times: not for `until 1990 and in Rome afterwards`."""
    preps = [one for one, _ in found.members]
    dates = {any(child.ent_type_ in ("DATE", "TIME") for child in one.children) for one in preps}
    has_more = any(child.dep_ == "advmod" and child.i > one.i for one in preps for child in one.children)
    return len(dates) == 1 and not has_more and all(one.dep_ == "conj" and one.pos_ == "ADP" for one in preps[1:])


def _is_definite(member: "Token") -> bool:
    """Return True for a name, or a noun with its article, if nothing follows it that may belong to all members."""
    if any(child.dep_ not in ("conj", "cc", "punct", "case", "appos") for child in member.rights):
        return False
    has_article = any(child.dep_ in ("det", "poss") for child in member.children)
    return member.pos_ == "PROPN" or (member.pos_ == "NOUN" and has_article)


def _may_lack_verb(found: Listed) -> bool:
    """Return True for `wrote Snow and Carl Dahl Ice`: an apparently longer person's name may be a person and a
    thing."""
    (first, _), (last, words) = found.members[0], found.members[-1]
    if first.dep_ != "dobj" or any(word.ent_type_ != "PERSON" or word.pos_ != "PROPN" for word in words):
        return False
    return len(words) >= _LONG_NAME and all(len(one) < len(words) for _, one in found.members[:-1]) and last != first
