"""Two trivial baselines: a score that is not far above them says little about fact-checking.

- `always_refuted`: the same evidence, and for every claim the commonest verdict of AVeriTeC.
- `claim_as_question`: the same verdict, and every question replaced by `Is it true that CLAIM?`. METEOR rewards shared
  words, and a claim has many words of its gold questions. None if the evidence has no separate questions.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from src.evaluation.averitec import ClaimScore, Gold, Guess, score
from src.records import QAPair, Verdict


def always_refuted(claims: Sequence[ClaimScore]) -> list[ClaimScore]:
    """Return the same scores of the evidence with the verdict Refuted."""
    return [replace(claim, guessed=Verdict.REFUTED) for claim in claims]


def claim_as_question(golds: Sequence[Gold], guesses: Sequence[Guess]) -> list[ClaimScore] | None:
    """Return the scores of the second baseline, in the given order; None if evidence has no separate questions.

    Raises: MissingExtra as `averitec.score` does.
    """
    if any(guess.strings for guess in guesses):
        return None
    return [score(gold, _asking(gold, guess)) for gold, guess in zip(golds, guesses, strict=True)]


def claim_as_its_question(claim: str) -> str:
    """Return the question of the second baseline."""
    return f"Is it true that {claim.strip().removesuffix('.')}?"


def _asking(gold: Gold, guess: Guess) -> Guess:
    question = claim_as_its_question(gold.claim)
    evidence = [QAPair(question=question, answer=pair.answer) for pair in guess.pairs]
    return Guess(claim_id=guess.claim_id, verdict=Verdict.REFUTED, evidence=evidence)
