"""What reading a page gives."""

import msgspec


class PageText(msgspec.Struct, frozen=True):
    """The sentences of one page, or the reason why there are none. Exactly one of `sentences`, `reason` is empty.

    `media_type` is what the content is, whatever the server said. `date` is the page's own date of publication,
    `YYYY-MM-DD`, where it gives one.
    """

    sentences: list[str] = []
    reason: str = ""
    media_type: str = ""
    extractor: str = ""
    charset: str = ""
    date: str | None = None
