"""The record of two contrary claims, and pages that decide between them."""

import msgspec


class Contraries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pair of contrary claims with its pages.

    `claim_page` shows that `claim` is true and `contrary` is false, and `contrary_page` shows the reverse. `open_page`
    decides neither, and `divided_page` gives reasons for both. `kind` names what a reader must understand.
    """

    kind: str
    claim: str
    contrary: str
    claim_page: str
    contrary_page: str
    open_page: str
    divided_page: str

    @property
    def pages(self) -> tuple[str, str, str, str]:
        """Return the four pages, in the order of the fields."""
        return self.claim_page, self.contrary_page, self.open_page, self.divided_page
