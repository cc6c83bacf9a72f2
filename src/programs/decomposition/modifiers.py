"""Modifiers of nouns that become facts: relative clauses, appositions and participles.

The rest of the phrase must read well without the modifier and its commas.

Limitations: only modifiers that do not identify the noun's referent are split off: `Rome, which lies in Italy`, not
`the city that lies there`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from src.programs.decomposition.mentions import can_be_asked
from src.programs.decomposition.phrases import (
    DASHES,
    SPLIT_OFF,
    STATES,
    SUBJECTS,
    Phrase,
    Subject,
    Words,
    auxiliaries,
    be,
    core,
    full_name,
    has_subject,
    is_cut,
    is_denied,
    is_past,
    is_repeatable,
    is_set_off,
    own_words,
    subject_of,
    third_person,
    tokens,
)
from src.programs.decomposition.plans import is_unsplit
from src.programs.decomposition.relative_clauses import statement

if TYPE_CHECKING:
    from spacy.tokens import Token

_VERBS = ("VERB", "AUX")
_MAY_FOLLOW = ("PUNCT", "CCONJ", "VERB", "AUX", "ADV", "SPACE")
_PAIRS = ("()", "[]")


def stands_together(own: Words, phrase: Phrase) -> bool:
    """Return True if the words `own` are adjacent and all in the phrase, with balanced parentheses and quotes."""
    inside = {word.i for word in tokens(phrase)}
    text = "".join(word.text for word in own)
    return (
        not is_cut(own)
        and own[-1].i - own[0].i + 1 == len(own)
        and all(word.i in inside for word in own)
        and all(text.count(pair[0]) == text.count(pair[1]) for pair in _PAIRS)
        and text.count('"') % 2 == 0
    )


def around(child: "Token", phrase: Phrase) -> tuple["Token", ...] | None:
    """Return the commas or parentheses around the words of `child`; None if an opening one is not closed."""
    inside = {word.i: word for word in tokens(phrase)}
    before, after = inside.get(child.left_edge.i - 1), inside.get(child.right_edge.i + 1)
    if after is not None and after.pos_ not in _MAY_FOLLOW:
        return None
    opened = before is not None and before.text in (",", "(", *DASHES)
    if before is not None and before.text == "(":
        return (before, after) if after is not None and after.text == ")" else None
    closed = after is None or after.is_punct or child.right_edge.text == ","
    if not opened:
        if after is None or after.text != "," or after.i + 1 == len(after.doc) or after.nbor().pos_ not in _VERBS:
            return ()
        return None if child.head.dep_ == "attr" else (after,)  # `a man who sang, danced`: the clause may continue
    if not closed and before is not None:
        return None
    assert before is not None
    if child.head.dep_ == "conj" or any(one.dep_ == "conj" for one in child.head.children):
        return (before,)
    return (before, after) if after is not None and after.text == before.text else (before,)


_RELATIVES = ("WDT", "WP", "WP$", "WRB")
_ONLY = ("first", "last", "main", "only", "other", "same", "sole", "very")


@dataclass(frozen=True)
class Modifier:
    """A modifier as a fact.

    `head`: the syntactic head of the modifier.
    `phrase`: the words of the fact, including its subject.
    `subject`: the subject of the fact.
    `words`: the words of the modifier in the claim.
    `around`: the commas around these words.
    `auxiliaries`: verbs that were added to the fact.
    `article`: the `the` of the noun that becomes `a` without the modifier; None if it stays.
    """

    head: "Token"
    phrase: Phrase
    subject: Subject | None
    words: Words
    around: tuple["Token", ...]
    auxiliaries: Phrase = ()
    article: "Token | None" = None  # the `the` that depends on the modifier


def modifiers(phrase: Phrase, head: "Token", subject: Subject | None) -> Iterator[Modifier]:
    """Yield the modifiers in the phrase that become facts, in the order of their words."""
    for word in tokens(phrase):
        for child in word.children:
            words = tuple(child.subtree)
            if head in words or is_unsplit(child) or not stands_together(words, phrase):
                continue
            commas = around(child, phrase)
            if commas is None:
                continue
            modifier = _modifier(child, word, head, subject)
            if modifier is not None:
                fact, about, used = modifier
                article = _article(word) if _is_one_of_its_kind(child, word, head) else None
                yield Modifier(child, fact, about, words, commas, used, article)


Found = tuple[Phrase, Subject | None, Phrase]


def _modifier(child: "Token", noun: "Token", head: "Token", subject: Subject | None) -> Found | None:
    if child.dep_ == "advcl" and noun == head:
        return _opening(child, head, subject)
    if child.dep_ == "appos":
        return _apposition(child, noun, head)
    if child.dep_ not in ("relcl", "acl"):
        return None
    about = _antecedent(child, noun, head, subject) if _is_next_to(child, noun) else None
    if about is None:
        return None
    if child.dep_ == "acl" and noun.dep_ == "pobj" and (is_set_off(child) or noun.head.head.pos_ == "NOUN"):
        return None  # `a song by Berg, written in Oslo`: it may belong to either noun
    if child.dep_ == "relcl" and noun.pos_ == "PROPN" and not any(one.tag_ in _RELATIVES for one in child.subtree):
        return None  # `the movie Anna Berg starred in`: clauses about a name need `who` or `which`
    if child.dep_ == "acl":
        return _participle(child, about, past=is_past(head))
    return _relative(child, about)


def _relative(verb: "Token", about: Subject) -> Found | None:
    sentence = statement(verb, about.phrase)
    if sentence is None:
        return None
    return sentence.phrase, about if sentence.is_about else subject_of(verb), tuple(auxiliaries(verb))


def _participle(verb: "Token", about: Subject, *, past: bool) -> Found | None:
    rest = tuple(verb.subtree)
    if verb.tag_ in ("VBN", "VBD") and not auxiliaries(verb):
        is_event = any(child.dep_ == "agent" for child in verb.children) or any(one.ent_type_ == "DATE" for one in rest)
        form = be(about, past=past or is_event)
        return (*about.phrase, form, *rest), about, (form,)
    if verb.tag_ == "VBG" and verb.lemma_ in STATES and rest[0] == verb and not about.is_plural:
        return (*about.phrase, third_person(verb.lemma_), *rest[1:]), about, ()
    return None


def _opening(verb: "Token", head: "Token", subject: Subject | None) -> Found | None:
    """Return the fact of an opening participle about the subject: `Born in Oslo, she moved`.

    Return None if the verb is no such participle.
    """
    if subject is None or verb.tag_ != "VBN" or verb.left_edge != verb or list(auxiliaries(verb)):
        return None
    if verb.i > subject.head.i or any(child.dep_ in (*SUBJECTS, "mark") for child in verb.children):
        return None
    return _participle(verb, subject, past=is_past(head))


def _apposition(child: "Token", noun: "Token", head: "Token") -> Found | None:
    """Return the fact of an apposition: `Rome, the capital of Italy,`.

    Return None if `child` is no such apposition. A common noun with an article must follow a name.
    """
    noun = full_name(noun)
    begins = child.left_edge.lower_ in ("a", "an", "the") or child.left_edge.tag_ == "PRP$"
    holds_clause = any(word.dep_ in ("advcl", "conj", "ccomp") and has_subject(word) for word in child.subtree)
    in_list = holds_clause or noun.dep_ == "conj" or any(one.dep_ in ("conj", "nummod") for one in noun.children)
    if not begins or in_list or child.pos_ != "NOUN" or not is_set_off(child) or not is_repeatable(noun):
        return None
    about = core(noun)
    if is_cut(about.phrase) or (noun.pos_ != "PROPN" and not _is_named(about)):
        return None
    past = is_past(head) and noun.ent_type_ == "PERSON"
    form = be(about, past=past)
    return (*about.phrase, form, *child.subtree), about, (form,)


def _antecedent(child: "Token", noun: "Token", head: "Token", subject: Subject | None) -> Subject | None:
    """Return the subject of the fact of a relative clause.

    Return None if the clause identifies the noun, or if it is unclear.
    """
    if noun.dep_ == "attr" and noun.head == head and head.lemma_ == "be" and subject is not None:
        is_one_of_many = any(one.lower_ in ("a", "an") for one in noun.children)
        if (is_one_of_many or _is_one_of_its_kind(child, noun, head)) and not is_denied(head):
            return subject
    if new := _new(child, noun, head):
        return new
    noun = full_name(noun)
    if not is_repeatable(noun) or noun.dep_ in ("conj", "appos") or any(one.dep_ == "conj" for one in noun.children):
        return None
    about = core(noun)
    if is_cut(about.phrase):
        return None
    if noun.pos_ == "PROPN" and (is_set_off(child) or not _is_title(about)):
        return about
    return about if is_set_off(child) and _is_named(about) else None


def _is_one_of_its_kind(child: "Token", noun: "Token", head: "Token") -> bool:
    """Return True if the noun classifies the subject.

    For example, `Snow is the novel that won the prize` implies that Snow is a novel.
    """
    if (
        noun.dep_ != "attr"
        or noun.head != head
        or noun.tag_ != "NN"
        or noun.lower_ == "one"
        or _article(noun) is None
        or is_set_off(child)
    ):
        return False
    own = [one for one in noun.children if one != child]
    is_ranked = any(one.tag_ in ("JJS", "RBS") or one.ent_type_ == "ORDINAL" or one.lower_ in _ONLY for one in own)
    return not is_ranked and all(one.dep_ in ("amod", "compound", "det", "nmod", "nummod") for one in own)


def _article(noun: "Token") -> "Token | None":
    """Return the noun's `the`; None if it has another article or none."""
    words = [one for one in noun.children if one.dep_ in ("det", "poss")]
    return words[0] if len(words) == 1 and words[0].lower_ == "the" else None


def _new(child: "Token", noun: "Token", head: "Token") -> Subject | None:
    """Return a newly introduced noun as a subject: `a man` of `she married a man who sang`.

    Return None if it cannot be asked for.
    """
    is_new = (
        noun.tag_ == "NN" and noun.dep_ in ("dobj", "pobj") and any(one.lower_ in ("a", "an") for one in noun.children)
    )
    has_more = any(one.dep_ in ("conj", "appos", "relcl", "acl") and one != child for one in noun.children)
    has_more = has_more or any(word.lower_ == "both" for word in noun.sent)
    if not is_new or has_more or is_denied(head) or not can_be_asked(noun, head) or head.dep_ != "ROOT":
        return None
    child.doc.user_data[SPLIT_OFF].add(child.i)
    gone = set(child.subtree)
    return Subject(tuple(word for word in own_words(noun) if word not in gone and not word.is_punct), noun)


def _is_title(about: Subject) -> bool:
    """Return True if the subject is a title of a person, not a name: `the Senator`."""
    has_article = any(child.lower_ == "the" for child in about.head.children)
    return has_article and len(about.phrase) == 2 and not about.head.ent_type_


def _is_next_to(child: "Token", noun: "Token") -> bool:
    """Return True if no other noun to which the clause may belong is between noun and clause.

    After a comma this is never certain.
    """
    between = noun.doc[noun.i + 1 : child.left_edge.i]
    if not any(word.pos_ in ("NOUN", "PROPN", "NUM", "VERB") for word in between):
        return True
    return noun.dep_ == "attr" and not any(word.is_punct for word in between)


def _is_named(about: Subject) -> bool:
    """Return True if the subject is a definite noun that contains a name, or a noun without article.

    Examples are `the enzyme Fo` and `rennet`.
    """
    words = list(tokens(about.phrase))
    articles = [one.lower_ for one in about.head.children if one.dep_ in ("det", "poss")]
    has_name = any(word.pos_ == "PROPN" for word in words)
    if articles:
        return "the" in articles and has_name
    return has_name or (len(words) == 1 and not about.is_plural)
