"""Grammars as regular expressions: what llama.cpp would let a model write.

Limitations: one rule a line, and rules within themselves to a limited depth.
"""

import re
from pathlib import Path

_PART = re.compile(r'"(?P<text>(?:\\.|[^"\\])*)"|(?P<set>\[(?:\\.|[^\]\\])*\])|(?P<name>[a-z][a-z0-9-]*)|(?P<sign>\S)')
_REPEATED = re.compile(r"\{\d+,\d+\}")


def as_regex(path: Path, depth: int) -> str:
    """The rule `root` with all others in the places where they stand, each at most `depth` times within itself."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if "::=" in line]
    rules = {name.strip(): body for name, body in (line.split("::=", 1) for line in lines)}

    def written(name: str, above: tuple[str, ...]) -> str:
        if above.count(name) > depth:
            return "(?!)"
        body = _REPEATED.sub(lambda match: match[0].replace(",", ";"), rules[name])
        return "".join(part(match, (*above, name)) for match in _PART.finditer(body)).replace(";", ",")

    def part(match: re.Match[str], above: tuple[str, ...]) -> str:
        if match["name"]:
            return f"(?:{written(match['name'], above)})"
        if match["text"] is not None:
            return f"(?:{re.escape(match['text'].encode().decode('unicode_escape'))})"
        return match["set"] or match["sign"]

    return written("root", ())
