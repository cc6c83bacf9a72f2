"""The language model that answers one call in a check: which one it is, and how much it is asked for.

A small model, which runs on two cores, is shown fewer examples and asked for fewer pairs than a large one, which gets
the numbers of the step `src.prediction.one_call`.
"""

from pathlib import Path

from src.check.records import CheckRequest, Strategy
from src.llm import get_llm, parse_spec
from src.llm.presence import ARCHIVES
from src.one_call.caller import OneCall
from src.one_call.examples import ClaimExamples
from src.one_call.verdict import Calibration
from src.pipeline.one_call import OneCallSettings
from src.reranking.questions.flags import WriterSettings
from src.stance.selection import CHOSEN
from src.store import read_claims

CALL_LLM = "qwen2.5-coder-1.5b"  # unless a model is named
SMALL_EXAMPLES = 3
OF_STEP = OneCallSettings()


def call_llm(llm: str) -> str:
    """Return the spec of the model for one call; `llm` is the one that is named, or ""."""
    return llm or CALL_LLM


def is_small(llm: str) -> bool:
    """Return True if the model for one call is one of those that come with the project. Raises InputError."""
    return parse_spec(call_llm(llm))[0] in ARCHIVES


def is_large(request: CheckRequest, llm: str) -> bool:
    """Return True if a check is made by one call of a large model. Raises InputError for an unknown spec."""
    return request.strategy is Strategy.ONE_CALL and not is_small(llm)


def most_pairs(request: CheckRequest, llm: str) -> int:
    """Return the most question-answer pairs that a check keeps. Raises InputError for an unknown spec."""
    if request.top_n is not None:
        return request.top_n
    return OF_STEP.top_n if is_large(request, llm) else CHOSEN


def numbers_of(settings: WriterSettings, sources: int, pairs: int) -> dict[str, int]:
    """Return the numbers of a call that a calibration is fitted for, by their names. Raises InputError.

    `sources`: sources that the model is shown. `pairs`: most pairs that it is asked for.
    """
    numbers = {"sources": sources, "num_examples": _examples(settings), "top_n": pairs}
    return numbers | {"samples": settings.samples or OF_STEP.samples}


def _examples(settings: WriterSettings) -> int:
    if settings.num_examples is not None:
        return settings.num_examples
    return SMALL_EXAMPLES if is_small(settings.llm) else OF_STEP.num_examples


def caller_of(settings: WriterSettings, reference: Path, calibration: Calibration | None) -> OneCall:
    """Load the model and return the checker; `reference` has the claims for examples. Raises InputError.

    Each request sets the number of its pairs.
    """
    model = get_llm(call_llm(settings.llm), settings.engine)
    number = _examples(settings)
    return OneCall(
        model,
        ClaimExamples(read_claims(reference)) if number else None,
        number,
        samples=settings.samples or OF_STEP.samples,
        temperature=OF_STEP.temperature,
        max_new_tokens=settings.max_new_tokens or OF_STEP.max_new_tokens,
        calibration=calibration,
    )
