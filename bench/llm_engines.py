"""The engines of the bundled model beside each other: prompts per second on this machine.

    python -m bench.llm_engines [--prompts 96] [--rounds 3] [--engine NAME ...]

96 prompts of about 120 tokens, 20 new tokens each. In every round the engines take turns; loading is not counted, nor
is one prompt that goes before. The figure is the median over the rounds.

Limitations: answers are not compared (the engines differ in their rounding), and other work on the machine counts.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import msgspec

from src.atomic_file import write_whole
from src.llm import LanguageModel, Options, get_llm
from src.llm.measure import machine, prompts, seconds

NEW_TOKENS = 20
SIXTEEN = Options(batch_rows=16)
ENGINES: dict[str, Callable[[], LanguageModel]] = {
    "our own layers, batches of 16": partial(get_llm, "smollm2:torch", SIXTEEN),
    "transformers bfloat16, batches of 16": partial(get_llm, "smollm2:transformers-bfloat16", SIXTEEN),
    "transformers bfloat16, one by one": partial(get_llm, "smollm2:transformers-bfloat16", Options(batch_rows=1)),
    "transformers float32, batches of 16": partial(get_llm, "smollm2:transformers-float32", SIXTEEN),
    "transformers float32, one by one": partial(get_llm, "smollm2:transformers-float32", Options(batch_rows=1)),
    "llama.cpp, one slot": partial(get_llm, "smollm2:llamacpp"),
    "llama.cpp, 4 slots": partial(get_llm, "smollm2:llamacpp", Options(slots=4, context=512)),
}


class Result(msgspec.Struct):
    """Prompts per second of every round, by engine, and their medians."""

    machine: str
    prompts: int
    new_tokens: int
    rounds: dict[str, list[float]]
    median: dict[str, float]


def main() -> None:
    arguments = _parser().parse_args()
    chosen = {name: load for name, load in ENGINES.items() if any(part in name for part in arguments.engine)}
    result = measure(chosen, prompts(arguments.prompts), arguments.rounds)
    print(f"{result.machine}; {result.prompts} prompts, {arguments.rounds} rounds\n{'':40}prompts/s")
    for name, speed in result.median.items():
        print(f"{name:40}{speed:9.2f}")
    write_whole(arguments.json, msgspec.json.format(msgspec.json.encode(result)) + b"\n")


def measure(engines: dict[str, Callable[[], LanguageModel]], texts: Sequence[str], rounds: int) -> Result:
    """Load every engine, then measure them in turns."""
    models = {name: load() for name, load in engines.items()}
    times: dict[str, list[float]] = {name: [] for name in models}
    for model in models.values():
        seconds(model, texts[:1], NEW_TOKENS)
    for _ in range(rounds):
        for name, model in models.items():
            times[name].append(round(len(texts) / seconds(model, texts, NEW_TOKENS), 3))
    medians = {name: round(median(speeds), 2) for name, speeds in times.items()}
    return Result(machine(), len(texts), NEW_TOKENS, times, medians)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--prompts", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engine", nargs="*", default=[""], help="only those with this in their name")
    parser.add_argument("--json", type=Path, default=Path("bench/results/llm_engines.json"))
    return parser


if __name__ == "__main__":
    main()
