"""The files of answers to a batch of requests, `--batch_answers`, as the manifest records them.

Limitations: only the files of the last start are known. `src/llm/openai_batch.py` reads the answers themselves.
"""

from collections import Counter
from contextlib import suppress
from pathlib import Path

import msgspec

from src.batch_lines import AnswerLine, ModelName
from src.errors import InputError
from src.json_decoding import decode
from src.runner.manifest import AnswersFile
from src.settings import OutputSettings, values_of
from src.store import sha256, storable


def batch_answers(settings: OutputSettings) -> tuple[Path, ...]:
    """Return the files of answers that --batch_answers names."""
    paths = values_of(settings).get("batch_answers", ())
    return paths if isinstance(paths, tuple) else ()


def answers_files(settings: OutputSettings) -> list[AnswersFile]:
    """Return path, hash and models of each file of answers. Raises InputError when one cannot be read."""
    return [_file(path) for path in batch_answers(settings)]


def _file(path: Path) -> AnswersFile:
    try:
        return AnswersFile(storable(str(path)), sha256(path), _models(path))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None


def _models(path: Path) -> dict[str, int]:
    """Return how many answers each model gave; lines that name none, such as errors, do not count."""
    models: Counter[str] = Counter()
    with path.open("rb") as file:
        for line in file:
            with suppress(msgspec.DecodeError):
                response = decode(line, AnswerLine).response
                if response and (model := decode(response.body, ModelName).model):
                    models[model] += 1
    return dict(models)
