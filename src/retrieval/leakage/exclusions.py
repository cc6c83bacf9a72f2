"""`--exclude_urls FILE`: sites and pages that the user excludes as evidence.

One a line. `example.com` excludes the host and all its subdomains; `example.com/blog` or a whole URL excludes that page
and all pages below its path. `#` begins a comment. Copies in archives and caches count as the pages they show.
"""

import re
from pathlib import Path

from src.canonical_url import PageAddress, page_addresses
from src.errors import InputError
from src.store import read_bytes

_COMMENT = re.compile(r"(?:^|\s)#.*")


class Exclusions:
    """Exclusion list: `Exclusions(path).line_against(addresses)`.

    Raises InputError when the file cannot be read or a line is no address.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._servers: dict[str, int] = {}
        self._pages: dict[str, list[tuple[int, PageAddress]]] = {}
        for number, raw in enumerate(read_bytes(path).split(b"\n"), start=1):
            if line := _COMMENT.sub("", raw.decode("utf-8", "replace")).strip():
                self._add(line, number)

    def _add(self, line: str, number: int) -> None:
        addresses = page_addresses(line.removeprefix("*").removeprefix("."))
        if not addresses or re.search(r"\s", line):
            raise InputError(f"{line!r} is neither a host nor a URL", path=self.path, line=number)
        address = addresses[-1]
        if address.path or address.parameters:
            self._pages.setdefault(address.host, []).append((number, address))
        else:
            self._servers.setdefault(address.server.removeprefix("www."), number)

    def line_against(self, addresses: list[PageAddress]) -> int | None:
        """Return the number of the line that excludes the page with these addresses; None when no line does."""
        for address in addresses:
            for number, page in self._pages.get(address.host, []):
                if page.leads_to(address) or address.path.startswith(f"{page.path}/"):
                    return number
            for name in _above(address.server):
                if name in self._servers:
                    return self._servers[name]
        return None


def _above(server: str) -> list[str]:
    """Return the server with and without its port, then its parent domains."""
    host = re.sub(r":\d+$", "", server)
    labels = host.split(".")
    return [server, *(".".join(labels[start:]) for start in range(len(labels)))]
