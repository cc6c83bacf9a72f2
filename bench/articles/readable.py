"""Claims that can be read alone: those that the rules give for invented articles, beside the gold ones.

A given claim equals a gold claim of its sentence when both have the same characters, apart from white space and case.
It has a wrong name if it has a word that neither its sentence nor a gold claim of the sentence has. For a sentence
without a gold claim, any such word counts as wrong.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from bench.articles.halves import Half
from src.check.article.claims_of_article import claims_of
from src.store import read_json

MOST = 1_000  # claims of an article: all


class GoldSentence(msgspec.Struct, frozen=True):
    """A sentence of an article with its claims as they read alone."""

    text: str
    claims: list[str]


class GoldArticle(msgspec.Struct, frozen=True):
    id: int
    part: Half
    sentences: list[GoldSentence]

    @property
    def text(self) -> str:
        return " ".join(one.text for one in self.sentences)


class Given(msgspec.Struct, frozen=True):
    """A claim that is given for a sentence."""

    sentence: str
    claim: str


class Readable(msgspec.Struct, frozen=True):
    """Counts of claims that a system gives for articles.

    `gold`: gold claims.
    `given`: claims given.
    `equal`: those that equal a gold claim.
    `wrong`: those with a wrong name.
    `of_no_claim`: those of sentences without a gold claim.
    """

    system: str
    gold: int
    given: int
    equal: int
    wrong: int
    of_no_claim: int


def read_articles(path: Path, half: Half) -> list[GoldArticle]:
    """Return the articles of a half. Raises InputError."""
    return [one for one in read_json(path, list[GoldArticle]) if one.part is half]


def readable(articles: Sequence[GoldArticle]) -> list[Readable]:
    """Return the counts of the rules, and of the baseline that gives each sentence as it is."""
    return [
        counts("the rules", articles, [by_rules(one.text) for one in articles]),
        counts("each sentence as it is", articles, [as_they_are(one) for one in articles]),
    ]


def by_rules(text: str) -> list[Given]:
    return [Given(one.sentence, one.claim) for one in claims_of(text, MOST).claims]


def as_they_are(article: GoldArticle) -> list[Given]:
    return [Given(one.text, one.text) for one in article.sentences]


def counts(system: str, articles: Sequence[GoldArticle], given: Sequence[Sequence[Given]]) -> Readable:
    """Return the counts of a system. `given` has its claims of each article."""
    pairs = [(one, gold_of(one, article)) for article, own in zip(articles, given, strict=True) for one in own]
    return Readable(
        system=system,
        gold=sum(len(sentence.claims) for article in articles for sentence in article.sentences),
        given=len(pairs),
        equal=sum(plain(one.claim) in map(plain, gold) for one, gold in pairs),
        wrong=sum(has_wrong_name(one, gold) for one, gold in pairs),
        of_no_claim=sum(not gold for _, gold in pairs),
    )


def gold_of(given: Given, article: GoldArticle) -> list[str]:
    """Return the gold claims of a given claim's sentence."""
    own = plain(given.sentence)
    return [claim for one in article.sentences if plain(one.text) == own for claim in one.claims]


def has_wrong_name(given: Given, gold: Iterable[str]) -> bool:
    """Return True if the claim has a word that is neither in its sentence nor in a gold claim of it."""
    return bool(words([given.claim]) - words([given.sentence, *gold]))


def words(texts: Iterable[str]) -> set[str]:
    """Return the words of texts in lower case, without the 's of an owner."""
    return {word for text in texts for word in re.findall(r"\w+", re.sub(r"['\u2019]s?\b", "", text.lower()))}


def plain(text: str) -> str:
    """Return the text in lower case, with single spaces."""
    return " ".join(text.lower().split())
