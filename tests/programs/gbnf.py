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
        body = _REPEATED.sub(lambda found: found[0].replace(",", ";"), rules[name])
        return "".join(part(found, (*above, name)) for found in _PART.finditer(body)).replace(";", ",")

    def part(found: re.Match[str], above: tuple[str, ...]) -> str:
        if found["name"]:
            return f"(?:{written(found['name'], above)})"
        if found["text"] is not None:
            return f"(?:{re.escape(found['text'].encode().decode('unicode_escape'))})"
        return found["set"] or found["sign"]

    return written("root", ())
