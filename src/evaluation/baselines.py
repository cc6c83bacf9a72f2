"""Two trivial baselines: a score that is not far above them says little about fact-checking.

- `always_refuted`: keeps the evidence, and gives every claim Refuted, the commonest verdict of AVeriTeC.
- `claim_as_question`: gives every claim Refuted, and replaces every question by `Is it true that CLAIM?`. METEOR
rewards shared words, and a claim has many words of its gold questions. It needs evidence with separate questions.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from src.evaluation.averitec import ClaimScore, Gold, Guess, score
from src.records import QAPair, Verdict


def always_refuted(claims: Sequence[ClaimScore]) -> list[ClaimScore]:
    """Return the claims' scores if every predicted verdict were Refuted; the scores of evidence do not change."""
    return [replace(claim, guessed=Verdict.REFUTED) for claim in claims]


def claim_as_question(golds: Sequence[Gold], guesses: Sequence[Guess]) -> list[ClaimScore] | None:
    """Return the claims' scores, in order, if all questions were `Is it true that CLAIM?` and all verdicts Refuted.

    Returns None if the evidence of a prediction has no separate questions.

    Raises MissingExtra without NLTK 3.9.1 and its data.
    """
    if any(guess.strings for guess in guesses):
        return None
    return [score(gold, _asking(gold, guess)) for gold, guess in zip(golds, guesses, strict=True)]


def claim_as_its_question(claim: str) -> str:
    """Return `Is it true that CLAIM?`, the question of the baseline `claim_as_question`."""
    return f"Is it true that {claim.strip().removesuffix('.')}?"


def _asking(gold: Gold, guess: Guess) -> Guess:
    """Return the prediction with its questions replaced and the verdict Refuted; its answers stay."""
    question = claim_as_its_question(gold.claim)
    evidence = [QAPair(question=question, answer=pair.answer) for pair in guess.pairs]
    return Guess(claim_id=guess.claim_id, verdict=Verdict.REFUTED, evidence=evidence)
