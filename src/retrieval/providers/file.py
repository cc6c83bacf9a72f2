"""Search provider `file:PATH`: URLs from a file instead of a search engine.

A line is `claim_id<TAB>URL`, or a URL alone, which is returned for every claim. Blank lines and lines that begin with #
are skipped. The file may also be JSON lines, `{"claim_id": 0, "urls": ["https://..."]}`.
"""

import re
from pathlib import Path

import msgspec

from src.canonical_url import page_addresses
from src.errors import InputError
from src.records import ClaimId
from src.retrieval.providers.protocol import SearchQuery, SearchResult
from src.store import located, read_bytes


class _ClaimUrls(msgspec.Struct):
    claim_id: ClaimId
    urls: list[str]


def load(argument: str, timeout: float) -> "UrlFile":
    return UrlFile(Path(argument))


class UrlFile:
    """Search provider that returns URLs from a file. Raises InputError when the file cannot be read or is not valid."""

    def __init__(self, path: Path) -> None:
        self._of_all: list[str] = []
        self._of_claim: dict[int, list[str]] = {}
        data = read_bytes(path)
        if data.lstrip()[:1] in (b"{", b"["):
            for line, given in located(data, _ClaimUrls, path):
                for url in given.urls:
                    self._add(url, given.claim_id, path, line)
        else:
            for number, raw in enumerate(data.split(b"\n"), start=1):
                self._add_line(raw.decode("utf-8", "replace").strip(), path, number)

    def _add_line(self, line: str, path: Path, number: int) -> None:
        """Add the URL of a line of text, which has the number `number` (from 1) in the file."""
        if not line or line.startswith("#"):
            return
        claim, tab, url = line.partition("\t")
        if not tab:
            if re.match(r"[0-9]+\W*https?://", line):
                raise InputError("no tab between claim id and URL", path=path, line=number)
            self._add(line, None, path, number)
        elif re.fullmatch(r"[0-9]+", claim.strip()):
            self._add(url.strip(), int(claim), path, number)
        else:
            raise InputError(f"{claim!r} is no claim id", path=path, line=number)

    def _add(self, url: str, claim_id: int | None, path: Path, line: int) -> None:
        if not re.match(r"https?://\S+$", url) or not page_addresses(url):
            raise InputError(f"{url!r} is no http or https URL", path=path, line=line)
        (self._of_all if claim_id is None else self._of_claim.setdefault(claim_id, [])).append(url)

    def requests(self, results: int) -> int:
        return 0

    def search(self, query: SearchQuery) -> list[SearchResult]:
        """Return all URLs of the claim in the file's order, whatever `query.results` is."""
        return [SearchResult(url) for url in [*self._of_claim.get(query.claim_id, []), *self._of_all]]
