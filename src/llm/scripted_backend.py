"""A model that reads its answers from a file: `scripted:FILE`, for tests, examples and dry runs.

The file contains JSON lines {"role": ..., "output": ...}; each request takes the next output of its role. An output is
a text, cut at the request's stop strings. For a closed set it is one of the choices or a list of scores, one per
choice. A named choice gets the score 0 (probability 1), the others log(1e-9).

Limitations: the prompt is ignored. A step that is started again reads the script from its beginning, so the model does
not count as deterministic. Tokens are words.
"""

import math
from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.errors import ModelError
from src.llm import Options
from src.llm.protocol import ModelInfo, PartialError, Reply, Request
from src.llm.replies import choice_reply, text_reply
from src.store import read_records, sha256

UNNAMED = math.log(1e-9)


class ScriptLine(msgspec.Struct, forbid_unknown_fields=True):
    """Line of the script: the role that gets the answer, and a text or the scores of a closed set."""

    role: str
    output: str | list[float]


def load(spec: str, argument: str, options: Options) -> "ScriptedModel":
    """Load the model of the spec `scripted:FILE`. Raises InputError (file, line, field)."""
    path = Path(argument)
    can = frozenset({"beams", "ngram_ban", "seed", "label_tokens"})
    info = ModelInfo(spec, "scripted", path.name, can=can, deterministic=False)
    lines = read_records(path, ScriptLine)
    described = msgspec.structs.replace(info, sha256=sha256(path), context=options.limited(info.context))
    return ScriptedModel(lines, described)


class ScriptedModel:
    """Model that answers from a list; tests also build it: `ScriptedModel([ScriptLine("judge", "True")])`."""

    def __init__(self, lines: Sequence[ScriptLine], info: ModelInfo | None = None) -> None:
        self.info = info or ModelInfo("scripted", "scripted", "script")
        self.asked: list[Request] = []  # all requests so far
        self._waiting: dict[str, deque[str | list[float]]] = defaultdict(deque)
        for line in lines:
            self._waiting[line.role].append(line.output)
        self._lines = Counter(line.role for line in lines)

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Return the reply to each request, in order.

        Raises PartialError when the script has no more output for a role, or an output does not fit the request.
        """
        outcomes = [self._tried(request) for request in requests]
        replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
        if len(replies) < len(outcomes):
            raise PartialError(outcomes)
        return replies

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    def _tried(self, request: Request) -> Reply | ModelError:
        try:
            return self._answer(request)
        except ModelError as error:
            return error

    def _answer(self, request: Request) -> Reply:
        self.asked.append(request)
        if not self._waiting[request.role]:
            used = self._lines[request.role]
            raise ModelError(f"{self.info.spec}: no more output for role {request.role!r} ({used} used)")
        output = self._waiting[request.role].popleft()
        words = len(request.prompt.split())
        if request.choices:
            return choice_reply(request, self._scores(request, output), "label_tokens", words)
        if isinstance(output, list):
            raise ModelError(f"{self.info.spec}: role {request.role!r} was asked for text, the script has scores")
        return text_reply(request, output, words, len(output.split()), "eos")

    def _scores(self, request: Request, output: str | list[float]) -> list[float]:
        if isinstance(output, list):
            if len(output) == len(request.choices):
                return output
            raise ModelError(f"{self.info.spec}: {len(output)} scores for {len(request.choices)} choices")
        if output.strip() not in [choice.strip() for choice in request.choices]:
            raise ModelError(f"{self.info.spec}: {output!r} is none of the choices {', '.join(request.choices)}")
        return [0.0 if choice.strip() == output.strip() else UNNAMED for choice in request.choices]
