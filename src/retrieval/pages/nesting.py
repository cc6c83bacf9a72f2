"""Check for pages whose nesting is too deep for the parser.

Limitations: it parses the page once more, so it is called only where no text was found.
"""

from contextlib import suppress


def is_nested_too_deeply(html: str) -> bool:
    """Return True if elements are nested deeper than the 256 levels that libxml2 reads."""
    from lxml import etree  # type: ignore[import-untyped]

    parser = etree.HTMLParser(collect_ids=False, encoding="utf-8")
    with suppress(etree.LxmlError):
        etree.fromstring(html.encode(errors="replace"), parser)
    return any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log)
