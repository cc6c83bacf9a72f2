"""Reported speech: what was said is a claim, and whoever said it is its speaker.

Recognized are `Berg said that …` and `…, Berg said.`

Limitations: without `that`, the speaker must come last. Direct speech in the first person is left as it is.
"""

import re
from typing import TYPE_CHECKING, NamedTuple

from src.check.article.worthiness import SAYS

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_TALK = {"i", "me", "my", "myself", "our", "us", "we", "you", "your", "yourself"}  # of whoever speaks or is spoken to
_NEVER = {"never", "hardly", "nowhere"}
_NOBODY = {"neither", "no", "nobody", "none", "nothing"}
_MARKS = {'"': '"\u201d', "\u201c": '"\u201d', "'": "'\u2019", "\u2018": "'\u2019"}  # opening, and what closes it
_CLOSING = "\"\u201d'\u2019"
_IN_WORDS = re.compile(r"(?<=\w)['\u2019](?=\w)")  # apostrophes
_AFTER_PLURALS = re.compile(r"(?<=s)['\u2019](?= \w)")


class Reported(NamedTuple):
    """Characters of a sentence's document: what is said, from `start` to `end`, and the phrase of the speaker.

    `name_end`: end of the part of the phrase that may have the speaker's name: `Jan Kest` of `Jan Kest, who left Oslo`.
    """

    start: int
    end: int
    speaker_start: int
    speaker_end: int
    name_end: int


def reported(sentence: "Span") -> Reported | None:
    """Return where a sentence has what someone is reported to have said; None for another sentence."""
    root = sentence.root
    subjects = [child for child in root.children if child.dep_ == "nsubj"]
    said = next((child for child in root.children if child.dep_ == "ccomp"), None)
    if root.lemma_ not in SAYS or not subjects or said is None or _is_denied(root):
        return None
    subject = min(subjects, key=lambda one: one.i)
    if _is_nobody(subject):
        return None
    speaker = (_start(subject), _end(max(subjects, key=lambda one: one.i)), _name_end(subject))
    if subject.i > said.right_edge.i and not any(word.lower_ in _TALK for word in said.subtree):
        return Reported(sentence.start_char, _end(said), *speaker)
    mark = next((word for word in said.children if word.lower_ == "that" and word.dep_ == "mark"), None)
    if mark is None or subject.i > root.i:
        return None
    return Reported(mark.idx + len(mark), _end(said), *speaker)


def _is_denied(verb: "Token") -> bool:
    return any(child.dep_ == "neg" or child.lower_ in _NEVER for child in verb.children)


def _is_nobody(subject: "Token") -> bool:
    return any(word.lower_ in _NOBODY for word in (subject, *subject.children))


def as_claim(text: str) -> str:
    """Return what was said as a sentence of its own."""
    text = text.strip(" ,")
    if _is_one_quotation(text):
        text = text[1:].rstrip(_MARKS[text[0]] + ",")
    return text[:1].upper() + text[1:] + ("" if text.rstrip(_CLOSING)[-1:] in (".", "!", "?") else ".")


def _is_one_quotation(text: str) -> bool:
    """Return True if the text begins with a quotation mark that nothing before its end closes; apostrophes do not."""
    closing = _MARKS.get(text[:1], "")
    said = text[1:].rstrip(closing + ",")
    inner = _IN_WORDS.sub("", said)
    if said != text[1:] or "'" not in closing:  # else the mark in `'Cats' won` closes
        inner = _AFTER_PLURALS.sub("", inner)
    return bool(closing) and not any(mark in inner for mark in closing + text[0])


def _start(word: "Token") -> int:
    return word.doc[word.left_edge.i].idx


def _name_end(subject: "Token") -> int:
    after = [one.left_edge.idx for one in subject.subtree if one.dep_ in ("relcl", "acl", "prep") and one.i > subject.i]
    return min([*after, _end(subject)])


def _end(word: "Token") -> int:
    last = word.doc[word.right_edge.i]
    return last.idx + len(last)
