"""Settings of fetching and reading pages, and limits on the open files of downloads and claims."""

import resource
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta

from src.retrieval.pages.reader import Reading
from src.retrieval.web.download import Limits
from src.runner.workers import cores
from src.settings import Flag, Positive, Seconds

MOST_MB = 1000
Megabytes = Annotated[float, Meta(gt=0, le=MOST_MB)]

ENOUGH = 4096  # limit of open files that suffices
OURS = 60  # other files of the process, at most
FOR_A_WORKER = 4
FEWEST = 16


def prefix(text: str) -> str:
    """Return `text` if it is "", or a URL prefix such as https://archive.example/web/. Raises ValueError otherwise."""
    try:
        example = urlsplit(f"{text}https://page.example/")
        is_valid = urlsplit(text).hostname and example.scheme in ("http", "https") and example.port != 0
    except ValueError:  # such as a port with letters, where the last slash was left out
        is_valid = False
    if text and not is_valid:
        raise ValueError(f"{text!r} is not the beginning of an address, such as https://archive.example/web/")
    return text


class PageSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of storing and reading pages."""

    keep_pages: Annotated[Path | None, Flag("keep the pages as received", metavar="FOLDER", one_of="pages")] = None
    from_pages: Annotated[Path | None, Flag("read kept pages, not the web", metavar="FOLDER", one_of="pages")] = None
    workers: Annotated[Positive, Flag("processes that read pages")] = cores()
    page_seconds: Annotated[Seconds, Flag("seconds to read one page")] = 30.0
    extractor: Annotated[
        str,
        Flag(
            "extractor of the text of HTML; resiliparse is faster and gives other text",
            metavar="trafilatura|resiliparse",
        ),
    ] = "trafilatura"
    splitter: Annotated[
        str,
        Flag(
            "sentence splitter; published: spacy:en_core_web_lg, which "
            "python -m spacy download en_core_web_lg installs from GitHub",
            metavar="punkt|spacy:NAME",
        ),
    ] = "punkt"
    unique: Annotated[bool, Flag("drop sentences that a page repeats")] = False

    @property
    def reading(self) -> Reading:
        """Return the settings that change the text of a page: extractor, splitter, unique."""
        return Reading(extractor=self.extractor, splitter=self.splitter, unique=self.unique)


class NetworkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of fetching pages. None of them changes the text of a page that was fetched."""

    concurrency: Annotated[Positive, Flag("pages in work at once")] = 256
    per_host: Annotated[Positive, Flag("downloads at once from one host")] = 4
    connect_timeout: Annotated[Seconds, Flag("seconds to reach a server")] = Limits.connect
    read_timeout: Annotated[Seconds, Flag("seconds between bytes")] = Limits.read
    deadline: Annotated[Seconds, Flag("seconds for a URL with all attempts and redirects")] = Limits.deadline
    attempts: Annotated[Positive, Flag("attempts at a URL")] = Limits.attempts
    max_mb: Annotated[Megabytes, Flag("largest page, in megabytes")] = Limits.max_bytes / 1e6
    robots: Annotated[bool, Flag("obey robots.txt")] = False
    user_agent: Annotated[str, Flag("how the scraper names itself")] = Limits.user_agent
    allow_private: Annotated[bool, Flag("fetch from private and loopback addresses too")] = False
    via: Annotated[
        str, Flag("fetch PREFIX + URL, such as https://web.archive.org/web/2020id_/", metavar="PREFIX", parse=prefix)
    ] = ""

    def limits(self, open_files: int) -> Limits:
        """Return the limits of downloads. `open_files`: number of files that this process may open at once.

        Raises InputError when the user agent, which is sent as a header, is not printable ASCII.
        """
        return Limits(
            open_files=open_files,
            connect=self.connect_timeout,
            read=self.read_timeout,
            deadline=self.deadline,
            attempts=self.attempts,
            max_bytes=int(self.max_mb * 1e6),
            user_agent=self.user_agent,
            allow_private=self.allow_private,
            robots=self.robots,
        )


class OpenFiles(NamedTuple):
    """Limits on open files.

    `claims`: number of claims whose files may be open before the scraper has come to them.
    `connections`: number of files and sockets of all downloads together.
    """

    claims: int
    connections: int


def share_open_files(workers: int) -> OpenFiles:
    """Raise this process's limit of open files where allowed, and divide it between claims and downloads.

    `workers`: number of worker processes, each of which needs a few files. Every connection and every open claim is a
    file, and some systems allow only 256.
    """
    allowed = _allow()
    claims = allowed // 4
    return OpenFiles(claims, max(FEWEST, allowed - claims - OURS - FOR_A_WORKER * workers))


def _allow() -> int:
    """Raise the soft limit of open files as far as allowed, up to ENOUGH; return the limit that then holds."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (ENOUGH if limit == resource.RLIM_INFINITY else limit for limit in limits)
    allowed = min(max(soft, hard), ENOUGH)
    if soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, limits[1]))
    return allowed
