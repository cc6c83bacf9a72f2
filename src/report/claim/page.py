"""A claim's page as HTML."""

import msgspec

from src.check.reliance import AS_READ
from src.report.claim.view import ClaimView
from src.report.look import page


class Link(msgspec.Struct, frozen=True):
    """A link; `address` is relative to the page, or a path of the server."""

    address: str
    text: str


def claim_page(view: ClaimView, links: tuple[Link, ...] = ()) -> str:
    """Return the page's HTML; `links` to other pages are at its top."""
    return page("claim.html", view=view, links=links, as_read=f"{AS_READ.capitalize()}.")
