"""Errors of the flow: a conclusion that is wider than its evidence, a sentence beside the point, another verdict."""

import re
from random import Random

from src.explanation.planting.scene import Edit, Elsewhere, Scene
from src.explanation.planting.word_lists import WordLists
from src.records import Verdict

_TRUE, _FALSE = {Verdict.SUPPORTED, "true", "supports"}, {Verdict.REFUTED, "false", "refutes"}
_VERDICT = re.compile(
    r"(?<=\bclaim is )(?P<word>true|false|supported|refuted|correct|incorrect|accurate|inaccurate|untrue)\b",
    re.IGNORECASE,
)
_NEAR = 1  # words of more than four letters that an irrelevant sentence may share with claim and evidence
TRIES = 200


def overgeneralisation(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """A word that limits becomes one that does not; a sentence without one is said to hold everywhere."""
    narrow = [
        (at, word) for at, parse in enumerate(scene.parses) for word in parse if word.text in lists.narrow
    ]  # fmt: skip
    if narrow and draw.random() < 0.5:
        at, word = draw.choice(narrow)
        return Edit(at, word.idx, word.idx + len(word), lists.narrow[word.text])
    ends = [at for at, said in enumerate(scene.said) if said.endswith((".", "!"))]
    if not ends:
        return None
    at = draw.choice(ends)
    if draw.random() < 0.5:
        end = len(scene.said[at]) - 1
        return Edit(at, end, end, draw.choice(lists.behind))
    first = scene.parses[at][0]
    keeps = first.pos_ == "PROPN" or first.ent_type_ or len(first.text) == 1 or first.text[1:2].isupper()
    opening = first.text[:1] if keeps else first.text[:1].lower()
    return Edit(at, 0, 1, f"{draw.choice(lists.before)}{opening}")


def irrelevant_evidence(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """A sentence of the evidence of another claim that shares hardly a word with this one."""
    known = {word for word in scene.words if len(word) > 4}
    for _ in range(TRIES if others.sentences else 0):
        of, sentence = draw.choice(others.sentences)
        shared = {word.lower() for word in re.findall(r"\w+", sentence)} & known
        if of != scene.claim.claim_id and len(shared) <= _NEAR:
            return Edit(draw.randrange(len(scene.said)), 0, 0, sentence, whole=True)
    return None


def flipped_conclusion(scene: Scene, others: Elsewhere, lists: WordLists, draw: Random) -> Edit | None:
    """The verdict that is stated becomes another; where none is, one is stated that is not the label."""
    sides = {"true": lists.true, "false": lists.false, "open": lists.open}
    own = "true" if scene.claim.label in _TRUE else "false" if scene.claim.label in _FALSE else "open"
    wrong = [words for side, words in sides.items() if side != own and side != "open"]
    word = draw.choice(draw.choice(wrong))
    for at, said in enumerate(scene.said):
        found = _VERDICT.search(said)
        if found is not None and not re.search(r"\bnot\b", said):
            told = "true" if found[0].lower() in ("true", "supported", "correct", "accurate") else "false"
            if told == own:
                return Edit(at, found.start(), found.end(), word)
    closing = draw.choice(lists.closings).format(word)
    return Edit(len(scene.said), 0, 0, closing, whole=True)
