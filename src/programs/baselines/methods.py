"""Closed-book methods: the ways to ask a model about a claim as a whole, and their examples.

They follow Table 3 of ProgramFC and its appendix E. The prompts and examples are our own; all methods use the same
eight claims.
"""

import re
from pathlib import Path

import msgspec

from src.errors import InputError
from src.programs.generation.demonstrations import FOLDER
from src.store import read_bytes

HEAD = "Is it true that "


class Method(msgspec.Struct, frozen=True):
    """A method. `prompt` is a file of src/prompts. With `reasons` the model writes its reasoning first."""

    name: str
    prompt: str
    demonstrations: Path | None = None
    reasons: bool = False


METHODS = {
    one.name: one
    for one in (
        Method("direct", "closed_book_direct", FOLDER / "direct.txt"),
        Method("zs_cot", "closed_book_zs_cot", reasons=True),
        Method("cot", "closed_book_cot", FOLDER / "chain_of_thought.txt", reasons=True),
        Method("self_ask", "closed_book_self_ask", FOLDER / "self_ask.txt", reasons=True),
        Method("verify", "closed_book_verify"),
    )
}


class Example(msgspec.Struct, frozen=True):
    """A claim with its answer; `written` is the block as it is in a prompt."""

    claim: str
    written: str


def examples(method: Method) -> list[Example]:
    """Return the examples of the method. Raises InputError like `read_examples`."""
    if method.demonstrations is None:
        return []
    return read_examples(method.demonstrations)


def read_examples(path: Path) -> list[Example]:
    """Return the examples of a file, which are separated by empty lines.

    Raises InputError (file, line) when a block does not begin with a question about a claim.
    """
    text, found, line = read_bytes(path).decode("utf-8").strip("\n"), [], 1
    for block in text.split("\n\n"):
        asked = re.match(rf"{HEAD}(.+?)\?", block)
        if asked is None:
            raise InputError(f"no example begins with {HEAD.strip()!r}", path=path, line=line)
        found.append(Example(asked[1], block))
        line += block.count("\n") + 2
    return found


def asked_about(claim: str) -> str:
    """Return the claim for use in a question: on one line, without its final period."""
    return " ".join(claim.split()).removesuffix(".")


def method_names(text: str) -> str:
    """Return names of methods, separated by commas, each once. Raises ValueError for an unknown name."""
    names = dict.fromkeys(name.strip() for name in text.split(","))
    if unknown := [name for name in names if name not in METHODS]:
        raise ValueError(f"{unknown[0]!r} is none of {', '.join(METHODS)}")
    return ",".join(names)
