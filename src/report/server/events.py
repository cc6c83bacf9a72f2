"""State of a check as a stream of server-sent events, until the check is over.

Every event has the whole state, so a missed event or a slow reader loses nothing. Its id is the revision of the
service. The last event is named `end`.
"""

import asyncio
from collections.abc import AsyncIterator

import msgspec
from msgspec.structs import replace

from src.report.server.check_service import CheckService
from src.report.server.records import State
from src.serving.refused import RefusedError

STREAM = "text/event-stream"
TICK = 0.2  # seconds between checks of the revision; faster changes are sent together
HEARTBEAT = 10.0  # seconds; detects readers that have disconnected
RETRY = b"retry: 2000\n\n"  # milliseconds before a browser reconnects


async def events(service: CheckService, check_id: str, last_seen: str = "") -> AsyncIterator[bytes]:
    """Yield the events of a check, as bytes, until it is over or deleted. Events up to the id `last_seen` are
    left out.
    """
    yield RETRY
    seen, last, quiet = last_seen, None, 0.0
    while True:
        revision = str(service.revision)  # read before the state: a change in between counts as a new one
        if (state := _state(service, check_id)) is None:
            return
        bare = replace(state, seconds=0.0)
        if state.status.is_over:
            yield _event("end", revision, state)
            return
        if revision != seen and bare != last:
            yield _event("state", revision, state)
            last, quiet = bare, 0.0
        elif quiet >= HEARTBEAT:
            yield b": still here\n\n"
            quiet = 0.0
        seen = revision
        while str(service.revision) == seen and quiet < HEARTBEAT:
            await asyncio.sleep(TICK)
            quiet += TICK


def _state(service: CheckService, check_id: str) -> State | None:
    try:
        return service.state(check_id)
    except RefusedError:
        return None


def _event(name: str, revision: str, state: State) -> bytes:
    return b"event: %s\nid: %s\ndata: %s\n\n" % (name.encode(), revision.encode(), msgspec.json.encode(state))
