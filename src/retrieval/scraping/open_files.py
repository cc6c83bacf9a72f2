"""Every connection and every claim in the making is an open file, and some systems allow a process 256."""

import resource
from typing import NamedTuple

ENOUGH = 4096
OURS = 60  # what the process holds besides, at the most
FOR_A_WORKER = 4
FEWEST = 16


class OpenFiles(NamedTuple):
    """How many claims may be held open before their turn, and how many files the downloads may take."""

    claims: int
    connections: int


def share_open_files(workers: int) -> OpenFiles:
    """Asks for more where that is allowed, and divides what there is."""
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
