"""Replies that a model of `one_call` learns to write, made from gold data.

A gold answer belongs to the passage with the sentence that has most of its words; this sentence is the quote. Gold
answers that no passage has, those whose passage has the question, too, and those that the checks of `one_call` would
drop are left out. The gold label is rated 5, the others 1, and the gold justification rests on all sources that answer.

Limitations: words are compared, so a paraphrased answer is not found.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from src.claims import gold_answer
from src.errors import one_line
from src.one_call.answers import ClaimAnswer, Ratings, WrittenPair, WrittenReason
from src.one_call.checks import checked
from src.one_call.sources import ClaimSources, Source
from src.records import VERDICTS, AnswerType, Claim
from src.text import same, sentences

FOUND = 0.5  # least share of an answer's words in the sentence that is quoted
MOST_REASONS = 4  # sentences of a justification
AGREE, DISAGREE = 5, 1


class SourcedAnswer(NamedTuple):
    """A gold answer in a source: its question, its text, the source, and the sentence of the source that has it."""

    question: str
    answer: str
    source: Source
    quote: str


def sourced_answers(claim: Claim, ranked: ClaimSources) -> list[SourcedAnswer]:
    """Return the gold answers that a source has and that pass the checks of `one_call`, one for each question."""
    places = [(source, quote) for source in ranked.sources for quote in sentences(source.text)]
    answers = [
        SourcedAnswer(one_line(question.question), one_line(gold_answer(answer)), *place)
        for question in claim.questions
        for answer in question.answers[:1]
        if answer.answer_type is not AnswerType.UNANSWERABLE
        and (place := _place(answer.boolean_explanation or answer.answer, places))
        and same(question.question) not in same(place[0].text)
    ]
    passing = {(pair.question, pair.answer) for pair in checked(gold_reply(claim, ranked, answers), ranked, 99).pairs}
    return [one for one in answers if (one.question, one.answer) in passing]


def _place(text: str, places: Sequence[tuple[Source, str]]) -> tuple[Source, str] | None:
    """Return the source and the sentence with most of a text's words, None if none has `FOUND` of them."""
    wanted = set(same(text).split())
    if not wanted or not places:
        return None
    shares = [len(wanted & set(same(quote).split())) / len(wanted) for _, quote in places]
    source, quote = places[shares.index(max(shares))]
    return (source, one_line(quote).removeprefix("…").strip()) if max(shares) >= FOUND else None


def shown_sources(ranked: ClaimSources, answers: Sequence[SourcedAnswer], most: int) -> ClaimSources:
    """Return the claim with `most` of its sources: those with a gold answer, then the others, all in their order."""
    used = {answer.source for answer in answers}
    chosen = sorted(range(len(ranked.sources)), key=lambda place: ranked.sources[place] not in used)[:most]
    return replace(ranked, sources=tuple(ranked.sources[place] for place in sorted(chosen)))


def gold_reply(claim: Claim, shown: ClaimSources, answers: Sequence[SourcedAnswer]) -> ClaimAnswer:
    """Return the reply to learn about a claim; reasons that the checks of `one_call` would drop are left out."""
    numbers = {source: number for number, source in enumerate(shown.sources, start=1)}
    pairs = [
        WrittenPair(numbers[one.source], one.quote, one.question, one.answer)
        for one in answers
        if one.source in numbers
    ]
    used = sorted({pair.source for pair in pairs})
    ratings = Ratings(*(AGREE if verdict is claim.label else DISAGREE for verdict in VERDICTS))
    reasons = [WrittenReason(one_line(text), used) for text in sentences(claim.justification or "")]
    first = reasons[:MOST_REASONS] if pairs else reasons[-1:]
    alone = [ClaimAnswer(pairs, [reason], ratings) for reason in first]
    kept = [one.justification[0] for one in alone if checked(one, shown, len(pairs)).justification]
    return ClaimAnswer(pairs, kept, ratings)
