"""How every page looks: Jinja2 templates with escaping throughout, one style sheet, and a policy that loads nothing.

Style and script stand in the page itself, so that each is one file that can be sent to somebody; the policy names them
by their SHA-256, and nothing else may run or load, whatever a scraped page has put into the text.
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from src.canonical_url import page_addresses, site
from src.check.reliance import leveled
from src.records import Verdict

TEMPLATES = Path(__file__).parent / "templates"
STYLE = "report.css"
LONGEST_PATH = 60  # characters that a link shows
TONES: Mapping[str, str] = {
    Verdict.SUPPORTED: "supported",
    Verdict.REFUTED: "refuted",
    Verdict.NOT_ENOUGH_EVIDENCE: "open",
    Verdict.CONFLICTING: "conflicting",
}


def page(template: str, *, script: str = "", served: bool = False, **shown: object) -> str:
    """The HTML of a template; `script` names a file beside the templates that stands in the page.

    A page that is `served` may send forms to its server and ask it for more.
    """
    code = _text(script) if script else ""
    return _environment().get_template(template).render(
        style=Markup(_text(STYLE)), script=Markup(code), policy=policy(script, served=served), **shown
    )  # fmt: skip


def policy(script: str = "", *, served: bool = False) -> str:
    """The Content-Security-Policy of a page: its own style, its own script, nothing from elsewhere."""
    run = f"'{digest(script)}'" if script else "'none'"
    server = "form-action 'self'; connect-src 'self'" if served else "form-action 'none'"
    return (
        f"default-src 'none'; style-src '{digest(STYLE)}'; script-src {run}; img-src data:; base-uri 'none'; {server}"
    )


@cache
def digest(name: str) -> str:
    """`sha256-…` of a file beside the templates, as policies name it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(_text(name).encode()).digest()).decode()}"


@cache
def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    found = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    found.filters |= {"percent": percent, "cited": cited, "web": web_address, "site": site, "path": path, "tone": tone,
                      "leveled": leveled}  # fmt: skip
    return found


def percent(share: float) -> str:
    """`71 %`, with a space that does not break."""
    return f"{share * 100:.0f}\u00a0%"


def tone(verdict: str) -> str:
    """The class that colours a verdict; `open` for what is none of the four."""
    return TONES.get(verdict, "open")


def web_address(url: str) -> str:
    """The address where it may be a link, http or https; empty for any other, such as `javascript:`."""
    bare = url.strip()
    return bare if bare.lower().startswith(("http://", "https://")) else ""


def path(url: str) -> str:
    """Return what follows the host, cut at its end; empty for a host alone. An archived page shows its own."""
    pages = page_addresses(url)
    found = f"/{pages[-1].path}" if pages and pages[-1].path else ""
    return found if len(found) <= LONGEST_PATH else f"{found[: LONGEST_PATH - 1]}…"


def cited(text: str) -> Markup:
    """Numbers in brackets lead to the evidence of that number."""
    return Markup(re.sub(r"\[(\d+)\]", r'<a href="#evidence-\1">[\1]</a>', str(escape(text))))
