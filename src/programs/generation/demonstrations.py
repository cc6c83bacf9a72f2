"""Demonstrations: example claims with their programs for the prompt of a language model.

A file holds blocks as in the prompt: a line `# The claim is that CLAIM`, then the program. Two files are shipped in
`src/programs/demonstrations`. In `multi_hop.txt`, questions lead from one thing to the next; `clauses.txt` splits
claims into their clauses.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from src.errors import InputError
from src.programs.parsing.reader import read_program
from src.programs.program import Program, canonical
from src.store import read_bytes
from src.text import same

FOLDER = Path(__file__).parents[1] / "demonstrations"
SHIPPED = {"multi_hop": FOLDER / "multi_hop.txt", "clauses": FOLDER / "clauses.txt"}
HEAD = "# The claim is that "


class Demonstration(msgspec.Struct, frozen=True):
    claim: str
    program: Program

    def written(self) -> str:
        """Return the demonstration as it is in a prompt."""
        return f"{HEAD}{self.claim}\n{as_code(canonical(self.program))}"


def as_code(program: str) -> str:
    lines = "\n".join(f"    {line}" for line in program.strip().splitlines())
    return f"def program():\n{lines}"


def read_demonstrations(path: Path) -> list[Demonstration]:
    """Return the demonstrations of a file.

    Raises InputError (file, line) when there are none, when a program needs a repair, or when the file contains a NUL.
    """
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"is no text: {error}", path=path) from None
    if (place := text.find("\0")) >= 0:
        raise InputError("holds a NUL character", path=path, line=text.count("\n", 0, place) + 1)
    starts = [found.start() for found in re.finditer(rf"(?m)^{re.escape(HEAD)}", text)]
    if not starts:
        raise InputError(f"no line begins with {HEAD.strip()!r}", path=path)
    return [
        _demonstration(text[start:end], text.count("\n", 0, start) + 1, path)
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
    ]


def _demonstration(block: str, line: int, path: Path) -> Demonstration:
    head, _, code = block.partition("\n")
    program = read_program(code)
    if program.diagnostics:
        first = program.diagnostics[0]
        raise InputError(f"{first.kind}: {first.message}", path=path, line=line + first.line)
    return Demonstration(" ".join(head.removeprefix(HEAD).split()), program)


class Shown(Protocol):
    """An example with a claim, of any kind."""

    @property
    def claim(self) -> str: ...


def refuse_overlap(demonstrations: Sequence[Shown], claims: Iterable[tuple[int, str]], name: str) -> None:
    """Raise InputError if a demonstration is one of the claims to check; case and punctuation are ignored.

    `name` is the users' name of the demonstrations.
    """
    shown = {same(one.claim): number for number, one in enumerate(demonstrations, start=1)}
    for claim_id, claim in claims:
        if number := shown.get(same(claim)):
            raise InputError(f"demonstration {number} is claim {claim_id}, which is to be checked", path=name)
