"""Two systems that know nothing: a score that does not beat them by far says little about fact-checking.

- `always_refuted`: the same evidence, and for every claim the verdict that most claims of AVeriTeC have.
- `claim_as_question`: the same, and every question replaced by `Is it true that CLAIM?`. METEOR rewards words, and a
  claim has many of its gold questions' words. None where the evidence has no questions apart from answers.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from src.evaluation.averitec import ClaimScore, Gold, Guess, score
from src.records import QAPair, Verdict


def always_refuted(claims: Sequence[ClaimScore]) -> list[ClaimScore]:
    """The same scores of the evidence under another verdict."""
    return [replace(claim, guessed=Verdict.REFUTED) for claim in claims]


def claim_as_question(golds: Sequence[Gold], guesses: Sequence[Guess]) -> list[ClaimScore] | None:
    """The scores of the second floor, one for every claim in the order given. Raises as `averitec.score`."""
    if any(guess.strings for guess in guesses):
        return None
    return [score(gold, _asking(gold, guess)) for gold, guess in zip(golds, guesses, strict=True)]


def claim_as_its_question(claim: str) -> str:
    """The question that the second floor asks."""
    return f"Is it true that {claim.strip().removesuffix('.')}?"


def _asking(gold: Gold, guess: Guess) -> Guess:
    question = claim_as_its_question(gold.claim)
    evidence = [QAPair(question=question, answer=pair.answer) for pair in guess.pairs]
    return Guess(claim_id=guess.claim_id, verdict=Verdict.REFUTED, evidence=evidence)
