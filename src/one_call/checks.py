"""Checks of a model's question-answer pairs and justification against the sources that they name.

A quote fits its source as well as the best stretch of the source does, by the share of characters that are equal in
order (`rapidfuzz.fuzz.partial_ratio`, 0 to 1), case and punctuation aside. Of a quote with an ellipsis, each part must
fit. A pair is dropped if it names no source that exists, its quote does not fit its source, it has no question or no
answer, it repeats an earlier pair, or its question or answer has a name or number that neither the claim nor the source
has: small models copy answers from the examples.

Limitations: whether the answer follows from the quote is not checked. A number that was computed from the source is
foreign to it. The justification is checked by `src.explanation.check_explanations`.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from src.one_call.answers import ClaimAnswer, WrittenPair, WrittenReason
from src.one_call.sources import ClaimSources, Source
from src.records import QAPair
from src.reranking.questions.soundness import foreign_name, named_in
from src.text import same, sentences

FITS = 0.85  # least fit of a quote
FEWEST_WORDS = 3  # of a quote: fewer occur anywhere, and prove nothing
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…|\[…\]|\[\.{3}\])\s*")


class CheckedAnswer(NamedTuple):
    """What is left of an answer.

    `pairs`: the pairs that passed, in their order.
    `justification`: its sentences, each followed by the numbers of the pairs from the sources that it names: `[2]`.
    `counts`: number of pairs and sentences that were dropped, by reason.
    """

    pairs: list[QAPair]
    justification: str
    counts: dict[str, int]


def checked(answer: ClaimAnswer, claim: ClaimSources, most: int) -> CheckedAnswer:
    """Return the answer about a claim without pairs that fail a check, and with at most `most` pairs."""
    counts = Counter[str](pairs_written=len(answer.questions))
    kept: list[WrittenPair] = []
    for pair in answer.questions:
        if fault := _fault(pair, claim, kept):
            counts[fault] += 1
        else:
            kept.append(pair)
    counts["pairs_beyond_limit"] = max(0, len(kept) - most)
    kept = kept[:most]
    sources = claim.sources
    pairs = [QAPair(_line(pair.question), _line(pair.answer), sources[pair.source - 1].url) for pair in kept]
    reasons: dict[str, WrittenReason] = {}
    for reason in answer.justification:
        if reason.sentence.strip():
            reasons.setdefault(same(reason.sentence), reason)
    counts["reasons_repeated"] = len(answer.justification) - len(reasons)
    cited = [_cited(reason, kept, len(sources), counts) for reason in reasons.values()]
    return CheckedAnswer(pairs, " ".join(filter(None, cited)), dict(counts))


def _fault(pair: WrittenPair, claim: ClaimSources, earlier: Sequence[WrittenPair]) -> str:
    """Return the name of the count under which a pair is dropped; "" if it passes."""
    if not (pair.question.strip() and pair.answer.strip()):
        return "pairs_blank"
    if not 1 <= pair.source <= len(claim.sources):
        return "pairs_without_source"
    source = claim.sources[pair.source - 1]
    if fit(pair.quote, source.text) < FITS:
        return "pairs_with_misquote"
    named = named_in(f"{claim.claim} {claim.speaker} {claim.date}", source.text, source.url)
    if any(foreign_name(text, named) for text in (pair.question, *sentences(pair.answer))):
        return "pairs_with_foreign_name"
    return "pairs_repeated" if _key(pair) in map(_key, earlier) else ""


def _key(pair: WrittenPair) -> tuple[str, str]:
    return same(pair.question), same(pair.answer)


def is_copied(reply: str, sources: Sequence[Source]) -> bool:
    """Return True if a source contains the JSON object of a reply: a page that has an answer ready."""
    own = same(reply[reply.find("{") : reply.rfind("}") + 1])
    return any(own in same(source.text) for source in sources)


def fit(quote: str, source: str) -> float:
    """Return how well a quote fits its source, from 0 to 1.

    A quote of fewer than `FEWEST_WORDS` words fits only if it is the whole source.
    """
    from rapidfuzz.fuzz import partial_ratio, ratio

    text, parts = same(source), [same(part) for part in _ELLIPSIS.split(quote) if part.strip()]
    if sum(len(part.split()) for part in parts) < FEWEST_WORDS:
        return float(bool(parts) and parts == [text])
    return min((ratio if len(part) > len(text) else partial_ratio)(part, text) for part in parts) / 100


def _cited(reason: WrittenReason, pairs: Sequence[WrittenPair], sources: int, counts: Counter[str]) -> str:
    """Return a sentence of the justification with the numbers of the pairs that it rests on.

    It is "" for a sentence that names sources, none of which has a pair. A conclusion, which names none, is kept.
    """
    counts["reasons_with_unknown_source"] += any(not 1 <= number <= sources for number in reason.sources)
    numbers = [place for place, pair in enumerate(pairs, start=1) if pair.source in reason.sources]
    if reason.sources and not numbers:
        counts["reasons_without_evidence"] += 1
        return ""
    return f"{_line(reason.sentence)}{''.join(f' [{number}]' for number in numbers)}"


def _line(text: str) -> str:
    return " ".join(text.split())
