"""Server of saved pages on loopback, in the way of a web archive: http://127.0.0.1:PORT/URL returns the page of that
URL.

PAGES/<claim_id>/<row>.html, .pdf … are the pages; URLS/<claim_id>.tsv lists the URL of each row. The first line on
stdout is the server's address, for the scraper's `--via ADDRESS --allow_private`. It serves until it is stopped.
"""

import sys
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.retrieval.scraping.plan import tsv_files
from src.retrieval.scraping.sources import PageFolder
from src.retrieval.url_rows import read_url_rows
from src.runner.console import say
from src.runner.step import step
from src.settings import Flag, Natural

TYPES = {".html": "text/html", ".pdf": "application/pdf", ".txt": "text/plain", ".json": "application/json"}


class ServePagesSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the server of saved pages."""

    pages: Annotated[Path, Flag("folder with one folder of pages a claim")]
    urls: Annotated[Path, Flag("folder of <claim_id>.tsv")]
    port: Annotated[Natural, Flag("0: any that is free")] = 0


@step(ServePagesSettings)
def main(settings: ServePagesSettings) -> int:
    if not settings.pages.is_dir():
        raise InputError("is no folder of pages" if settings.pages.exists() else "not found", path=settings.pages)
    pages = read_pages(settings.pages, settings.urls)
    if not pages:
        raise InputError("no page there belongs to a URL", path=settings.pages)
    with _server(settings.port, handler(pages)) as server:
        say(f"http://127.0.0.1:{server.server_address[1]}/")
        server.serve_forever()
    return 0


class PageServer(ThreadingHTTPServer):
    """HTTP server that does not report connections that clients break."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore broken connections; report other errors."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _server(port: int, pages: type[BaseHTTPRequestHandler]) -> PageServer:
    try:
        return PageServer(("127.0.0.1", port), pages)
    except (OSError, OverflowError) as error:
        raise InputError(f"--port {port}: {error}; --port 0 finds one that is free") from None


def read_pages(folder: Path, urls: Path) -> dict[str, Path]:
    """Return the path of the saved page of each URL. `folder` has the pages, `urls` the URL files."""
    saved = PageFolder(folder)
    paths: dict[str, Path] = {}
    for claim_id, tsv in tsv_files(urls).items():
        for number, row in enumerate(read_url_rows(tsv)):
            if path := saved.page(claim_id, number):
                paths[row.url] = path
    return paths


def handler(pages: Mapping[str, Path]) -> type[BaseHTTPRequestHandler]:
    """Return a request handler class that answers GET /URL with the saved page of the URL, or with 404."""

    class Pages(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            page = pages.get(self.path.removeprefix("/"))
            body = page.read_bytes() if page else b"no such page"
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", TYPES.get(page.suffix if page else ".txt", "application/octet-stream"))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    return Pages


if __name__ == "__main__":
    raise SystemExit(main())
