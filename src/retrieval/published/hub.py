"""One file from a model hub to a place on disk, resumable: what a killed download had brought is not brought again.

huggingface_hub finds the file and reads it over HTTP; its own download starts anew after a kill, hence the partial file
here, named by the file's content hash (ETag) so that pieces of two versions are never joined. The hash is checked at
the end: SHA-256 for large files, git's SHA-1 for small ones, as the hub gives them.

But: public repositories only (no token is sent); one connection.
"""

import fcntl
import hashlib
import sys
from pathlib import Path

import msgspec

from src.errors import BusyError, InputError, MissingExtra
from src.store import sha256

ANSWER_SECONDS = 10.0


class HubFile(msgspec.Struct, frozen=True):
    """A file as the hub describes it: size in bytes, ETag without quotes."""

    url: str
    size: int
    etag: str


def look_up(repository: str, remote: str, endpoint: str | None) -> HubFile:
    """Asks the hub for size and hash. Raises MissingExtra when it does not answer, or not with that file."""
    import httpx2
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    url = hf_hub_url(repository, remote, endpoint=endpoint)
    try:
        found = get_hf_file_metadata(url, timeout=ANSWER_SECONDS, token=False)
    except (OSError, httpx2.HTTPError) as error:
        raise MissingExtra(f"{url}: {_first_line(error)}") from None
    if found.size is None or not found.etag:
        raise MissingExtra(f"{url}: the answer has no size or no ETag, so it is not from a hub")
    return HubFile(url, found.size, found.etag)


def partial_path(file: HubFile, folder: Path) -> Path:
    """Where the bytes of an unfinished download wait."""
    return folder / f"{Path(file.url).name}.{file.etag}.part"


def bring(file: HubFile, place: Path, folder: Path) -> None:
    """Downloads to a partial file in `folder` (on the same disk as `place`), checks it, and moves it to its place.

    Raises MissingExtra when the connection breaks (what has come stays for the next call), BusyError when another
    process brings the same file, InputError when the bytes are not the published ones.
    """
    import httpx2
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()
    folder.mkdir(parents=True, exist_ok=True)
    partial = partial_path(file, folder)
    with partial.open("ab") as out:
        try:
            fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(f"another process is bringing {partial}") from None
        try:
            http_get(file.url, out, resume_size=out.tell(), expected_size=file.size)
        except (OSError, httpx2.HTTPError) as error:
            raise MissingExtra(f"{file.url}: {_first_line(error)}; start again to go on from here") from None
    if not _has_hash(partial, file.etag):
        partial.unlink()
        raise InputError(f"what came from {file.url} is not what is published there; start again", path=place)
    place.parent.mkdir(parents=True, exist_ok=True)
    partial.replace(place)


def _has_hash(path: Path, etag: str) -> bool:
    if len(etag) == hashlib.sha256().digest_size * 2:
        return sha256(path) == etag
    if len(etag) == hashlib.sha1().digest_size * 2:
        data = path.read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest() == etag
    return True


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
