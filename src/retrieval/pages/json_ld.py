"""Text of articles in a page's JSON-LD, which many news sites provide for search engines.

Limitations: contexts are not resolved, so only plain schema.org names are known. Broken JSON is skipped.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator

BODIES = ("articleBody", "reviewBody")
HEADINGS = ("headline", "claimReviewed")
MAX_OBJECTS = 100_000  # objects of one page that are examined

_OPENING = re.compile(r"<script\b[^>]*\bapplication/ld\+json\b[^>]*>", re.IGNORECASE)
_CLOSING = re.compile(r"</script", re.IGNORECASE)
_BEFORE = re.compile(r"[\s\ufeff]*(?:<!--|(?://\s*)?<!\[CDATA\[)?")
_BREAK = re.compile(r"<\s*(?:br|/p|/div|/li|/h[1-6])\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def objects_in_html(text: str) -> list[dict[str, object]]:
    """Return the JSON-LD objects in an HTML page, in order: at the top level, in lists and under `@graph`."""
    return list(top_level(value for script in _scripts(text) if (value := _parsed(script)) is not None))


def objects_in_json(text: str) -> list[dict[str, object]]:
    """Return the JSON-LD objects in a JSON document, in order: at the top level, in lists and under `@graph`."""
    value = _parsed(text)
    return list(top_level([value])) if value is not None else []


def article_lines(objects: Iterable[dict[str, object]]) -> list[str]:
    """Return headline and paragraphs of every article in JSON-LD objects, at any depth, without duplicate lines."""
    lines: dict[str, None] = {}
    for node in _nested(objects):
        bodies = [line for name in BODIES for line in _paragraphs(node.get(name))]
        if bodies:
            headings = [line for name in HEADINGS for line in _paragraphs(node.get(name))]
            lines |= dict.fromkeys([*headings, *bodies])
    return list(lines)


def top_level(values: Iterable[object]) -> Iterator[dict[str, object]]:
    """Yield the JSON objects in `values`, in lists and under `@graph`."""
    waiting = list(values)[::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value[::-1]
        elif isinstance(value, dict):
            yield value
            graph = value.get("@graph")
            waiting += graph[::-1] if isinstance(graph, list) else []


def _scripts(text: str) -> Iterator[str]:
    position = 0
    while opening := _OPENING.search(text, position):
        closing = _CLOSING.search(text, opening.end())
        if not closing:
            return
        position = closing.end()
        yield text[opening.end() : closing.start()]


def _parsed(script: str) -> object:
    try:
        return json.loads(_unwrapped(script), strict=False)
    except (ValueError, RecursionError):
        return None


def _unwrapped(script: str) -> str:
    """Return the JSON in a script without a comment or CDATA around it, and without a semicolon after it."""
    before = _BEFORE.match(script)
    inner = script[before.end() if before else 0 :].rstrip("; \t\r\n")
    return inner.removesuffix("-->").removesuffix("]]>").rstrip().removesuffix("//").rstrip("; \t\r\n")


def _nested(objects: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Yield the JSON objects and all objects inside them, each object before its contents."""
    waiting: list[object] = []
    waiting.extend(objects)
    waiting.reverse()
    seen: set[int] = set()
    while waiting and len(seen) < MAX_OBJECTS:
        value = waiting.pop()
        if isinstance(value, dict) and id(value) not in seen:
            seen.add(id(value))
            yield value
            waiting += list(value.values())[::-1]
        elif isinstance(value, list):
            waiting += value[::-1]


def _paragraphs(value: object) -> list[str]:
    """Return the lines of a text, or of a list of texts, without HTML tags; [] for any other value."""
    if isinstance(value, list):
        return [line for item in value if isinstance(item, str) for line in _paragraphs(item)]
    if not isinstance(value, str):
        return []
    text = html.unescape(_TAG.sub("", _BREAK.sub("\n", html.unescape(value) if "<" not in value else value)))
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]
