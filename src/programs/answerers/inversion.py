"""Place of the answer in a question turned into a statement: `Which team does Berg play for?` is `Berg does play for
…`.

Limitations: `did` and `does` stay, because verbs are not inflected. The answer comes after the verb, or after the
preposition that has lost its noun.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_DO = {"do", "does", "did"}
_BE = {"is", "are", "was", "were"}
_HAVE = {"has", "have", "had"}
_CHAINED = {"of", "that", "which", "who", "whom", "whose", "where"}
_ENDS = ("ADP", "ADV", "NUM", "SCONJ")


class Statement(NamedTuple):
    """The words before and after the answer."""

    before: str
    after: str


def statement_of(question: "Doc", last: int) -> Statement | None:
    """Return the question as a statement. `last` is the place after the question words, which must come first.

    Return None if the question words are the subject; the word order is then already that of a statement.
    """
    if last + 1 >= len(question):
        return None
    carrier = question[last]
    split = _split(question, carrier)
    if split is None:
        return None
    subject, rest = split
    at = _place(rest)
    said = [*subject, carrier, *rest[:at]]
    return Statement(_text(said), _text(rest[at:]))


def _split(question: "Doc", carrier: "Token") -> tuple[list["Token"], list["Token"]] | None:
    """Return the words of the subject and those after it."""
    words = [word for word in question[carrier.i + 1 :] if word.text != "?"]
    kind = carrier.lower_
    if kind in _DO or carrier.tag_ == "MD" or kind in _HAVE:
        verbs = [at for at, word in enumerate(words) if word.tag_ in _forms(carrier) and not _is_inside(word, carrier)]
        at = verbs[0] if verbs else len(words) - 1 if kind in _DO else 0  # else the verb is last, but mistagged
        return (words[:at], words[at:]) if at > 0 else None
    if kind not in _BE:
        return None
    chunks = [chunk for chunk in question.noun_chunks if chunk.start == carrier.i + 1]
    if not chunks:
        return None
    length = chunks[0].end - chunks[0].start
    rest = words[length:]
    if not rest or rest[0].lower_ in _CHAINED:
        return None
    is_open = rest[0].tag_ in ("VBN", "VBG", "JJ") or rest[-1].tag_ in ("IN", "RP")
    return (words[:length], rest) if is_open else None


def _forms(carrier: "Token") -> tuple[str, ...]:
    return ("VBN", "VBD") if carrier.lower_ in _HAVE else ("VB", "VBP")


def _is_inside(word: "Token", carrier: "Token") -> bool:
    """Return True if the word is the verb of a clause in the subject."""
    return word.dep_ in ("relcl", "acl") and carrier.head != word


def _place(rest: list["Token"]) -> int:
    """Return the place of the answer: after a preposition without a noun, else after the verb and its particle."""
    for at in range(len(rest) - 1, 0, -1):
        is_last = at + 1 == len(rest) or rest[at + 1].pos_ in _ENDS
        if (
            rest[at].tag_ in ("IN", "RP", "TO")
            and is_last
            and not any(child.dep_ == "pobj" for child in rest[at].children)
        ):
            return at + 1
    if len(rest) > 1 and rest[1].dep_ == "prt":
        return 2
    return 1


def _text(words: list["Token"]) -> str:
    return "".join(word.text_with_ws for word in words).strip()
