"""Program for the environment of vLLM: `python -m tests.slow.vllm_answers SPEC CALLS ANSWERS [DTYPE]`.

CALLS is a JSON list of calls, each a list of requests. ANSWERS becomes a JSON object with the model's info, and for
each call the list of replies, or the message of the error.
"""

import sys
from pathlib import Path

import msgspec

from src.errors import ModelError
from src.llm import LanguageModel, Options, get_llm
from src.llm.protocol import ModelInfo, Reply, Request

CONTEXT = 1024


class Answers(msgspec.Struct):
    info: ModelInfo
    replies: list[list[Reply] | str]


def answered(model: LanguageModel, requests: list[Request]) -> list[Reply] | str:
    try:
        return model.complete(requests)
    except ModelError as error:
        return str(error)


def main(spec: str, calls: str, answers: str, dtype: str = "float32") -> None:
    read = msgspec.json.decode(Path(calls).read_bytes(), type=list[list[Request]])
    model = get_llm(spec, Options(dtype=dtype, context=CONTEXT))
    made = Answers(model.info, [answered(model, requests) for requests in read])
    Path(answers).write_bytes(msgspec.json.encode(made))


if __name__ == "__main__":
    main(*sys.argv[1:])
