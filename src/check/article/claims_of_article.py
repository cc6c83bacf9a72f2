"""The claims of an article: its check-worthy sentences in its order, readable alone, with their speakers.

Of a sentence that reports what someone said (`Berg said that …`), the claim is what was said, and whoever said it is
its speaker, whose own words are no evidence for it.

Limitations: those of `worthiness` and `decontextualize`. Reported speech is recognized with `that`, and with the
speaker before it.
"""

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from src.check.article.decontextualize import BEFORE, alone, whole_names
from src.check.article.worthiness import worth_of
from src.spacy_pipelines import FROM_PYPI, load

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

LONGEST = 200_000  # characters of an article that are read
_SAYS = {"add", "announce", "argue", "assert", "claim", "declare", "report", "say", "state", "tell", "warn", "write"}


class ArticleClaim(msgspec.Struct, frozen=True, omit_defaults=True):
    """A claim of an article.

    `sentence`: the sentence as it stands there, the `number`-th, from 1.
    `claim`: what is checked.
    `speaker`: who said it, "" if the article itself says it.
    """

    number: int
    sentence: str
    claim: str
    speaker: str = ""


class LeftOut(msgspec.Struct, frozen=True):
    """A sentence that is not checked, with the reason."""

    number: int
    sentence: str
    reason: str


class ArticleClaims(NamedTuple):
    """Claims of an article and its other sentences, both in its order."""

    claims: list[ArticleClaim]
    left_out: list[LeftOut]


def claims_of(text: str, most: int) -> ArticleClaims:
    """Return at most `most` claims of a text, those with most to check.

    Raises MissingExtra when spaCy's small pipeline is not installed.
    """
    lines = [line for line in text[:LONGEST].splitlines() if line.strip()]  # a heading is no part of a sentence
    sentences = [one for doc in load(FROM_PYPI, []).pipe(lines) for one in doc.sents if one.text.strip()]
    names = whole_names(sentences)
    scored: list[tuple[int, ArticleClaim]] = []
    left_out: list[LeftOut] = []
    for place, sentence in enumerate(sentences):
        shown, number = " ".join(sentence.text.split()), place + 1
        worth = worth_of(sentence)
        made = alone(sentence, sentences[max(0, place - BEFORE) : place], names)
        score = worth.score + made.names
        if reason := worth.reason or made.unclear or ("" if score else "names and counts nothing"):
            left_out.append(LeftOut(number, shown, reason))
            continue
        claim, speaker = _said(sentence, made.text)
        scored.append((score, ArticleClaim(number, shown, claim, speaker)))
    best = sorted(scored, key=lambda one: (-one[0], one[1].number))
    chosen = sorted((claim for _, claim in best[:most]), key=lambda claim: claim.number)
    left_out += [LeftOut(claim.number, claim.sentence, "less to check than in others") for _, claim in best[most:]]
    return ArticleClaims(chosen, sorted(left_out, key=lambda one: one.number))


def _said(sentence: "Span", text: str) -> tuple[str, str]:
    """Return what someone is reported to have said, and who; the whole text and "" for another sentence."""
    root = sentence.root
    marks = [word for word in sentence if word.lower_ == "that" and word.dep_ == "mark" and word.head.head == root]
    subject = next((child for child in root.children if child.dep_ == "nsubj" and child.i < root.i), None)
    before, that, said = text.partition(" that ")
    if root.lemma_ not in _SAYS or subject is None or not marks or not that or not said.strip():
        return text, ""
    return said[0].upper() + said[1:], _speaker(before, subject, root)


def _speaker(before: str, subject: "Token", root: "Token") -> str:
    """Return the one person who is named in the subject, else the words before the verb of saying."""
    span = subject.doc[subject.left_edge.i : subject.right_edge.i + 1]
    persons = {entity.text for entity in span.ents if entity.label_ == "PERSON"}
    words = before.rpartition(f" {root.text}")[0].strip(" ,") or before
    return persons.pop() if len(persons) == 1 and words.count(",") else words
