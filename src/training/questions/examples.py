"""What a question writer learns from: a claim, a sentence, and the question that was asked for it.

The sentence is the gold answer, of whatever type, a Boolean one with its explanation ("Yes, because ..."). Questions
without an answer have no sentence and are left out. Noisy examples are sentences that a search brought for the claim,
each with the gold question that it fits best, since a gold answer is not what a writer sees in use.

But: texts only; layout and tokens are `src/training/questions/rows.py`.
"""

from collections.abc import Mapping, Sequence

import msgspec

from src.evaluation.meteor import Words, meteor
from src.records import Claim
from src.reranking.questions.examples import answer_text
from src.text import words
from src.training.retrieved import Pairs


class QuestionExample(msgspec.Struct, frozen=True):
    claim: str
    sentence: str
    question: str


def gold_examples(claims: Sequence[Claim]) -> list[QuestionExample]:
    """One for each answer, in order."""
    return [
        QuestionExample(claim.claim, text, question.question)
        for claim in claims
        for question in claim.questions
        for answer in question.answers
        if question.question.strip() and (text := answer_text(answer))
    ]


def noisy_examples(claims: Sequence[Claim], retrieved: Mapping[int, Pairs], most: int) -> list[QuestionExample]:
    """At most that many a claim: its first retrieved sentences. Claims are looked up by their claim_id."""
    found = []
    for claim in claims:
        own = gold_examples([claim])
        pairs = [Words(words(f"{example.question} {example.sentence}")) for example in own]
        for _, sentence in retrieved.get(claim.claim_id, [])[: most if own else 0]:
            heard = Words(words(sentence))
            fits = [meteor(pair, heard) for pair in pairs]
            found.append(QuestionExample(claim.claim, sentence, own[fits.index(max(fits))].question))
    return found
