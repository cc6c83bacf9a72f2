"""The training examples of a question writer: a claim, a sentence, and the question that the sentence answers.

The sentence is the gold answer of any type; a Boolean answer has its explanation ("Yes, because ..."). Questions
without an answer have no sentence and are left out. In use, a writer sees retrieved sentences, not gold answers. Noisy
examples therefore have a sentence that a search found for the claim, with the gold question that fits it best.

Limitations: texts only. `src/training/questions/rows.py` makes prompts and tokens of them.
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
    """Return an example of each answer, in order."""
    return [
        QuestionExample(claim.claim, text, question.question)
        for claim in claims
        for question in claim.questions
        for answer in question.answers
        if question.question.strip() and (text := answer_text(answer))
    ]


def noisy_examples(claims: Sequence[Claim], retrieved: Mapping[int, Pairs], most: int) -> list[QuestionExample]:
    """Return examples of the first `most` retrieved sentences of each claim. `retrieved` is by claim_id."""
    found = []
    for claim in claims:
        own = gold_examples([claim])
        pairs = [Words(words(f"{example.question} {example.sentence}")) for example in own]
        for _, sentence in retrieved.get(claim.claim_id, [])[: most if own else 0]:
            heard = Words(words(sentence))
            fits = [meteor(pair, heard) for pair in pairs]
            found.append(QuestionExample(claim.claim, sentence, own[fits.index(max(fits))].question))
    return found
