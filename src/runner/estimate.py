"""Estimates for --dry_run: claims, prompts, tokens, disk and time, from three timed prompts or claims."""

import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from src.errors import FatalError
from src.runner.console import duration
from src.runner.outcome import Outcome
from src.runner.prices import Prices

SAMPLE = 3

In = TypeVar("In")
Out = TypeVar("Out")


class Estimate(msgspec.Struct, frozen=True):
    """Estimated cost of a run, for --dry_run.

    `claims`: number of claims.
    `disk`: size of the output in bytes.
    `seconds`: run time without model loading.
    `prompts`, `tokens`: prompts for a language model and their tokens; 0 for a step without one.
    `reply_tokens`: tokens of the replies.
    `failed`: number of the timed claims that failed.
    """

    claims: int
    disk: int
    seconds: float
    prompts: int = 0
    tokens: int = 0
    reply_tokens: int = 0
    failed: int = 0


def spread(items: Sequence[In]) -> Sequence[In]:
    """Return up to three items at equal distances in the sequence, beginning with the first."""
    return items[:: max(1, -(-len(items) // SAMPLE))][:SAMPLE]


def time_claims(
    claims: Sequence[In], work: Callable[[Sequence[In]], Sequence[Outcome[Out]]], encode: Callable[[Out], bytes]
) -> Estimate:
    """Estimate the cost of `work` from three claims, which are processed and timed.

    A claim that fails counts for the time, but not for the disk space.
    """
    sample = spread(claims)
    began = time.perf_counter()
    sizes = [_size(claim, work, encode) for claim in sample]
    seconds = time.perf_counter() - began
    share = len(claims) / max(1, len(sample))
    disk = int(share * sum(size or 0 for size in sizes))
    return Estimate(claims=len(claims), disk=disk, seconds=seconds * share, failed=sizes.count(None))


def _size(
    claim: In, work: Callable[[Sequence[In]], Sequence[Outcome[Out]]], encode: Callable[[Out], bytes]
) -> int | None:
    try:
        return sum(len(encode(outcome.record)) for outcome in work([claim]))
    except FatalError:
        raise
    except Exception:
        return None


def report(name: str, estimate: Estimate, output: Path, prices: Prices = Prices()) -> str:  # noqa: B008
    """Return the estimate as lines of text, with the cost if prices are given."""
    folder = next(parent for parent in output.absolute().parents if parent.exists())
    lines = [f"{name}: dry run, nothing written", f"  claims   {estimate.claims}", f"  output   {output}"]
    if estimate.prompts:
        tokens = f"{estimate.tokens} in prompts, about {estimate.reply_tokens} in replies"
        lines += [f"  prompts  {estimate.prompts}", f"  tokens   {tokens}"]
    cost = prices.cost(estimate.tokens, estimate.reply_tokens)
    lines += [] if cost is None else [f"  cost     about {cost:.2f}, at --input_price and --output_price"]
    timed = "prompts" if estimate.prompts else "claims"
    lines += [
        f"  disk     {estimate.disk / 1e6:.1f} MB of {shutil.disk_usage(folder).free / 1e6:.0f} MB free",
        f"  time     about {duration(estimate.seconds)} on this machine, as busy as it is now: {SAMPLE} {timed} were "
        "timed; loading of models is not counted",
    ]
    if estimate.failed:
        lines.append(f"  failed   {estimate.failed} of the timed claims: expect such claims in the failures file")
    return "\n".join(lines)
