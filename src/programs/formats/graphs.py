"""Renderers of drawn programs as one graph, for Mermaid and for Graphviz's dot. Claims are boxes around their programs.

The diagnostics of a program are in the title of its box. Comments are not used, because Mermaid reads settings in them.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import count

import msgspec

from src.programs.drawing import DrawnClaim, Node


class _Syntax(msgspec.Struct, frozen=True):
    """The syntax of a format. `box` opens a box with a number and lines of a title; `end` closes it."""

    head: str
    tail: str
    box: Callable[[int, Sequence[str]], str]
    end: str
    node: Callable[[str, Node], str]
    edge: str


def as_mermaid(claims: Sequence[DrawnClaim]) -> str:
    """Return a flowchart; https://mermaid.js.org/syntax/flowchart.html."""
    return _document(claims, _MERMAID)


def as_dot(claims: Sequence[DrawnClaim]) -> str:
    """Return a directed graph; https://graphviz.org/doc/info/lang.html."""
    return _document(claims, _DOT)


def _document(claims: Sequence[DrawnClaim], syntax: _Syntax) -> str:
    boxes, names = count(1), (f"n{number}" for number in count(1))
    lines = [syntax.head]
    for claim in claims:
        lines.append(syntax.box(next(boxes), (claim.title, claim.vote)))
        for one in claim.programs:
            lines.append(syntax.box(next(boxes), (one.name, *one.said)))
            lines += [*_nodes(one.root, next(names), names, syntax), syntax.end]
        lines.append(syntax.end)
    return "\n".join([*lines, syntax.tail]).rstrip("\n")


def _nodes(node: Node, name: str, names: Iterator[str], syntax: _Syntax) -> Iterator[str]:
    """Yield each node on a separate line, followed by the nodes below it and the edges to them."""
    yield syntax.node(name, node)
    for one in node.below:
        lower = next(names)
        yield from _nodes(one, lower, names, syntax)
        yield syntax.edge.format(name, lower)


def _mermaid_box(number: int, title: Sequence[str]) -> str:
    return f'    subgraph box{number}["{_mermaid_label(title)}"]'


def _mermaid_node(name: str, node: Node) -> str:
    label = _mermaid_label((node.title, *node.details))
    return f'    {name}(["{label}"])' if node.decisive else f'    {name}["{label}"]'


def _mermaid_label(lines: Sequence[str]) -> str:
    """Return the escaped lines: every character that may have a meaning becomes `#NUMBER;`."""
    return "<br/>".join("".join(one if one.isalnum() or one in " .,?!" else f"#{ord(one)};" for one in line)
                        for line in lines)  # fmt: skip


def _dot_box(number: int, title: Sequence[str]) -> str:
    return f'    subgraph cluster_{number} {{\n    label="{_dot_label(title)}";'


def _dot_node(name: str, node: Node) -> str:
    label = _dot_label((node.title, *node.details))
    return f'    {name} [label="{label}"{", penwidth=3" if node.decisive else ""}];'


def _dot_label(lines: Sequence[str]) -> str:
    signs = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})
    return "\\n".join(line.translate(signs) for line in lines)


_MERMAID = _Syntax("flowchart TD", "", _mermaid_box, "    end", _mermaid_node, "    {} --> {}")
_DOT = _Syntax("digraph programs {\n    node [shape=box];", "}", _dot_box, "    }", _dot_node, "    {} -> {};")
