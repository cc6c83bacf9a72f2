"""Guide for annotators: the nine types of errors, each with its definition and an example of ours."""

import re
from pathlib import Path

import msgspec

from src.errors import InputError
from src.explanation.typology import MADR_TYPES, ErrorType
from src.prompts import load
from src.store import read_json

TYPOLOGY = "madr_typology"  # prompt with the definitions
EXAMPLES = Path(__file__).parent / "examples.json"


class _Example(msgspec.Struct, frozen=True):
    type: ErrorType
    sentence: str
    why: str


class _Examples(msgspec.Struct, frozen=True):
    """Example sentences; all explain the verdict on the same claim, from the same evidence."""

    claim: str
    verdict: str
    evidence: list[str]
    examples: list[_Example]


class Kind(msgspec.Struct, frozen=True):
    """A type of error in the guide; `why` explains the error in the `example`."""

    code: ErrorType
    name: str
    definition: str
    example: str
    why: str


class Guide(msgspec.Struct, frozen=True):
    """The types of errors; `claim`, `verdict` and `evidence` are those of the examples."""

    kinds: list[Kind]
    claim: str
    verdict: str
    evidence: list[str]


def guide() -> Guide:
    """Return the guide; types are defined in the same words as in the prompts of debating agents.

    Raises: InputError if a type has no definition or no example.
    """
    text = load(TYPOLOGY).template
    found = read_json(EXAMPLES, _Examples)
    examples = {one.type: one for one in found.examples}
    if missing := [kind for kind in MADR_TYPES if kind not in examples]:
        raise InputError(f"has no example of {missing[0]}", path=EXAMPLES)
    kinds = [
        Kind(kind, kind.full_name, _definition(kind, text), examples[kind].sentence, examples[kind].why)
        for kind in MADR_TYPES
    ]
    return Guide(kinds, found.claim, found.verdict, found.evidence)


def _definition(kind: ErrorType, text: str) -> str:
    found = re.search(rf"^{kind} {kind.full_name}: (.+)$", text, re.MULTILINE)
    if found is None:
        raise InputError(f"does not define {kind} {kind.full_name}", path=f"src/prompts/{TYPOLOGY}.md")
    return found[1]
