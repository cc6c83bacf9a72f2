"""Antecedents: what a pronoun, or a noun such as `the company`, stands for.

A name is returned only if it is the only one that fits in the sentence so far, or else in the nearest of the two
sentences before it that has any.

Limitations: English. Genders of persons are known only by pronouns before. Nouns for persons are recognized by a list
and by endings.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from src.check.article.mentions import NOUN, Mention, Names, is_inside
from src.check.article.nouns import PERSONS, PLACES, is_bare, verb_of
from src.check.article.worthiness import SAYS

if TYPE_CHECKING:
    from spacy.tokens import Token

_PERSON = {"he", "him", "his", "she", "her", "hers"}
_THING = {"it", "its", "they", "them", "their", "theirs"}
_POINTING = {"this", "that", "these", "those"}
_THINGS = ("ORG", "GPE", "PRODUCT", "LOC", "FAC", "LAW", "EVENT", "WORK_OF_ART", NOUN)
_GROUPS = ("ORG", "NORP")  # may be `they`, but only within a sentence
_ORGANIZATIONS = ("company", "firm", "group", "agency", "party", "bank", "ministry", "university")
_KINDS = {
    **dict.fromkeys(_ORGANIZATIONS, ("ORG",)),
    **dict.fromkeys(PLACES, ("GPE", "LOC")),
    **dict.fromkeys(PERSONS, ("PERSON",)),
}
_RELATED = {"aunt", "boy", "boyfriend", "child", "client", "colleague", "friend", "girl", "girlfriend", "guy", "host",
            "husband", "kid", "lady", "nurse", "person", "pilot", "spouse", "student", "uncle", "victim", "wife",
            "witness"}  # fmt: skip
_ENDINGS = ("er", "or", "ist", "ian", "ant", "man", "woman", "ee")  # of nouns for persons
_LINKS = {"'s", "\u2019s", "is", "was", "seems", "seemed", "appears", "appeared"}
_QUOTES = ('"', "\u201c", "\u201d")
_OTHER = {"he": "she", "she": "he"}


def wanted(word: "Token") -> tuple[str, ...]:
    """Return the kinds of names that a word may stand for; () for a word that needs none."""
    low, is_pronoun = word.lower_, word.pos_ in ("PRON", "DET")
    if low in _PERSON and is_pronoun:
        return ("PERSON",)
    if low in _THING and is_pronoun and word.dep_ != "expl" and not _is_empty(word):
        return _GROUPS if low.startswith("the") else _THINGS
    if low in _POINTING and is_pronoun and verb_of(word) is not None and word.tag_ != "WDT":
        return ("",)
    is_definite = any(child.lower_ == "the" for child in word.children)
    if verb_of(word) is not None and is_definite and is_bare(word):
        return _KINDS.get(word.lemma_, ())
    return ()


def _is_empty(word: "Token") -> bool:
    """Return True for an `it` that names nothing, as in `it is known that`."""
    if word.lower_ != "it" or verb_of(word) is None or word.head.lower_ not in _LINKS:
        return False
    beside = [two for one in word.head.children for two in (one, *one.children) if two.i > word.head.i]
    return any(one.dep_ in ("ccomp", "csubj", "advcl", "xcomp") for one in beside)


def group_of(word: "Token") -> str:
    """Return a key that is equal for words that stand for the same name in a sentence."""
    low = word.lower_
    if low in _PERSON:
        return "she" if low in ("she", "her", "hers") else "he"
    return "they" if low in _THING and low.startswith("the") else "it" if low in _THING else word.lemma_


def antecedent(word: "Token", kinds: tuple[str, ...], own: Sequence[Mention], names: Names) -> Mention | None:
    """Return what a word stands for; None if that is unclear.

    The place of the mention is below 0 if it is in a sentence before. The name is "" if it is nothing with a name, but
    clear within the sentence.
    """
    group = group_of(word)
    if word.lower_ in _POINTING:
        return None
    in_sentence = [one for one in own if one.kind in kinds and one.start < word.idx and _may_be(one, word, names)]
    if in_sentence and group in ("it", "they") and not _is_owner(word) and not any(one.verb for one in in_sentence):
        return None  # `the mayor of Kessel called it …`
    if group == "they" and (clear := _nameless(word, own)):
        return clear
    if not in_sentence and (clear := _later_subject(word, own) or _nameless(word, own)):
        return clear
    if group in _OTHER and _may_be_another(word, in_sentence, names):
        return None
    fitting = in_sentence or _in_sentences_before(word, kinds, names)
    if len({one.name for one in fitting}) != 1:
        return None
    if group in _OTHER:
        names.genders[fitting[0].name] = group
    return fitting[0]


def _may_be_another(word: "Token", in_sentence: Sequence[Mention], names: Names) -> bool:
    """Return True where only a speaker fits whose gender is not known, and another person is named before.

    `Berg called Holm. Holm said that she …`: she is Berg, if Holm is a man.
    """
    speakers = {one.name for one in in_sentence if one.verb is not None and one.verb.lemma_ in SAYS}
    if not in_sentence or any(one.name not in speakers or one.name in names.genders for one in in_sentence):
        return False
    before, _ = names.nearest(("PERSON",))
    return any(one.name not in speakers and _may_be(one, word, names) for one in before)


def _in_sentences_before(word: "Token", kinds: tuple[str, ...], names: Names) -> list[Mention]:
    """Return the names that fit in the nearest sentence; none if the word may stand for something nameless as well."""
    group = group_of(word)
    if _is_quoted(word) or _is_vague(word) or group == "they":
        return []
    found, between = names.nearest(kinds)
    fitting = [one for one in found if _may_be(one, word, names)]
    if group in _OTHER:
        has_other = any(verb_of(one) is not None for one in _of_group(between, group))
        joined = any(one.joined and one.name not in names.genders for one in fitting)
        aside = not all(one.is_central for one in fitting)
        return [] if has_other or joined or aside else [one._replace(start=-1) for one in fitting]
    return [] if any(_is_aside(one, word) for one in fitting) else [one._replace(start=-1) for one in fitting]


def _is_aside(mention: Mention, word: "Token") -> bool:
    """Return True for a thing that a sentence mentions by the way.

    `Berg lives in Oslo. It …`; `Holm left Nordfrost. The company …`; `Nordfrost said that … It …`; `The report says
    Nordfrost has … It says …`.
    """
    if mention.verb is None:
        return not mention.is_central or word.lemma_ in _ORGANIZATIONS or mention.kind in ("GPE", "LOC")
    is_said = mention.verb.dep_ == "ccomp" and mention.verb.head.lemma_ in SAYS
    return mention.verb.lemma_ in SAYS or (is_said and word.head.lemma_ in SAYS)


def _is_quoted(word: "Token") -> bool:
    """Return True within direct speech, in which the words stand for what was named in the conversation."""
    marks = [one.text for one in word.sent if one.i < word.i and one.text in _QUOTES]
    return len(marks) % 2 == 1


def _is_vague(word: "Token") -> bool:
    """Return True for an `it` that may name nothing: `It is cold in Oslo`, `It does not mean much`."""
    is_adjective = any(one.dep_ == "acomp" for one in word.head.children)
    return word.lower_ == "it" and (is_adjective or word.head.lemma_ == "mean")


def _is_owner(word: "Token") -> bool:
    return word.dep_ == "poss"


def _may_be(mention: Mention, word: "Token", names: Names) -> bool:
    """Return False for a name of the other gender, and for Holm as `him` in `Holm met him`."""
    group = group_of(word)
    is_other = group in _OTHER and names.genders.get(mention.name) == _OTHER[group]
    return not is_other and not _is_object_of(word, mention.verb)


def _is_object_of(word: "Token", verb: "Token | None") -> bool:
    return verb is not None and word.dep_ in ("dobj", "dative") and word.head == verb


def _later_subject(word: "Token", own: Sequence[Mention]) -> Mention | None:
    """Return the person who is the subject of the sentence after the word: `After she won, Berg …`."""
    root = word.sent.root
    if group_of(word) not in _OTHER or root.lemma_ in SAYS:
        return None
    subjects = [one for one in own if one.kind == "PERSON" and one.verb == root and one.start > word.idx]
    phrase = {one.i for child in root.children if verb_of(child) is not None for one in child.subtree}
    return subjects[0] if len(subjects) == 1 and word.i not in phrase else None


def _nameless(word: "Token", own: Sequence[Mention]) -> Mention | None:
    """Return the last noun without a name before the word in its sentence, if the word may stand for it; else None."""
    before = [one for one in word.sent if one.i < word.i and not is_inside(one, own)]
    fitting = [one for one in _of_group(before, group_of(word)) if not _is_object_of(word, verb_of(one))]
    return Mention(fitting[-1].idx, "", "") if fitting else None


def _of_group(words: "Sequence[Token]", group: str) -> "Iterator[Token]":
    """Yield the nouns that a pronoun of a group may stand for."""
    for word in words:
        is_noun = word.pos_ == "NOUN"
        if group in _OTHER:
            is_unknown = word.pos_ == "PROPN" and word.ent_type_ in ("", "PERSON")
            is_person = word.lemma_ in PERSONS | _RELATED or word.lemma_.endswith(_ENDINGS)
            is_aged = word.lower_.endswith("old") and verb_of(word) is not None  # `the 80-year-old`
            if is_unknown or is_aged or (is_noun and word.tag_ == "NN" and is_person):
                yield word
        elif group == "they":
            if word.tag_ in ("NNS", "NNPS") and word.ent_type_ not in ("DATE", "TIME", "MONEY", "PERCENT"):
                yield word
        elif group == "it" and is_noun and word.tag_ == "NN" and word.lemma_ not in PERSONS:
            yield word
