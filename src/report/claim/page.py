"""A claim's page as HTML."""

import msgspec

from src.check.reliance import AS_READ
from src.report.claim.view import ClaimView
from src.report.look import page


class Link(msgspec.Struct, frozen=True):
    """`address` is relative to the page, or one of the server's own."""

    address: str
    text: str


def claim_page(view: ClaimView, links: tuple[Link, ...] = ()) -> str:
    """`links` stand on top, those to the pages around this one."""
    return page("claim.html", view=view, links=links, as_read=f"{AS_READ.capitalize()}.")
