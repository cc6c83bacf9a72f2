"""Files of OpenAI's batch interface, which `vllm run-batch` reads and writes, too.

A request is a line with `custom_id`, `method`, `url` and `body`. Its `custom_id` is a hash of url and body, so an
answer belongs to exactly one request, whatever run, claim or position asked for it. Files of answers are read once, and
the lines of answers stay on the disk.

Limitations: chats only. `vllm run-batch` stops at a line of /v1/completions and answers none of the others.
"""

import hashlib
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.batch_lines import AnswerLine, Identity, ModelName, RequestLine
from src.errors import InputError, ModelError, PendingError
from src.json_decoding import decode
from src.llm.openai_calls import CHAT, Call, Send, shown

OK = 200
RELEASE = r"(-\d{4}(-?\d\d){0,2})?"  # date behind a model's name: -0613, -20240806, -2024-08-06


class Place(NamedTuple):
    """Where a line is: file, number of the line (from 1), offset of its first byte."""

    path: Path
    number: int
    offset: int

    def __str__(self) -> str:
        return f"{self.path}, line {self.number}"


class Batch:
    """Transport that answers calls from files. `spec` begins error messages, `model` is the model that must answer.

    Raises InputError for a file that cannot be read or a line that is no answer.
    """

    left_out: frozenset[str] = frozenset()  # an answer to a refused request is an error

    def __init__(self, spec: str, model: str, answers: Sequence[Path]) -> None:
        self._spec, self._model = spec, model
        self._places: dict[str, list[Place]] = {}
        for path in answers:
            for custom_id, place in _located(path):
                self._places.setdefault(custom_id, []).append(place)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Send]:
        """Yield the function that returns the body of a call's answer.

        It raises PendingError for a call without an answer. It raises InputError for a call that is no chat, and for a
        file that was changed meanwhile. It raises ModelError for an answer that is an error, comes from another model,
        or is not the only one.
        """

        async def send(call: Call) -> bytes:
            return self._body(call)

        yield send

    def _body(self, call: Call) -> bytes:
        if call.url != CHAT:
            raise InputError("--batch_file takes chats only, and this step asks without a chat template; try --chat")
        line = request_line(call)
        places = self._places.get(line.custom_id)
        if places is None:
            raise PendingError("a request to the model has no answer yet", (msgspec.json.encode(line),))
        bodies = {bytes(self._read(place, line.custom_id)) for place in places}
        if len(bodies) > 1:
            raise ModelError(f"{self._spec}: answered more than once, and not alike: {'; '.join(map(str, places))}")
        body = bodies.pop()
        self._check_model(body, places[0])
        return body

    def _read(self, place: Place, custom_id: str) -> msgspec.Raw:
        """Return the body of the answer to a request.

        Raises ModelError if the line is an error, and InputError if it is no longer there.
        """
        try:
            answer = decode(_line(place, custom_id), AnswerLine)
        except msgspec.DecodeError as error:
            raise ModelError(f"{self._spec}: {place}: not the documented answer ({error})") from None
        response = answer.response
        if response is None or response.status_code != OK or answer.error is not None:
            status = f"status {response.status_code}, " if response else ""
            reason = msgspec.json.encode(answer.error if answer.error is not None else response and response.body)
            raise ModelError(
                f"{self._spec}: {place}: {status}{shown(reason.decode())}; take the line out to ask once more"
            )
        return response.body

    def _check_model(self, body: bytes, place: Place) -> None:
        """Raise ModelError if another model answered; a release of the model may have a date behind its name."""
        try:
            name = decode(body, ModelName).model
        except msgspec.DecodeError:
            return  # the reader of the answer says what is wrong with it
        if name is not None and name != self._model and not re.fullmatch(re.escape(self._model) + RELEASE, name):
            raise ModelError(f"{self._spec}: {place}: the answer of another model, {shown(name)}")


def request_line(call: Call) -> RequestLine:
    """Return the line of a call; calls of the same content have the same `custom_id`."""
    body = call.body | call.beyond_openai
    content = msgspec.json.encode((call.url, body), order="deterministic")
    return RequestLine(hashlib.sha256(content).hexdigest(), "POST", call.url, body)


def _line(place: Place, custom_id: str) -> bytes:
    """Return the line at a place. Raises InputError if it is no longer the answer to the request."""
    with suppress(OSError, msgspec.DecodeError), place.path.open("rb") as file:
        file.seek(place.offset)
        line = file.readline()
        if decode(line, Identity).custom_id == custom_id:
            return line
    raise InputError("was changed while it was in use; start again", path=place.path, line=place.number)


def _located(path: Path) -> Iterator[tuple[str, Place]]:
    """Yield the custom_id and the place of each line that is not empty. Raises InputError."""
    number = offset = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield decode(line, Identity).custom_id, Place(path, number, offset)
                offset += len(line)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    except msgspec.DecodeError as error:
        message = f"not a line of answers ({error}); a line that a killed program left half-written can be taken out"
        raise InputError(message, path=path, line=number) from None
