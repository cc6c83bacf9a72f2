"""Coverage test: every content word of a claim must occur in some step."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from src.programs.decomposition.mentions import TAKEN_UP
from src.programs.decomposition.parsing import ASIDES
from src.programs.decomposition.verbs import infinitive
from src.programs.whole_claim import plain

if TYPE_CHECKING:
    from spacy.tokens import Doc

_SAYING = {"NOUN", "PROPN", "NUM", "VERB", "ADJ", "SYM", "X"}
_SAID_BY_ANSWERS = ("other", "same")
_WORD = re.compile(r"\w+")


def lost(claim: "Doc", texts: Iterable[str]) -> list[str]:
    """Return the names, numbers, nouns, verbs, adjectives and negations of the claim that no text contains in any
    form."""
    kept = {word for text in texts for word in _WORD.findall(_denials(text.casefold()))}
    missing = [word for aside in claim.user_data[ASIDES].values() for word in _WORD.findall(plain(aside).casefold())]
    missing = [word for word in missing if word not in kept]
    for token in claim:
        says = token.pos_ in _SAYING or token.dep_ == "neg" or " " in token.text
        if not says or token.lower_ in _SAID_BY_ANSWERS or token.i in claim.user_data[TAKEN_UP]:
            continue
        words = _WORD.findall(_denials(plain(token.text).casefold()))
        forms = {token.lemma_.casefold(), f"{token.lemma_.casefold()}s", f"{token.lemma_.casefold()}es"}
        known = [words, _WORD.findall(infinitive(token).casefold())]
        if not (any(all(word in kept for word in some) for some in known) or forms & kept):
            missing.append(token.text)
    return missing


def _denials(text: str) -> str:
    """Return the text with `not` as a word: `was not` for `wasn't`."""
    return re.sub("n['\N{RIGHT SINGLE QUOTATION MARK}]t\\b", " not", text).replace("cannot", "can not")
