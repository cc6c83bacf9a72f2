"""Timing of language models: a comparison of engines on a few prompts, and time and tokens of a prompt for --dry_run.

Limitations: a measurement takes about half a minute, and other work on the machine affects it. `bench/llm_engines.py`
alternates between engines and uses medians.
"""

import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from src.llm.protocol import LanguageModel, Request

SHORT_RUN = 24  # prompts of two sentences: shorter ones, and fewer, do not show what real work does
SHORT_ANSWER = 16  # tokens
AT_ONCE = 8  # prompts a call
ONE_BY_ONE = 2  # prompts a call for engines that work one by one


def prompts(count: int, sentences: int = 2) -> list[str]:
    """Return `count` different prompts for timing, with about 60 tokens per sentence."""
    line = (
        "In the year {year} the town of number {town} built {houses} houses, and the paper wrote that {share} "
        "percent of the people there had paid for them with borrowed money, which the mayor denied on the same day. "
    )
    texts = []
    for number in range(count):
        towns = range(number, number + sentences)
        text = "".join(line.format(year=1900 + n, town=n, houses=3 * n + 5, share=n % 100) for n in towns)
        texts.append(text + "Was it true? The answer, in one sentence, is:")
    return texts


def seconds(model: LanguageModel, texts: Sequence[str], new_tokens: int) -> float:
    """Return the wall-clock seconds that the model takes for one call with these prompts."""
    requests = [Request(text, max_new_tokens=new_tokens) for text in texts]
    started = time.perf_counter()
    model.complete(requests)
    return time.perf_counter() - started


def short_run(engines: Mapping[str, Callable[[], LanguageModel]], gain: float) -> dict[str, float]:
    """Load each engine in turn and return its prompts per second.

    An engine that is less than `gain` times as fast as the first one is stopped as soon as that is certain. The first
    call of an engine is not timed: in it, weights are laid out and code is generated for the batch's shapes.
    """
    texts = prompts(SHORT_RUN)
    speeds: dict[str, float] = {}
    for name, load in engines.items():
        model = load()
        step = ONE_BY_ONE if model.info.engine == "llama.cpp" else AT_ONCE
        seconds(model, texts[:step], SHORT_ANSWER)
        allowed = SHORT_RUN / (gain * next(iter(speeds.values()), 1e-9))
        spent, done = 0.0, 0
        while done < SHORT_RUN and spent < allowed:
            spent += seconds(model, texts[done : done + step], SHORT_ANSWER)
            done += step
        speeds[name] = round(done / spent, 2)
    return speeds


def machine() -> str:
    """Return the processor's name and number of cores; a recorded timing is valid only for these."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


class Timed(NamedTuple):
    """Means for one prompt: seconds, tokens of the prompt and tokens of the reply."""

    seconds: float
    prompt_tokens: float
    new_tokens: float


def timed(model: LanguageModel, requests: Sequence[Request]) -> Timed:
    """Return the means for one request of one call with all requests.

    The first request is sent before as a warm-up, but not to a server, where it would be paid for.
    """
    if not requests:
        return Timed(0.0, 0.0, 0.0)
    if model.info.engine != "openai":
        model.complete(requests[:1])
    began = time.perf_counter()
    replies = model.complete(requests)
    seconds = (time.perf_counter() - began) / len(requests)
    return Timed(seconds, fmean(one.prompt_tokens for one in replies), fmean(one.new_tokens for one in replies))
