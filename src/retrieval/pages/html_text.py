"""The main text of an HTML page, without menus, banners and footers, one line a paragraph.

Trafilatura with its default settings, as the published scraper used it.

But: trafilatura keeps caches between pages and may take very long on huge ones; whoever reads pages by the thousand
calls this in a worker process with a time limit and renews the worker now and then.
"""


def html_lines(html: bytes) -> list[str]:
    """The lines of the page's main text; none when no text was found. Never raises for a damaged page."""
    import trafilatura

    text = trafilatura.extract(html)
    return text.split("\n") if text else []
