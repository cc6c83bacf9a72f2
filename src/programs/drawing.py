"""A program's trace as a tree: the label, the steps that it names, the questions whose answers stand in their texts.

As text, Mermaid, Graphviz's dot, or HTML; what models and pages said is escaped in each.
"""

import html
from collections.abc import Callable, Iterator
from itertools import count

import msgspec

from src.programs.reading.expression import ExpressionError, parse, variables
from src.programs.records import ProgramTrace, StepTrace


class Node(msgspec.Struct, frozen=True):
    """`title` is what a step says, `details` its evidence."""

    title: str
    decisive: bool = False
    details: tuple[str, ...] = ()
    below: "tuple[Node, ...]" = ()


def tree(trace: ProgramTrace) -> Node:
    """The label on top; steps that it does not rest on stand beside those that it names."""
    title = f"{trace.value}: Predict({trace.label})" if trace.label is not None else f"{trace.value}: no label"
    drawn: set[int] = set()
    named = [_node(trace, place, drawn) for place in named_by_label(trace)]
    others = [_node(trace, place, drawn) for place in range(len(trace.steps)) if place not in drawn]
    return Node(title, below=(*named, *others))


def named_by_label(trace: ProgramTrace) -> list[int]:
    """The places of the label's variables; one that is assigned twice is its last step."""
    last = {step.variable: place for place, step in enumerate(trace.steps)}
    try:
        names = variables(parse(trace.label or ""))
    except ExpressionError:
        names = []
    return [last[name] for name in names if name in last]


def _node(trace: ProgramTrace, place: int, drawn: set[int]) -> Node:
    """What a step rests on stands below it where it is drawn first."""
    step = trace.steps[place]
    if place in drawn:
        return Node(f"{_title(step)} (see above)", step.decisive)
    drawn.add(place)
    below = tuple(_node(trace, one, drawn) for one in step.uses if 0 <= one < len(trace.steps))
    details = tuple(f"{one.sentence} ({one.url})" if one.url else one.sentence for one in step.evidence)
    return Node(_title(step), step.decisive, details, below)


def _title(step: StepTrace) -> str:
    name = f"{step.variable} = " if step.variable else ""
    return f"{name}{step.function}({step.text}) -> {'no answer' if step.value is None else step.value}"


def as_text(root: Node) -> str:
    """Lines of a tree; what decides is marked with a star."""
    return "\n".join([root.title, *_lines(root.below, "")])


def _lines(nodes: tuple[Node, ...], indent: str) -> Iterator[str]:
    for place, node in enumerate(nodes):
        is_last = place == len(nodes) - 1
        yield f"{indent}{'└─' if is_last else '├─'} {'* ' if node.decisive else ''}{node.title}"
        further = indent + ("   " if is_last else "│  ")
        yield from (f"{further}{'│' if node.below else ' '}  {detail}" for detail in node.details)
        yield from _lines(node.below, further)


def as_mermaid(root: Node) -> str:
    """A flowchart; https://mermaid.js.org/syntax/flowchart.html."""
    return "\n".join(["flowchart TD", *_graph(root, _mermaid_node, "    {} --> {}")])


def _mermaid_node(name: str, node: Node) -> str:
    label = "<br/>".join(map(_entities, (node.title, *node.details)))
    return f'    {name}(["{label}"])' if node.decisive else f'    {name}["{label}"]'


def _entities(text: str) -> str:
    """Mermaid reads `#NUMBER;` as that character; whatever may have a meaning is written so."""
    return "".join(one if one.isalnum() or one in " .,?!" else f"#{ord(one)};" for one in text)


def as_dot(root: Node) -> str:
    """A directed graph; https://graphviz.org/doc/info/lang.html."""
    return "\n".join(["digraph program {", "    node [shape=box];", *_graph(root, _dot_node, "    {} -> {};"), "}"])


def _dot_node(name: str, node: Node) -> str:
    label = "\n".join((node.title, *node.details)).replace("\\", "\\\\").replace('"', '\\"')
    return f'    {name} [label="{label}"{", penwidth=3" if node.decisive else ""}];'


def _graph(root: Node, node_line: Callable[[str, Node], str], edge: str) -> list[str]:
    """Each node on a line of its own, and after each below it the edge to that."""
    numbers = count()

    def lines(node: Node) -> tuple[str, list[str]]:
        name = f"n{next(numbers)}"
        found = [node_line(name, node)]
        for one in node.below:
            lower, further = lines(one)
            found += [*further, edge.format(name, lower)]
        return name, found

    return lines(root)[1]


def as_html(root: Node) -> str:
    """Nested lists, without a page around them."""
    return f"<ul>{_item(root)}</ul>"


def _item(node: Node) -> str:
    title = html.escape(node.title)
    parts = [f"<strong>{title}</strong>" if node.decisive else title]
    parts += [f"<blockquote>{html.escape(detail)}</blockquote>" for detail in node.details]
    parts += ["<ul>", *map(_item, node.below), "</ul>"] if node.below else []
    return f"<li>{''.join(parts)}</li>"


FORMATS: dict[str, Callable[[Node], str]] = {
    "text": as_text,
    "mermaid": as_mermaid,
    "dot": as_dot,
    "html": as_html,
}
