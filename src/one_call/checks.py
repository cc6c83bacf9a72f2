"""Checks of a model's question-answer pairs and justification against the sources that they name.

A quote fits its source as well as the best stretch of the source does, by the share of characters that are equal in
order (`rapidfuzz.fuzz.partial_ratio`, 0 to 1), case and punctuation aside. Of a quote with an ellipsis, each part must
fit. A quote with a number or a negation that the source lacks does not fit.

A pair is dropped if it names no source that exists, its quote does not fit its source, it has no question or no answer,
it repeats an earlier pair, or its question or answer has a name or number that neither the claim nor the source has:
small models copy answers from the examples.

Limitations: whether the answer follows from the quote is not checked. A number that was computed from the source is
foreign to it. Quotes in languages without spaces count as one word. `check_explanations` checks justifications further.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from src.errors import one_line
from src.one_call.answers import ClaimAnswer, WrittenPair, WrittenReason, answers_in
from src.one_call.sources import ClaimSources, Source
from src.records import QAPair
from src.reranking.questions.soundness import foreign_name, named_in
from src.text import same, sentences

FITS = 0.85  # least fit of a quote
FEWEST_WORDS = 3  # of a quote: fewer occur anywhere, and prove nothing
_NEGATIONS = {"not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "without", "cannot", "t"}  # of don't
_MARK = re.compile(r"\s*\[\s*\d+(?:\s*[,;-]\s*\d+)*\s*\]")  # a citation of the model's own
_ELLIPSIS = re.compile(r"\s*(?:\.{3,}|…|\[…\]|\[\.{3}\])\s*")


class CheckedAnswer(NamedTuple):
    """What is left of an answer.

    `pairs`: the pairs that passed, in their order.
    `quote_fits`: the fit of each one's quote.
    `justification`: its sentences, each followed by the numbers of the pairs from the sources that it names: `[2]`.
    `counts`: number of pairs and sentences that were dropped, by reason.
    """

    pairs: list[QAPair]
    quote_fits: list[float]
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
    pairs = [QAPair(one_line(pair.question), one_line(pair.answer), sources[pair.source - 1].url) for pair in kept]
    fits = [round(fit(pair.quote, sources[pair.source - 1].text), 3) for pair in kept]
    return CheckedAnswer(pairs, fits, " ".join(_cited(answer, claim, kept, counts)), dict(counts))


def _fault(pair: WrittenPair, claim: ClaimSources, earlier: Sequence[WrittenPair]) -> str:
    """Return the name of the count under which a pair is dropped; "" if it passes."""
    if not (pair.question.strip() and pair.answer.strip()):
        return "pairs_blank"
    if not 1 <= pair.source <= len(claim.sources):
        return "pairs_without_source"
    source = claim.sources[pair.source - 1]
    if fit(pair.quote, source.text) < FITS:
        return "pairs_with_misquote"
    named = named_in(_about(claim), source.text, source.url)
    if any(foreign_name(text, named) for text in (pair.question, *sentences(pair.answer))):
        return "pairs_with_foreign_name"
    return "pairs_repeated" if _key(pair) in map(_key, earlier) else ""


def _key(pair: WrittenPair) -> tuple[str, str]:
    return same(pair.question), same(pair.answer)


def is_copied(answer: ClaimAnswer, sources: Sequence[Source]) -> bool:
    """Return True if a source contains the answer: a page that has one ready for models."""
    return any(answer == ready for source in sources for ready in answers_in(source.text))


def fit(quote: str, source: str) -> float:
    """Return how well a quote fits its source, from 0 to 1.

    A quote of fewer than `FEWEST_WORDS` words fits only if it is the whole source.
    """
    from rapidfuzz.fuzz import partial_ratio, ratio

    text, parts = same(source), [same(part) for part in _ELLIPSIS.split(quote) if part.strip()]
    words = [word for part in parts for word in part.split()]
    if len(words) < FEWEST_WORDS:
        return float(bool(parts) and parts == [text])
    if any(word in _NEGATIONS or any(map(str.isdigit, word)) for word in {*words} - {*text.split()}):
        return 0.0
    return min((ratio if len(part) > len(text) else partial_ratio)(part, text) for part in parts) / 100


def _cited(
    answer: ClaimAnswer, claim: ClaimSources, pairs: Sequence[WrittenPair], counts: Counter[str]
) -> Iterator[str]:
    """Yield the sentences of the justification that are kept, with the numbers of the pairs that each rests on.

    A sentence is dropped if it repeats another one, has a name or number that neither the claim nor a source has, or
    names only sources without a pair. Of sentences that name no source only the last one is kept: the conclusion.
    """
    reasons: dict[str, WrittenReason] = {}
    for reason in answer.justification:
        if reason.sentence.strip():
            counts["reasons_repeated"] += same(reason.sentence) in reasons
            reasons.setdefault(same(reason.sentence), reason)
    conclusions = [reason for reason in reasons.values() if not reason.sources]
    named = named_in(_about(claim), " ".join(source.text for source in claim.sources), "")
    for reason in reasons.values():
        numbers = [place for place, pair in enumerate(pairs, start=1) if pair.source in reason.sources]
        sentence = _MARK.sub("", one_line(reason.sentence))
        if foreign_name(sentence, named):
            counts["reasons_with_foreign_name"] += 1
        elif not numbers and (reason.sources or reason is not conclusions[-1]):
            counts["reasons_without_evidence"] += 1
        else:
            yield f"{sentence}{''.join(f' [{number}]' for number in numbers)}"


def _about(claim: ClaimSources) -> str:
    return f"{claim.claim} {claim.speaker} {claim.date}"
