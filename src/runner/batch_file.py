"""The file of requests that a run leaves for a batch service: `--batch_file`, lines of OpenAI's batch interface.

Claims whose requests have no answer yet are kept in the journal as failed, with the lines of these requests. At the end
of the run the lines of all claims are written, each once, in claim order. The output is written by the run that finds
all answers.
"""

from collections.abc import Iterable
from hashlib import sha256
from itertools import chain
from pathlib import Path

import msgspec

from src.atomic_file import atomic
from src.errors import PendingError
from src.runner.console import how_many
from src.runner.fingerprint import plain_arguments
from src.runner.journal import Entry


def write_requests(name: str, settings: msgspec.Struct, entries: Iterable[Entry]) -> None:
    """Write the requests of the entries that wait for answers, and raise PendingError if there are some.

    `name` is the step's name, for the message. Raises OutputError when the file cannot be written.
    """
    waiting = (entry for entry in entries if entry.requests)
    first = next(waiting, None)
    if first is None:
        return
    path = Path(str(plain_arguments(settings)["batch_file"]))
    claims, written = 0, set[bytes]()
    with atomic(path) as file:
        for entry in chain([first], waiting):
            claims += 1
            for line in map(bytes, entry.requests):
                if (digest := sha256(line).digest()) not in written:
                    written.add(digest)
                    file.write(line + b"\n")
    wait = "wait for their answers" if len(written) > 1 else "waits for its answer"
    raise PendingError(
        f"{name}: {how_many(len(written), 'request')} of {how_many(claims, 'claim')} {wait} in {path}; answer them "
        "(vllm run-batch, or a batch of OpenAI's), then start the same command again with the file of answers added: "
        "--batch_answers FILE"
    )
