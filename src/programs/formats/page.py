"""Renderer of drawn programs as one HTML page, light or dark as the reader's system. The page loads and runs
nothing."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape

from src.programs.drawing import DrawnClaim, DrawnProgram, Node

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
    """Return the programs as nested lists, with decisive steps in bold."""
    return "\n".join([HEAD, *map(_claim, claims), TAIL])


def _claim(one: DrawnClaim) -> str:
    return f"<h2>{escape(one.title)}</h2>\n<p>{escape(one.vote)}</p>\n" + "\n".join(map(_program, one.programs))


def _program(one: DrawnProgram) -> str:
    said = "".join(f"\n<p>{escape(line)}</p>" for line in one.said)
    return f"<h3>{escape(one.name)}</h3>\n<ul>{_item(one.root)}</ul>{said}"


def _item(node: Node) -> str:
    title = escape(node.title)
    parts = [f"<strong>{title}</strong>" if node.decisive else title]
    parts += [f"<blockquote>{escape(detail)}</blockquote>" for detail in node.details]
    parts += ["<ul>", *map(_item, node.below), "</ul>"] if node.below else []
    return f"<li>{''.join(parts)}</li>"
