"""The program that verifies a claim as a whole: what stands in for one that cannot be used.

Whatever the claim holds, program text and quotes included, this program has one step, with the claim's words.

But: of a claim of white space and backslashes alone nothing is left to verify; one that is too long is cut, which a
diagnostic tells where it is executed.
"""

import re

import msgspec

from src.programs.parsing.expression import Variable
from src.programs.parsing.reader import read_program
from src.programs.program import Program, Step, canonical
from src.programs.records import ClaimPrograms, Diagnostic, DiagnosticKind, Function, ProgramTrace
from src.text import same

LONGEST_CLAIM = 4_000  # characters of one that is verified as a whole

_PLAIN = str.maketrans('"{}\\', "'() ")
_TYPOGRAPHIC = str.maketrans("\"'", "\u201d\u2019")
_ESCAPED = re.compile(r"""(?<!\\)\\+(?=["'])""")
_OPENING = ((re.compile(r'(?<![^\s(\[{])"(?=\S)'), "\u201c"), (re.compile(r"(?<![^\s(\[{])'(?=\S)"), "\u2018"))


def fallback(claim: str) -> str:
    """Its text."""
    program = _verifying(plain(claim))
    return program if reads_back(program) else _verifying(_typographic(claim))


def _verifying(text: str) -> str:
    step = Step("fact_1", Function.VERIFY, text[:LONGEST_CLAIM].rstrip(), 1)
    return canonical(Program((step,), Variable("fact_1"), 2, ()))


def reads_back(text: str) -> bool:
    """Whether a program is read as it is written, without a repair."""
    read = read_program(text)
    return not read.diagnostics and canonical(read) == text


def whole(claim: ClaimPrograms) -> ClaimPrograms:
    """The claim with this program alone."""
    return ClaimPrograms(claim.claim_id, claim.claim, [fallback(claim.claim)])


def verifies_whole(program: ProgramTrace, claim: str) -> bool:
    """Whether it says no more than the claim itself."""
    return len(program.steps) == 1 and same(program.steps[0].text) == same(claim)


def plain(text: str) -> str:
    """One line in which quotes, braces and backslashes mean nothing to who reads the program."""
    return " ".join(_ESCAPED.sub("", text).translate(_PLAIN).split())


def _typographic(text: str) -> str:
    """As `plain`, with no quote that code could have: some claims hold what looks like texts that are joined."""
    text = _ESCAPED.sub("", text)
    for opening, sign in _OPENING:
        text = opening.sub(sign, text)
    return plain(text.translate(_TYPOGRAPHIC))


def read_for(claim: str, text: str) -> Program:
    """A claim's program; where it verifies the claim as a whole and has lost its end, a diagnostic says so."""
    program = read_program(text)
    if len(claim) <= LONGEST_CLAIM or text != fallback(claim) or len(plain(claim)) <= LONGEST_CLAIM:
        return program
    message = f"the claim has more than {LONGEST_CLAIM} characters; the rest is not verified"
    return msgspec.structs.replace(program, diagnostics=(Diagnostic(DiagnosticKind.LIMIT_EXCEEDED, 1, message),))
