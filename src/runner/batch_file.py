"""The file of requests that a run leaves for a batch service: `--batch_file`, lines of OpenAI's batch interface.

Claims whose requests have no answer yet are kept in the journal as failed, with the lines of these requests. At the end
of the run the lines of all claims are written, each once, in claim order. The output is written by the run that finds
all answers.

Each run has a file of its own. If the output is a shard, `NAME.START-END.json`, its range is added to the file's name.
A file with requests that another run still needs is not replaced.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain
from pathlib import Path

import msgspec

from src.atomic_file import atomic
from src.batch_lines import Identity, RequestLine
from src.errors import InputError, PendingError
from src.json_decoding import decode
from src.runner.batch_answers import batch_answers
from src.runner.console import how_many
from src.runner.journal import Entry
from src.runner.paths import check_output
from src.runner.sharding import whole_of
from src.settings import OutputSettings, values_of

NAMED = "batch file"


def batch_file(settings: OutputSettings) -> Path | None:
    """Return the file for the requests of a run, with the range of its shard; None if --batch_file is not given."""
    path, whole = values_of(settings).get("batch_file"), whole_of(settings.output)
    if not isinstance(path, Path):
        return None
    if whole is None or path.is_dir():
        return path
    return path.with_name(f"{path.stem}{settings.output.stem.removeprefix(whole.stem)}{path.suffix}")


def check_batch(settings: OutputSettings, inputs: Mapping[str, Path]) -> None:
    """Raise InputError if the output or the batch file would overwrite an input, an answer, each other or a folder.

    `inputs` maps flag names to input files. Raises InputError as well if a file of answers is not there, or the batch
    file is there and has no requests, and OutputError if it cannot be written.
    """
    path, answers = batch_file(settings), batch_answers(settings)
    for answer in answers:
        if not answer.is_file():
            raise InputError("not found", path=answer)
        check_output(settings.output, {"batch_answers": answer})
    if path is None:
        return
    for others in ({**inputs, "output": settings.output}, *({"batch_answers": answer} for answer in answers)):
        check_output(path, others, NAMED)
    if not settings.overwrite:
        for _ in _ids(path, RequestLine):
            pass


def write_requests(name: str, settings: OutputSettings, entries: Iterable[Entry]) -> None:
    """Write the requests of the entries that wait for answers, and raise PendingError if there are some.

    `name` is the step's name, for the message. Raises OutputError when the file cannot be written, and InputError when
    it has requests that this run does not ask, without --overwrite.
    """
    waiting = (entry for entry in entries if entry.requests)
    first = next(waiting, None)
    path = batch_file(settings)
    if first is None or path is None:
        return
    claims, written, ids = 0, set[bytes](), set[str]()
    with atomic(path) as file:
        for entry in chain([first], waiting):
            claims += 1
            for line in map(bytes, entry.requests):
                if (digest := sha256(line).digest()) not in written:
                    written.add(digest)
                    ids.add(decode(line, RequestLine).custom_id)
                    file.write(line + b"\n")
        if not settings.overwrite:
            _refuse_others(path, ids, batch_answers(settings))
    several = len(written) > 1
    wait = "wait for their answers" if several else "waits for its answer"
    raise PendingError(
        f"{name}: {how_many(len(written), 'request')} of {how_many(claims, 'claim')} {wait} in {path}; "
        f"answer {'them' if several else 'it'} (vllm run-batch, or a batch of OpenAI's), then start the same command "
        "again with the file of answers added: --batch_answers FILE"
    )


def _refuse_others(path: Path, asked: set[str], answers: Iterable[Path]) -> None:
    """Raise InputError if a file of requests has some that this run neither asks nor has answers to."""
    others = set(_ids(path, RequestLine)) - asked
    for answer in answers if others else ():
        others.difference_update(_ids(answer, Identity))
    if others:
        raise InputError(
            f"has {how_many(len(others), 'request')} that this command does not ask (of another run, or of this one "
            "with other flags); name another file, or remove this one; --overwrite replaces it",
            path=path,
        )


def _ids(path: Path, kind: type[Identity]) -> Iterator[str]:
    """Yield the custom_id of each line; nothing if there is no such file. Raises InputError for lines of no `kind`."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                if line.strip():
                    yield decode(line, kind).custom_id
            except msgspec.DecodeError:
                message = "is not a line of requests; name another file; --overwrite replaces it"
                raise InputError(message, path=path, line=number) from None
