"""Boundaries of words inside a phrase: tests if they can be removed, and the commas to remove with them."""

from typing import TYPE_CHECKING

from src.programs.decomposition.phrases import DASHES, Phrase, Words, is_cut, tokens

if TYPE_CHECKING:
    from spacy.tokens import Token

_VERBS = ("VERB", "AUX")
_MAY_FOLLOW = ("PUNCT", "CCONJ", "VERB", "AUX", "ADV", "SPACE")
_PAIRS = ("()", "[]")


def stands_together(own: Words, phrase: Phrase) -> bool:
    """Return True if the words are adjacent and all in the phrase, with balanced parentheses and quotes."""
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
    """Return the commas around the words of `child`; None if an opening comma is not closed."""
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
