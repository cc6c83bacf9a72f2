"""Two trivial baselines: a score that is not far above them says little about fact-checking.

- `always_refuted`: keeps the evidence, and gives every claim Refuted, the commonest verdict of AVeriTeC.
- `claim_as_question`: verdict Refuted, and every question is replaced by `Is it true that CLAIM?`. METEOR rewards
shared words, and a claim has many words of its gold questions. None if the evidence has no separate questions.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from src.evaluation.averitec import ClaimScore, Gold, Guess, score
from src.records import QAPair, Verdict


def always_refuted(claims: Sequence[ClaimScore]) -> list[ClaimScore]:
    """Return the scores with Refuted as predicted verdict of every claim; the scores of evidence do not change."""
    return [replace(claim, guessed=Verdict.REFUTED) for claim in claims]


def claim_as_question(golds: Sequence[Gold], guesses: Sequence[Guess]) -> list[ClaimScore] | None:
    """Return the scores with the claim as the only question, in the given order; None if evidence has no separate
    questions.

    Raises: MissingExtra as `averitec.score` does.
    """
    if any(guess.strings for guess in guesses):
        return None
    return [score(gold, _asking(gold, guess)) for gold, guess in zip(golds, guesses, strict=True)]


def claim_as_its_question(claim: str) -> str:
    """Return `Is it true that CLAIM?`, the question of the baseline `claim_as_question`."""
    return f"Is it true that {claim.strip().removesuffix('.')}?"


def _asking(gold: Gold, guess: Guess) -> Guess:
    question = claim_as_its_question(gold.claim)
    evidence = [QAPair(question=question, answer=pair.answer) for pair in guess.pairs]
    return Guess(claim_id=guess.claim_id, verdict=Verdict.REFUTED, evidence=evidence)
