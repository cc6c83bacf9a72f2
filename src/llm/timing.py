"""Time that prompts take, for --dry_run."""

import time
from collections.abc import Sequence

from src.llm.protocol import LanguageModel, Request


def seconds_per_prompt(model: LanguageModel, requests: Sequence[Request]) -> float:
    """Return the mean seconds per request, answered together; the first one is answered before, for warm-up."""
    if not requests:
        return 0.0
    model.complete(requests[:1])
    began = time.perf_counter()
    model.complete(requests)
    return (time.perf_counter() - began) / len(requests)
