"""The program that verifies a claim as a whole: what stands in for one that cannot be used."""

from src.programs.program import Function, Program, Step, canonical
from src.programs.reading.expression import Variable
from src.programs.records import ClaimPrograms

LONGEST_CLAIM = 4_000  # characters of one that is verified as a whole


def fallback(claim: str) -> str:
    """Its text."""
    step = Step("fact_1", Function.VERIFY, plain(claim)[:LONGEST_CLAIM], 1)
    return canonical(Program((step,), Variable("fact_1"), 2, ()))


def whole(claim: ClaimPrograms) -> ClaimPrograms:
    """The claim with this program alone."""
    return ClaimPrograms(claim.claim_id, claim.claim, [fallback(claim.claim)])


def plain(text: str) -> str:
    """One line in which quotes, braces and backslashes mean nothing to who reads the program."""
    return " ".join(text.translate(str.maketrans('"{}', "'()", "\\")).split())
