"""Trees of a claim's programs, rendered as one document: text, Mermaid, dot or HTML.

The root is the label; below it are the steps that it names, and the questions whose answers these steps use. White
space in each text is collapsed to one line. Each format escapes texts of models and pages.

In graphs, claims are boxes around their programs. The diagnostics of a program are in the title of its box. Comments
are not used, because Mermaid reads settings in them. The HTML page follows the reader's light or dark color scheme. It
loads nothing and contains no scripts.
"""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from html import escape
from itertools import count

import msgspec

from src.errors import one_line
from src.programs.parsing.resolution import named_by_label
from src.programs.records import ClaimTrace, ProgramTrace, StepEvidence, StepTrace
from src.programs.whole_claim import verifies_whole


class Node(msgspec.Struct, frozen=True):
    """A node of a program's tree: the label or a step, and the sentences from which the step was answered.

    `title`: text of the node.
    `decisive`: True if the step decides the value of the program.
    `evidence`: the sentences.
    `below`: nodes of the steps that this node uses.
    """

    title: str
    decisive: bool = False
    evidence: tuple[StepEvidence, ...] = ()
    below: "tuple[Node, ...]" = ()

    @property
    def details(self) -> tuple[str, ...]:
        """Return the sentences of the evidence with their pages, as texts."""
        return tuple(f"{one.sentence} ({one.url})" if one.url else one.sentence for one in self.evidence)


class DrawnProgram(msgspec.Struct, frozen=True):
    """The tree of a program.

    `name`: its number, and whether it verifies the claim as a whole.
    `root`: the node of the label.
    `diagnostics`: messages on repairs and on reasons for unknown values.
    """

    name: str
    root: Node
    diagnostics: tuple[str, ...] = ()


class DrawnClaim(msgspec.Struct, frozen=True):
    """The trees of a claim's programs.

    `title`: the claim with its claim_id.
    `vote`: a text on the vote of the programs.
    `programs`: the trees.
    """

    title: str
    vote: str
    programs: tuple[DrawnProgram, ...]


def drawn(trace: ClaimTrace, failed: str = "") -> DrawnClaim:
    """Return the trees of a claim's programs; `failed` is the reason if the claim has no complete result."""
    vote = _vote(trace)
    if failed:
        vote = f"{vote}; failed: {one_line(failed)}"
    programs = tuple(
        DrawnProgram(_name(number, program, trace.claim), tree(program), _diagnostics(program))
        for number, program in enumerate(trace.programs, start=1)
    )
    return DrawnClaim(f"[{trace.claim_id}] {one_line(trace.claim)}", vote, programs)


def _vote(trace: ClaimTrace) -> str:
    several = len(trace.programs) > 1
    return f"{trace.value} by {trace.vote_share:.0%} of {len(trace.programs)} programs" if several else str(trace.value)


def _name(number: int, program: ProgramTrace, claim: str) -> str:
    return f"program {number}" + (", the claim as a whole" if verifies_whole(program, claim) else "")


def _diagnostics(program: ProgramTrace) -> tuple[str, ...]:
    diagnostics = sorted(program.diagnostics, key=lambda one: one.line)
    return tuple(f"line {one.line}, {one.kind}: {one_line(one.message)}" for one in diagnostics)


def tree(trace: ProgramTrace) -> Node:
    """Return the tree of a program, with the label as its root.

    Steps that the label does not depend on come after the steps that it names.
    """
    title = f"{trace.value}: Predict({trace.label})" if trace.label is not None else f"{trace.value}: no label"
    drawn: set[int] = set()
    named = [_node(trace, place, drawn) for place in named_by_label(trace)]
    others = [_node(trace, place, drawn) for place in range(len(trace.steps)) if place not in drawn]
    return Node(one_line(title), below=(*named, *others))


def _node(trace: ProgramTrace, place: int, drawn: set[int]) -> Node:
    """Return the node of the step with index `place` in the trace.

    The steps that it uses are below it at its first occurrence only. `drawn` collects the indexes of the steps that
    have a node.
    """
    step = trace.steps[place]
    if place in drawn:
        return Node(f"{_title(step)} (see above)", step.decisive)
    drawn.add(place)
    below = tuple(_node(trace, one, drawn) for one in step.uses if 0 <= one < len(trace.steps))
    evidence = (StepEvidence(one_line(one.sentence), one_line(one.url), one.score) for one in step.evidence)
    return Node(_title(step), step.decisive, tuple(evidence), below)


def _title(step: StepTrace) -> str:
    name = f"{step.variable} = " if step.variable else ""
    return one_line(f"{name}{step.function}({step.text}) -> {'no answer' if step.value is None else step.value}")


MARK = "* "
STAR = "(* decides the program's value)"


def as_text(claims: Sequence[DrawnClaim]) -> str:
    """Return the document as text: each claim with its vote and its programs.

    Decisive steps are marked with a star; a last line explains it.
    """
    lines = [line for one in claims for line in (one.title, one.vote, *_programs(one.programs))]
    return "\n".join([*lines, *([STAR] if any(f"─ {MARK}" in line for line in lines) else [])])


def _programs(programs: Sequence[DrawnProgram]) -> Iterator[str]:
    for one in programs:
        yield from (one.name, one.root.title, *_lines(one.root.below, ""), *one.diagnostics)


def _lines(nodes: Sequence[Node], indent: str) -> Iterator[str]:
    for place, node in enumerate(nodes):
        is_last = place == len(nodes) - 1
        yield f"{indent}{'└─' if is_last else '├─'} {MARK if node.decisive else ''}{node.title}"
        further = indent + ("   " if is_last else "│  ")
        yield from (f"{further}{'│' if node.below else ' '}  {detail}" for detail in node.details)
        yield from _lines(node.below, further)


STYLE = """
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1, h2, li, p { overflow-wrap: anywhere; }
blockquote { margin: 0.25rem 0 0.25rem 1rem; padding-left: 0.75rem; border-left: 2px solid; opacity: 0.8; }
"""
DIGEST = b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; style-src 'sha256-{DIGEST}'; script-src 'none'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
HEAD = f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Claims as programs</title>
<style>{STYLE}</style>
</head>
<body>
<h1>Claims as programs</h1>"""
TAIL = "</body>\n</html>"


def as_html(claims: Sequence[DrawnClaim]) -> str:
    """Return the document as an HTML page: programs are nested lists, with decisive steps in bold."""
    return "\n".join([HEAD, *map(_claim, claims), TAIL])


def _claim(one: DrawnClaim) -> str:
    return f"<h2>{escape(one.title)}</h2>\n<p>{escape(one.vote)}</p>\n" + "\n".join(map(_program, one.programs))


def _program(one: DrawnProgram) -> str:
    diagnostics = "".join(f"\n<p>{escape(line)}</p>" for line in one.diagnostics)
    return f"<h3>{escape(one.name)}</h3>\n<ul>{_item(one.root)}</ul>{diagnostics}"


def _item(node: Node) -> str:
    title = escape(node.title)
    parts = [f"<strong>{title}</strong>" if node.decisive else title]
    parts += [f"<blockquote>{escape(detail)}</blockquote>" for detail in node.details]
    parts += ["<ul>", *map(_item, node.below), "</ul>"] if node.below else []
    return f"<li>{''.join(parts)}</li>"


class _Syntax(msgspec.Struct, frozen=True):
    """The syntax of a graph format, Mermaid or dot.

    `head`, `tail`: first and last line of the document.
    `box`: returns the line that opens a box, from its number and the lines of its title.
    `end`: the line that closes a box.
    `node`: returns the line of a node, from its name and the node.
    `edge`: pattern of the line of an edge, for the names of the upper and the lower node.
    """

    head: str
    tail: str
    box: Callable[[int, Sequence[str]], str]
    end: str
    node: Callable[[str, Node], str]
    edge: str


def as_mermaid(claims: Sequence[DrawnClaim]) -> str:
    """Return the document as a Mermaid flowchart; https://mermaid.js.org/syntax/flowchart.html."""
    return _document(claims, _MERMAID)


def as_dot(claims: Sequence[DrawnClaim]) -> str:
    """Return the document as a directed graph for Graphviz; https://graphviz.org/doc/info/lang.html."""
    return _document(claims, _DOT)


def _document(claims: Sequence[DrawnClaim], syntax: _Syntax) -> str:
    boxes, names = count(1), (f"n{number}" for number in count(1))
    lines = [syntax.head]
    for claim in claims:
        lines.append(syntax.box(next(boxes), (claim.title, claim.vote)))
        for one in claim.programs:
            lines.append(syntax.box(next(boxes), (one.name, *one.diagnostics)))
            lines += [*_nodes(one.root, next(names), names, syntax), syntax.end]
        lines.append(syntax.end)
    return "\n".join([*lines, syntax.tail]).rstrip("\n")


def _nodes(node: Node, name: str, names: Iterator[str], syntax: _Syntax) -> Iterator[str]:
    """Yield the lines of a node, of all nodes below it, and of the edges to them."""
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
    """Return the lines as one escaped label: all but letters, digits and some punctuation become `#NUMBER;`.

    Mermaid gives meanings to many characters.
    """
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
