"""Resumable download of one file from a model hub.

huggingface_hub gives the file's URL. Its downloads cannot be resumed after the process was killed, so they are not
used. The partial file is named by the file's content hash (ETag), so that parts of two versions are never joined. The
hash is checked at the end: SHA-256 for large files, git's SHA-1 for small ones. A broken connection is opened again.
More bytes than the hub announced are refused. A download slower than `SLOWEST` ends.

Limitations: public repositories only (no token is sent); one connection.
"""

import asyncio
import fcntl
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urljoin, urlsplit

import msgspec
from tqdm import tqdm

from src.errors import BusyError, InputError, MissingExtra
from src.store import sha256
from src.waiting import waited

if TYPE_CHECKING:
    import httpx2

ANSWER_SECONDS = 10.0  # longest wait for an answer, and for its next bytes
SLOWEST = 20_000  # bytes a second, on average over the file
ATTEMPTS = 5  # broken connections in a row without new bytes
PAUSE = 1.0  # seconds before a connection is opened again
PARTIAL = 206
PLAIN = {"Accept-Encoding": "identity"}
HOPS = 5  # redirects on the hub itself


class HubFile(msgspec.Struct, frozen=True):
    """A file on the hub: its URL, its size in bytes, and its ETag without quotes (usually the content hash)."""

    url: str
    size: int
    etag: str


def look_up(repository: str, remote: str, endpoint: str | None) -> HubFile:
    """Return URL, size and hash of the file `remote` in a repository of the hub, or of the mirror `endpoint`.

    Raises MissingExtra when the hub does not answer, or does not have the file.
    """
    import httpx2
    from huggingface_hub import hf_hub_url

    url = hf_hub_url(repository, remote, endpoint=endpoint)
    try:
        headers = waited(_headers(url))
        size = int(headers.get("X-Linked-Size") or headers.get("Content-Length") or -1)
    except (OSError, httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise MissingExtra(f"{url}: {_first_line(error)}") from None
    etag = (headers.get("X-Linked-ETag") or headers.get("ETag") or "").removeprefix("W/").strip('"')
    if size < 0 or not etag or "/" in etag:
        raise MissingExtra(f"{url}: the answer has no size or no ETag, so it is not from a hub")
    return HubFile(url, size, etag)


async def _headers(url: str) -> "httpx2.Headers":
    """Return the headers that the hub sends for a file.

    Redirects to other servers are not followed: the storage server gives another hash, or none.
    """
    from src.bounded_client import BoundedClient

    async with BoundedClient(ANSWER_SECONDS) as client:
        answer = await client.head(url, headers=PLAIN)
        for _ in range(HOPS):
            onward = answer.headers.get("Location", "")
            if not answer.is_redirect or urlsplit(onward).netloc:
                break
            url = urljoin(url, onward)
            answer = await client.head(url, headers=PLAIN)
    if not answer.is_redirect:
        answer.raise_for_status()
    return answer.headers


def partial_path(file: HubFile, folder: Path) -> Path:
    """Return the path of the partial file of a download."""
    return folder / f"{Path(file.url).name}.{file.etag}.part"


def download(file: HubFile, place: Path, folder: Path) -> None:
    """Download a file to a partial file in `folder`, check its hash, and move it to `place` on the same disk.

    Raises MissingExtra when the connection breaks or is too slow; the next call continues with the partial file. Raises
    BusyError when another process downloads the same file, InputError when size or hash are wrong.
    """
    import httpx2

    from src.bounded_client import TooLargeError

    folder.mkdir(parents=True, exist_ok=True)
    partial = partial_path(file, folder)
    with partial.open("ab") as out:
        try:
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"another process is downloading {partial}") from None
        try:
            waited(_fetched(file, out))
        except TooLargeError:
            partial.unlink()
            raise InputError(f"{file.url}: more than the {file.size:,} bytes that were announced", path=place) from None
        except TimeoutError:
            slow = f"fewer than {SLOWEST // 1000} kB a second"
            raise MissingExtra(f"{file.url}: {slow}; start again to go on from here") from None
        except (OSError, httpx2.HTTPError) as error:
            raise MissingExtra(f"{file.url}: {_first_line(error)}; start again to go on from here") from None
    if not _has_hash(partial, file.etag):
        partial.unlink()
        raise InputError(f"the bytes from {file.url} do not have the published hash; start again", path=place)
    place.parent.mkdir(parents=True, exist_ok=True)
    partial.replace(place)


async def _fetched(file: HubFile, out: BinaryIO) -> None:
    """Append the missing bytes of the file to `out`. After an error, `out` keeps the bytes received so far.

    Raises TimeoutError when the server is too slow, TooLargeError for too many bytes, and the HTTP client's errors.
    """
    import httpx2

    from src.bounded_client import BoundedClient

    left, attempts = file.size - out.tell(), ATTEMPTS
    async with (
        asyncio.timeout(2 * ANSWER_SECONDS + left / SLOWEST),
        BoundedClient(ANSWER_SECONDS, file.size, follow_redirects=True) as client,
    ):
        while out.tell() < file.size:
            before = out.tell()
            try:
                await _append(client, file, out)
                return
            except httpx2.TransportError:
                attempts = ATTEMPTS if out.tell() > before else attempts - 1
                if not attempts:
                    raise
            await asyncio.sleep(PAUSE)


async def _append(client: "httpx2.AsyncClient", file: HubFile, out: BinaryIO) -> None:
    from src.bounded_client import TooLargeError

    had = out.tell()
    headers = PLAIN | ({"Range": f"bytes={had}-"} if had else {})
    async with client.stream("GET", file.url, headers=headers) as response:
        response.raise_for_status()
        if had and response.status_code != PARTIAL:
            had = out.seek(0)
            out.truncate()
        name = Path(file.url).name
        with tqdm(total=file.size, initial=had, desc=name, unit="B", unit_scale=True, disable=None) as bar:
            async for piece in response.aiter_bytes():
                if out.tell() + len(piece) > file.size:
                    raise TooLargeError(file.size)
                out.write(piece)
                bar.update(len(piece))


def _has_hash(path: Path, etag: str) -> bool:
    if len(etag) == hashlib.sha256().digest_size * 2:
        return sha256(path) == etag
    if len(etag) == hashlib.sha1().digest_size * 2:
        data = path.read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() == etag
    return True


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
