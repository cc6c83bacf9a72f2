"""Limit of open files, shared out: every connection and every open claim is a file, and some systems allow only 256."""

import resource
from typing import NamedTuple

ENOUGH = 4096
OURS = 60  # other files of the process, at most
FOR_A_WORKER = 4
FEWEST = 16


class OpenFiles(NamedTuple):
    """Share of the open files: claims that may be open before their turn, and files of the downloads."""

    claims: int
    connections: int


def share_open_files(workers: int) -> OpenFiles:
    """Raise the process's limit of open files where allowed, and divide it between claims and downloads."""
    allowed = _allow()
    claims = allowed // 4
    return OpenFiles(claims, max(FEWEST, allowed - claims - OURS - FOR_A_WORKER * workers))


def _allow() -> int:
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (ENOUGH if limit == resource.RLIM_INFINITY else limit for limit in limits)
    allowed = min(max(soft, hard), ENOUGH)
    if soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, limits[1]))
    return allowed
