"""Whether a page without text is one that the parser gave up on.

But: only asked where no text was found, since it parses the page once more.
"""

from contextlib import suppress


def is_nested_too_deeply(html: str) -> bool:
    """Whether elements stand in one another beyond the 256 levels to which libxml2 reads."""
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.HTMLParser(collect_ids=False, encoding="utf-8")
    with suppress(etree.LxmlError):
        etree.fromstring(html.encode(errors="replace"), parser)
    return any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log)
