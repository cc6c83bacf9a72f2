"""Lists whose members become separate facts: `a castle but not a bridge`, `neither here nor there`.

The predicate must hold of each member. A list whose members must be verified together is not split: `no player won the
cup or the league`.

Limitations: a list with `and` under `all` or `every` is not split either, although the predicate holds of each member.
"""

from typing import TYPE_CHECKING, NamedTuple

from src.programs.decomposition.phrases import (
    SUBJECTS,
    Phrase,
    Words,
    auxiliaries,
    denied,
    finite,
    is_denied,
    is_quantified,
    singular,
    tokens,
    without,
)
from src.programs.decomposition.plans import Fact, Plan, all_of, any_of, is_unsplit, record_split

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
    """A list in a phrase.

    `members`: the head and the words of each member.
    `joint`: the words between the members.
    `link`: the last conjunction: and, or, nor, but.
    `opening`: `both`, `either`, `neither`, or empty.
    """

    members: list[tuple["Token", Words]]
    joint: list["Token"]
    link: str
    opening: str  # both, either, neither, or empty


def is_of_many(word_list: Listed, head: "Token") -> bool:
    """Return True if the subject is `no`, `all` or `two` of a kind: each member may then hold of different ones."""
    subjects = [child for child in head.children if child.dep_ in SUBJECTS]
    return word_list.members[0][0] not in subjects and any(map(is_quantified, subjects))


def is_each_alone(word_list: Listed, phrase: Phrase, head: "Token") -> bool:
    first = word_list.members[0][0]
    if any(word.lemma_.lower() in _TOGETHER and word not in word_list.joint for word in tokens(phrase)):
        return False
    if is_denied(head) or is_denied(first.head) or _is_limited(first, head) or _is_paired(word_list, phrase, head):
        return False
    holds_of_several = any(child.dep_ == "attr" and child.tag_ == "NNS" for child in first.head.children)
    if first.dep_ in SUBJECTS and (word_list.opening != "both" or holds_of_several):
        return False
    if first.dep_ == "prep":
        return _are_alike(word_list)
    alike = len({one.pos_ for one, _ in word_list.members}) == 1
    return alike and all(_is_definite(one) for one, _ in word_list.members) and not _may_lack_verb(word_list)


def _is_limited(first: "Token", head: "Token") -> bool:
    """Return True if a limiting adverb belongs to the list: `rarely visited`, `in only Rome and Oslo`."""
    near = (*head.children, *first.head.children, *first.children)
    return any(word.lower_ in _LIMITS and word.dep_ == "advmod" for word in near)


def _is_paired(word_list: Listed, phrase: Phrase, head: "Token") -> bool:
    """Return True if a list of numbers corresponds to the list: `in Sweden and Norway for 3 and 5 million`."""
    own = {word.i for _, words in word_list.members for word in words}
    return any(
        word.dep_ == "conj" and word.head.pos_ == "NUM" and word.i > head.i and not {word.i, word.head.i} & own
        for word in tokens(phrase)
    )


def _are_alike(word_list: Listed) -> bool:
    """Return True if the members are all places or all times.

    An example of unlike members is `until 1990 and in Rome afterwards`.
    """
    preps = [one for one, _ in word_list.members]
    dates = {any(child.ent_type_ in ("DATE", "TIME") for child in one.children) for one in preps}
    has_more = any(child.dep_ == "advmod" and child.i > one.i for one in preps for child in one.children)
    return len(dates) == 1 and not has_more and all(one.dep_ == "conj" and one.pos_ == "ADP" for one in preps[1:])


def _is_definite(member: "Token") -> bool:
    """Return True if the member is a name or a noun with an article or possessive.

    Return False if a modifier follows it: the modifier may belong to all members of the list.
    """
    if any(child.dep_ not in ("conj", "cc", "punct", "case", "appos") for child in member.rights):
        return False
    has_article = any(child.dep_ in ("det", "poss") for child in member.children)
    return member.pos_ == "PROPN" or (member.pos_ == "NOUN" and has_article)


def _may_lack_verb(word_list: Listed) -> bool:
    """Return True if the last object may be a second person with an object: `wrote Snow and Carl Dahl Ice`.

    The parser reads `Carl Dahl Ice` as one name. A person's name that is longer than the other members may be a name
    and a title.
    """
    (first, _), (last, words) = word_list.members[0], word_list.members[-1]
    if first.dep_ != "dobj" or any(word.ent_type_ != "PERSON" or word.pos_ != "PROPN" for word in words):
        return False
    return (
        len(words) >= _LONG_NAME and all(len(one) < len(words) for _, one in word_list.members[:-1]) and last != first
    )


_SHARED = {"in", "at", "for", "from", "to", "on"}
_LINKS = ("and", "or", "nor", "but")


def listed(phrase: Phrase, head: "Token") -> Plan | None:
    """Return the plan of a phrase: one fact for each member of its list, or a single fact if no list can be split.

    Return None if an unresolved `neither` or `nor` remains.
    """
    words = {word.i: word for word in tokens(phrase)}
    for first in words.values():
        word_list = _list(first, words) if any(child.dep_ == "conj" for child in first.children) else None
        plan = _plan(word_list, phrase, head) if word_list and _belongs(first, head) and not is_unsplit(first) else None
        if plan is not None:
            record_split(first)
            return plan
    return None if any(word.lower_ in ("neither", "nor") for word in words.values()) else Fact(phrase)


def _belongs(first: "Token", head: "Token") -> bool:
    """Return True if the list is the subject, the object or the adverbial of place of the verb `head`.

    The predicate then holds of each member.
    """
    if first.dep_ == "pobj":
        return first.head.head == head and first.head.lower_ in _SHARED
    return first.head == head and first.dep_ in (*SUBJECTS, "dobj", "attr", "prep", "agent", "acomp")


def _list(first: "Token", inside: dict[int, "Token"]) -> Listed | None:
    members, at = [first], first
    joint: list[Token] = []
    while following := [child for child in at.rights if child.dep_ == "conj" and child.i in inside]:
        if len(following) > 1:
            return None
        joint += [child for child in at.children if child.dep_ in ("cc", "punct") and at.i < child.i < following[0].i]
        at = following[0]
        members.append(at)
    link = [word.lower_ for word in joint if word.dep_ == "cc"]
    opening = [child for child in first.children if child.lower_ in ("both", "either", "neither")]
    behind = [child for child in first.head.children if child.lower_ == "both" and child.i > at.i]
    opening += [child for child in behind if child.nbor(-1).lower_ != "not"]  # `but not both` does not distribute
    if len(link) == 0 or any(one not in _LINKS for one in link):
        return None
    each = [(one, _own(one, [*joint, *opening])) for one in members]
    return Listed(each, [*joint, *opening], link[-1], opening[0].lower_ if opening else "")


def _own(member: "Token", joint: list["Token"]) -> Words:
    later = {word.i for child in member.children if child.dep_ == "conj" for word in child.subtree}
    return tuple(word for word in member.subtree if word.i not in later and word not in joint)


def _plan(word_list: Listed, phrase: Phrase, head: "Token") -> Plan | None:
    if is_of_many(word_list, head):
        return None
    if word_list.link == "nor":
        is_denial = word_list.opening == "neither"
        facts = (
            [_denied(_one(word_list, at, phrase), head) for at in range(len(word_list.members))]
            if is_denial
            else [None]
        )
        known = [one for one in facts if one is not None]
        return all_of(*known) if len(known) == len(facts) else None
    if word_list.link == "but":
        return _but_not(word_list, phrase, head)
    if not is_each_alone(word_list, phrase, head):
        return None
    facts_of_each = [_agreeing(_one(word_list, at, phrase), word_list, head) for at in range(len(word_list.members))]
    return any_of(*map(Fact, facts_of_each)) if word_list.link == "or" else all_of(*map(Fact, facts_of_each))


def _one(word_list: Listed, at: int, phrase: Phrase) -> Phrase:
    """Return the phrase with the member at index `at` (from 0) instead of the list."""
    first = word_list.members[0][1][0]
    gone = {word.i for _, words in word_list.members for word in words} | {word.i for word in word_list.joint}
    pieces: list[Phrase] = []
    for piece in phrase:
        place = getattr(piece, "i", None)
        if place == first.i:
            pieces.append(word_list.members[at][1])
        elif place not in gone:
            pieces.append((piece,))
    return tuple(one for part in pieces for one in part)


def _denied(phrase: Phrase, head: "Token") -> Fact | None:
    form = denied(head)
    if form is None:
        return None
    rest = without(phrase, auxiliaries(head))
    return Fact(tuple(one for piece in rest for one in (form if piece == head else (piece,))))


def _but_not(word_list: Listed, phrase: Phrase, head: "Token") -> Plan | None:
    """Return the plan of `a castle but not a theatre`: the last member is negated, the other members are stated.

    Return None if the last member has not exactly one `not` before it, or if it cannot be negated.
    """
    last, words = word_list.members[-1]
    negations = [child for child in (*last.children, *last.head.children) if child.lower_ == "not"]
    if len(negations) != 1 or negations[0].i > last.i:
        return None
    gone = [*words, *negations, *(word for word in word_list.joint if word.i > word_list.members[-2][1][-1].i)]
    only = without(_one(word_list, len(word_list.members) - 1, phrase), negations)
    other = _denied(only, head)
    return all_of(Fact(without(phrase, gone)), other) if other else None


def _agreeing(phrase: Phrase, word_list: Listed, head: "Token") -> Phrase:
    """Return the phrase with a singular verb if the split list was its subject."""
    verb = finite(head)
    form = singular(verb) if verb is not None and word_list.members[0][0].dep_ in SUBJECTS else None
    return tuple(form if form and piece == verb else piece for piece in phrase)
