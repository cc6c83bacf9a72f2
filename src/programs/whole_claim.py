"""The program that verifies a claim as a whole, for claims whose own program cannot be used.

It always has exactly one step with the claim's words, even if the claim contains program text or quotes. Baselines that
judge claims without a program write their verdicts as a trace of this program.

Limitations: nothing is left to verify of a claim that is only white space and backslashes. A claim that is too long is
cut; a diagnostic says so when it is executed.
"""

import re
from collections.abc import Sequence

import msgspec

from src.programs.parsing.expression import Program, Step, Variable, canonical
from src.programs.parsing.reader import read_program
from src.programs.records import (
    ClaimPrograms,
    ClaimTrace,
    Diagnostic,
    DiagnosticKind,
    Function,
    ProgramTrace,
    StepEvidence,
    StepTrace,
)
from src.records import Value
from src.text import same

LONGEST_CLAIM = 4_000  # characters of the claim that are verified

_PLAIN = str.maketrans('"{}\\', "'() ")
_TYPOGRAPHIC = str.maketrans("\"'", "\u201d\u2019")
_ESCAPED = re.compile(r"""(?<!\\)\\+(?=["'])""")
_OPENING = ((re.compile(r'(?<![^\s(\[{])"(?=\S)'), "\u201c"), (re.compile(r"(?<![^\s(\[{])'(?=\S)"), "\u2018"))


def fallback(claim: str) -> str:
    """Return the text of the program that verifies the claim as a whole."""
    program = _verifying(plain(claim))
    return program if reads_back(program) else _verifying(_typographic(claim))


def _verifying(text: str) -> str:
    step = Step("fact_1", Function.VERIFY, text[:LONGEST_CLAIM].rstrip(), 1)
    return canonical(Program((step,), Variable("fact_1"), 2, ()))


def reads_back(text: str) -> bool:
    """Return True if the program text parses without a repair, and the parsed program has the same canonical text."""
    read = read_program(text)
    return not read.diagnostics and canonical(read) == text


def whole(claim: ClaimPrograms) -> ClaimPrograms:
    """Return the claim with a single program: the one that verifies it as a whole."""
    return ClaimPrograms(claim.claim_id, claim.claim, [fallback(claim.claim)])


def verifies_whole(program: ProgramTrace, claim: str) -> bool:
    """Return True if the program has one step and its text is that of the claim, apart from case and punctuation."""
    return len(program.steps) == 1 and same(program.steps[0].text) == same(claim)


def plain(text: str) -> str:
    """Return the text in one line, without the characters that have a meaning in a program.

    Double quotes become single ones, braces become parentheses, and backslashes become spaces.
    """
    return " ".join(_ESCAPED.sub("", text).translate(_PLAIN).split())


def _typographic(text: str) -> str:
    """Return the text in one line, with typographic quotes instead of all others.

    It is for claims with plain quotes that the parser would read as concatenated strings.
    """
    text = _ESCAPED.sub("", text)
    for opening, sign in _OPENING:
        text = opening.sub(sign, text)
    return plain(text.translate(_TYPOGRAPHIC))


def read_for(claim: str, text: str) -> Program:
    """Return the parsed program of a claim; `text` is the program's text.

    If the program verifies the claim as a whole, and of a claim of more than LONGEST_CLAIM characters only the
    beginning, a diagnostic says so.
    """
    program = read_program(text)
    if len(claim) <= LONGEST_CLAIM or text != fallback(claim) or len(plain(claim)) <= LONGEST_CLAIM:
        return program
    message = f"the claim has more than {LONGEST_CLAIM} characters; the rest is not verified"
    return msgspec.structs.replace(program, diagnostics=(Diagnostic(DiagnosticKind.LIMIT_EXCEEDED, 1, message),))


def trace_of(
    claim_id: int, claim: str, value: Value, confidence: float, evidence: Sequence[StepEvidence], model_calls: int
) -> ClaimTrace:
    """Return a verdict on a claim as the trace of the program that verifies the claim as a whole.

    `confidence` is 0 to 1, `evidence` are the sentences behind the verdict.
    """
    step = StepTrace("fact_1", Function.VERIFY, 1, claim, value, list(evidence), decisive=True, confidence=confidence)
    return ClaimTrace(claim_id, claim, value, 1.0, model_calls, [ProgramTrace(value, [step], [], "fact_1")])
