"""Errors of reasoning: a conclusion wider than its evidence, an irrelevant sentence, another verdict."""

import re
from random import Random
from typing import TYPE_CHECKING

from src.explanation.synthetic_errors.events import DENIALS
from src.explanation.synthetic_errors.scene import Edit, Elsewhere, Scene, sentence_of_another
from src.explanation.synthetic_errors.word_lists import WordLists
from src.records import Verdict

if TYPE_CHECKING:
    from spacy.tokens import Token

_TRUE, _FALSE = {Verdict.SUPPORTED, "true", "supports"}, {Verdict.REFUTED, "false", "refutes"}
_VERDICT = re.compile(
    r"(?<=\bclaim is )(?P<word>true|false|supported|refuted|correct|incorrect|accurate|inaccurate|untrue)\b",
    re.IGNORECASE,
)
_DEGREES = {"very", "more", "less", "most", "so", "too", "quite", "as", "how", "not", "n't", "n\u2019t"}


def overgeneralisation(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces a limiting word by a general one, or makes a sentence hold everywhere."""
    narrow = [
        (at, word) for at, parse in enumerate(scene.parses) for word in parse
        if word.text in lists.narrow and _limits(word)
    ]  # fmt: skip
    if narrow and draw.random() < 0.5:
        at, word = draw.choice(narrow)
        return Edit(at, word.idx, word.idx + len(word), draw.choice(lists.narrow[word.text]))
    if not scene.ends:
        return None
    at = draw.choice(scene.ends)
    if draw.random() < 0.5:
        end = len(scene.said[at]) - 1
        return Edit(at, end, end, draw.choice(lists.behind))
    first = scene.parses[at][0]
    keeps = first.pos_ == "PROPN" or first.ent_type_ or len(first.text) == 1 or first.text[1:2].isupper()
    opening = first.text[:1] if keeps else first.text[:1].lower()
    return Edit(at, 0, 1, f"{draw.choice(lists.before)}{opening}")


def _limits(word: "Token") -> bool:
    """Return True if the word limits by itself: not in `a few`, `most important`, `very often` or `may not`."""
    before = word.nbor(-1) if word.i else None
    behind = word.nbor(1) if word.i + 1 < len(word.doc) else None
    if before is not None and (before.pos_ in ("DET", "PRON") or before.lower_ in _DEGREES):
        return False
    if word.pos_ in ("ADJ", "DET") or word.lower_ == "most":
        return behind is not None and behind.pos_ == "NOUN" and behind.tag_ == "NNS"
    return behind is not None and behind.lower_ not in ("not", "n't", "n\u2019t", "be", "of")


def irrelevant_evidence(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that inserts a sentence of another claim's evidence, which shares hardly a word with this
    claim.
    """
    sentence = sentence_of_another(scene, others.sentences, draw)
    return None if sentence is None else Edit(draw.randrange(len(scene.said)), 0, 0, sentence, whole=True)


def flipped_conclusion(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """Return an edit that replaces the stated verdict by another, or adds a wrong verdict if none is stated."""
    own = "true" if scene.claim.label in _TRUE else "false" if scene.claim.label in _FALSE else "open"
    wrong = [words for side, words in (("true", lists.true), ("false", lists.false)) if side != own]
    word = draw.choice(draw.choice(wrong))
    for at, said in enumerate(scene.said):
        found = _VERDICT.search(said)
        if found is not None and not DENIALS.search(said):
            told = "true" if found[0].lower() in ("true", "supported", "correct", "accurate") else "false"
            if told == own:
                return Edit(at, found.start(), found.end(), word)
    closing = draw.choice(lists.closings).format(word)
    return Edit(len(scene.said), 0, 0, f"{closing[:1].upper()}{closing[1:]}", whole=True)
