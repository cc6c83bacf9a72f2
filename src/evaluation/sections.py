"""Tables with titles, as lines of text or as Markdown."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from src.evaluation.text_table import table


class Section(NamedTuple):
    """A titled table. `rows` begin with the column heads; `notes` are lines below and may be given without rows."""

    title: str
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()


def as_text(sections: Iterable[Section]) -> list[str]:
    """Return the lines, with a blank line before each section except the first."""
    blocks = ([one.title, *(table(one.rows) if one.rows else []), *one.notes] for one in sections)
    return [line for place, block in enumerate(blocks) for line in ([""] if place else []) + block]


def as_markdown(sections: Iterable[Section]) -> str:
    """Return one document, with each title in bold."""
    blocks = []
    for one in sections:
        blocks.append(f"**{one.title}**")
        if one.rows:
            head, *rows = (f"| {' | '.join(map(_cell, row))} |" for row in one.rows)
            blocks.append("\n".join([head, f"|{' --- |' * len(one.rows[0])}", *rows]))
        blocks += one.notes
    return "\n\n".join(blocks) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|") or " "
