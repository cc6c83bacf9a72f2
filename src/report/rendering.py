"""Rendering of pages: Jinja2 templates with autoescaping, one style sheet, and a policy against loading anything.

Style and script are inlined, so that each page is one file that can be sent to others. The Content-Security-Policy
allows them by their SHA-256. Nothing else may run or load, even if the page contains text of a scraped page.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from src.canonical_url import page_addresses, site, web_address
from src.check.reliance import leveled
from src.records import Verdict

TEMPLATES = Path(__file__).parent / "templates"
STYLE = "report.css"
LONGEST_PATH = 200  # characters of a link's text
TONES: Mapping[str, str] = {
    Verdict.SUPPORTED: "supported",
    Verdict.REFUTED: "refuted",
    Verdict.NOT_ENOUGH_EVIDENCE: "open",
    Verdict.CONFLICTING: "conflicting",
}


class Link(msgspec.Struct, frozen=True):
    """A link on a page; `address` is relative to the page, or a path on the server."""

    address: str
    text: str


def page(template: str, *, script: str = "", served: bool = False, **shown: object) -> str:
    """Return the HTML of a template, with the variables in `shown`.

    `script` is a file in the templates folder that is inlined; by default the page has no script. With `served`, the
    page may send forms and requests to its server; by default it may not.
    """
    code = _text(script) if script else ""
    return _environment().get_template(template).render(
        style=Markup(_text(STYLE)), script=Markup(code), policy=policy(script, served=served), **shown
    )  # fmt: skip


def policy(script: str = "", *, served: bool = False) -> str:
    """Return the Content-Security-Policy of a page: only its own style and script, nothing from other sites.

    `script` and `served` are those of `page`.
    """
    run = f"'{digest(script)}'" if script else "'none'"
    server = "form-action 'self'; connect-src 'self'" if served else "form-action 'none'"
    return (
        f"default-src 'none'; style-src '{digest(STYLE)}'; script-src {run}; img-src data:; base-uri 'none'; {server}"
    )


@cache
def digest(name: str) -> str:
    """Return the Content-Security-Policy hash (`sha256-…`) of a file in the templates folder."""
    return f"sha256-{base64.b64encode(hashlib.sha256(_text(name).encode()).digest()).decode()}"


@cache
def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"percent": percent, "cited": cited, "web": web_address, "site": site, "path": path,
                            "tone": tone, "leveled": leveled}  # fmt: skip
    return environment


def percent(share: float) -> str:
    """Return a share as `71 %`, with a no-break space."""
    return f"{share * 100:.0f}\u00a0%"


def tone(verdict: str) -> str:
    """Return the CSS class for the color of a verdict; `open` for any other text."""
    return TONES.get(verdict, "open")


def path(url: str) -> str:
    """Return the part of the URL after the host, shortened at its end; "" if there is none.

    For an archived page it is the path of the original page.
    """
    pages = page_addresses(url)
    shown = f"/{pages[-1].path}" if pages and pages[-1].path else ""
    return shown if len(shown) <= LONGEST_PATH else f"{shown[: LONGEST_PATH - 1]}…"


def cited(text: str) -> Markup:
    """Return the text as HTML, with numbers in brackets linked to the evidence of that number."""
    return Markup(re.sub(r"\[(\d+)\]", r'<a href="#evidence-\1">[\1]</a>', str(escape(text))))
