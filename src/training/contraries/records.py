"""Two contrary claims, and pages that decide between them."""

import msgspec


class Contraries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`claim_page` shows that `claim` is true and `contrary` false, `contrary_page` the other way round; `open_page`
    settles neither, `divided_page` gives reasons for both. `kind` is what has to be understood.
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
        """The four pages, in the order of the fields."""
        return self.claim_page, self.contrary_page, self.open_page, self.divided_page
