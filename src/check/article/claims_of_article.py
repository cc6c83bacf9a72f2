"""The claims of an article: its check-worthy sentences in its order, readable alone, with their speakers.

Of a sentence that reports what someone said (`Berg said that …`), the claim is what was said, and whoever said it is
its speaker, whose own words are no evidence for it.

Limitations: those of `worthiness`, `mentions`, `decontextualize` and `reported`.
"""

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from src.check.article.decontextualize import Alone, alone, rewritten
from src.check.article.mentions import Names
from src.check.article.reported import Reported, as_claim, reported
from src.check.article.worthiness import worth_of
from src.language import other_language
from src.spacy_pipelines import FROM_PYPI, load
from src.text import sentences as whole_sentences

if TYPE_CHECKING:
    from spacy.tokens import Span

LONGEST = 200_000  # characters of an article that are read


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
    foreign = [one for line in lines for one in whole_sentences(line) if other_language(one)]
    names = Names(sentences)
    scored: list[tuple[int, ArticleClaim]] = []
    left_out: list[LeftOut] = []
    for number, sentence in enumerate(sentences, start=1):
        shown, said = " ".join(sentence.text.split()), reported(sentence)
        worth = worth_of(sentence)
        made = alone(sentence, names, said.start if said else None)
        score = worth.score + made.names
        is_foreign = any(sentence.text.strip() in one for one in foreign)  # spaCy cuts it in pieces
        reason = "not in English" if is_foreign else worth.reason or made.unclear
        if reason := reason or ("" if score else "names and counts nothing"):
            left_out.append(LeftOut(number, shown, reason))
            continue
        scored.append((score, _claim(number, shown, sentence, made, said, names)))
    best = sorted(scored, key=lambda one: (-one[0], one[1].number))
    chosen = sorted((claim for _, claim in best[:most]), key=lambda claim: claim.number)
    left_out += [LeftOut(claim.number, claim.sentence, "less to check than in others") for _, claim in best[most:]]
    return ArticleClaims(chosen, sorted(left_out, key=lambda one: one.number))


def _claim(number: int, shown: str, sentence: "Span", made: Alone, said: Reported | None, names: Names) -> ArticleClaim:
    """Return the claim of a sentence; `shown` is the sentence with single spaces."""
    if said is None:
        claim = rewritten(sentence, made.replacements, sentence.start_char, sentence.end_char)
        return ArticleClaim(number, shown, claim)
    persons = {one.name for one in names.mentions[-1] if one.kind == "PERSON" and _is_in(one.start, said)}
    phrase = rewritten(sentence, made.replacements, said.speaker_start, said.speaker_end)
    claim = as_claim(rewritten(sentence, made.replacements, said.start, said.end))
    return ArticleClaim(number, shown, claim, persons.pop() if len(persons) == 1 else phrase)


def _is_in(place: int, said: Reported) -> bool:
    return said.speaker_start <= place < said.name_end
