"""Renderer of drawn programs as lines of text."""

from collections.abc import Iterator, Sequence

from src.programs.drawing import DrawnClaim, DrawnProgram, Node

MARK = "* "
STAR = "(* decides the program's value)"


def as_text(claims: Sequence[DrawnClaim]) -> str:
    """Return each claim with its vote and its programs; decisive steps are marked with a star."""
    lines = [line for one in claims for line in (one.title, one.vote, *_programs(one.programs))]
    return "\n".join([*lines, *([STAR] if any(f"─ {MARK}" in line for line in lines) else [])])


def _programs(programs: Sequence[DrawnProgram]) -> Iterator[str]:
    for one in programs:
        yield from (one.name, one.root.title, *_lines(one.root.below, ""), *one.said)


def _lines(nodes: Sequence[Node], indent: str) -> Iterator[str]:
    for place, node in enumerate(nodes):
        is_last = place == len(nodes) - 1
        yield f"{indent}{'└─' if is_last else '├─'} {MARK if node.decisive else ''}{node.title}"
        further = indent + ("   " if is_last else "│  ")
        yield from (f"{further}{'│' if node.below else ' '}  {detail}" for detail in node.details)
        yield from _lines(node.below, further)
