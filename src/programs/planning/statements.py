"""Whether a step reads as a statement: it is parsed again, alone, since rules that cut a claim may leave a damaged one.

But: only its form is looked at, not whether the claim says it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from src.programs.planning.misreadings import has_foreign_tail, has_odd_subject
from src.programs.planning.parsing import parsed
from src.programs.planning.subjects import has_subject
from src.programs.planning.verbs import auxiliaries, finite

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_PARTNERS = {"either": "or", "neither": "nor", "both": "and"}
_OPEN = {"CC", "IN", "PDT", "POS", "PRP$", "WDT", "WP$"}  # tags of words that something must follow
_OPEN_WORDS = {"a", "an", "n't", "not", "the"}
_CUT = re.compile(r"'s's|'s (?:had|has)\b|'s\. |\bthat (?:at|by|for|from|in|of|on|to|with)\?")
_RUNS_ON = re.compile(r"\{\w+\},? (?:'\w|[A-Z])(?![^,.]* and )")  # an answer with the rest of a title behind it
_ASKING = ("what", "which", "who")
_FIRST_PERSON = ("I", "me", "my", "we", "our", "us")
_UNASKED_END = ("than", "that", "which")
_NAMES = ((re.compile(r"\{\w+\}(?!'|,? and )"), "it"), (re.compile(r"\{\w+\}|(?<!\w)'[^']+'(?!\w)"), "Arden"))


def are_statements(language: "Language", texts: Sequence[str]) -> Iterator[bool]:
    """Of each text, in their order. Answers and quoted titles are read as names."""
    parses = parsed(language, map(_named, texts), without=["ner", "lemmatizer"])
    return (
        _is_statement(parse) and not (_RUNS_ON.search(text) or _CUT.search(text))
        for text, parse in zip(texts, parses, strict=True)
    )


def are_questions(language: "Language", texts: Sequence[str]) -> Iterator[bool]:
    """Say of each text, in order, whether it begins as a question, has a verb with a tense, and ends whole."""
    parses = parsed(language, map(_named, texts), without=["ner", "lemmatizer"])
    return (_is_question(parse) and not _CUT.search(text) for text, parse in zip(texts, parses, strict=True))


def _is_question(parse: "Doc") -> bool:
    words = [word for word in parse if not word.is_punct]
    return (
        len(words) > 2
        and words[0].lower_ in _ASKING
        and parse.text.endswith("?")
        and any(word.tag_ in ("VBD", "VBZ", "VBP", "MD") or _looks_like_verb(word) for word in words)
        and not any(word.text in _FIRST_PERSON for word in words)
        and words[-1].lower_ not in (*_OPEN_WORDS, *_UNASKED_END)
        and not any(word.lower_ == word.nbor(-1).lower_ for word in words[1:])
        and words[-1].tag_ not in ("CC", "PDT", "POS", "PRP$", "WDT", "WP$")
    )


def _looks_like_verb(word: "Token") -> bool:
    """`Which singer duets with Berg?`"""
    return word.tag_ == "NNS" and word.i + 1 < len(word.doc) and word.nbor().pos_ == "ADP"


def _named(text: str) -> str:
    for pattern, name in _NAMES:
        text = pattern.sub(name, text)
    return text


def _is_statement(parse: "Doc") -> bool:
    words = [word for word in parse if not word.is_punct]
    partner = _PARTNERS.get(words[0].lower_) if words else None
    return (
        bool(words)
        and words[-1].tag_ not in _OPEN
        and (words[-1].lower_ not in _OPEN_WORDS or _denies_again(words[-1]))
        and (partner is None or any(word.lower_ == partner for word in words))
        and any(has_subject(sentence.root) and _has_tense(sentence.root) for sentence in parse.sents)
        and not has_odd_subject(parse)
        and not has_foreign_tail(parse)
        and not any(_joins_nothing(word) for word in words[1:])
    )


def _has_tense(verb: "Token") -> bool:
    """Parsers take `starred` in `a man starred in Rain` for a participle."""
    acts = any(child.dep_ == "nsubj" for child in verb.children) and verb.lower_.endswith("ed")
    return finite(verb) is not None or (acts and verb.tag_ == "VBN" and not auxiliaries(verb))


def _denies_again(word: "Token") -> bool:
    """`Berg is a poet. Holm is not`"""
    return word.lower_ in ("n't", "not") and word.sent.start > 0 and word.nbor(-1).pos_ in ("AUX", "VERB")


def _joins_nothing(word: "Token") -> bool:
    """`is a singer, or by Berg`"""
    if word.dep_ != "cc" or word.i == 0 or word.nbor(-1).text != ",":
        return False
    return not any(child.dep_ == "conj" and child.i > word.i for child in word.head.children)
