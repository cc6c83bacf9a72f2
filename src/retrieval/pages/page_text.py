"""Record of a page that was read."""

import msgspec


class PageText(msgspec.Struct, frozen=True):
    """The sentences of one page, or the reason why there are none. Exactly one of `sentences`, `reason` is empty.

    `media_type` is the type of the content, whatever the server's header. `date` is the page's own publication date,
    `YYYY-MM-DD`, where it gives one.
    """

    sentences: list[str] = []
    reason: str = ""
    media_type: str = ""
    extractor: str = ""
    charset: str = ""
    date: str | None = None
