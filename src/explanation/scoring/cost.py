"""Cost of an explanation: model calls, tokens and seconds, from its debate and from the manifests beside the files.

A file's manifest has the totals of the step that wrote it. It also names the input of that step, whose manifest has the
totals of the drafts. Refined lines have exact calls and tokens, for the compared claims alone; these include drafts of
the same run, debated or not.

Limitations: figures from a manifest are means over its whole run; seconds always are. Replies from a cache count as
calls. Drafts from a file without a manifest count nothing.
"""

from collections.abc import Sequence
from pathlib import Path

from src.explanation.records import ExplainedClaim
from src.explanation.scoring.records import Cost
from src.runner.manifest import Manifest, read_manifest
from src.store import sha256

STEPS = "src.explanation."
_COUNTS = ("model_calls", "prompt_tokens", "new_tokens")
_REFINED = "debates"  # this count marks manifests of steps whose lines have their own cost
_FIELDS = ("calls", "prompt_tokens", "new_tokens")


def cost(path: Path, claims: Sequence[ExplainedClaim]) -> Cost:
    """Return the mean cost of an explanation over `claims`, including its draft where that is known."""
    made = runs(path)
    seconds = sum(_per_claim(run, run.seconds.get("work", 0.0)) for run in made) if made else None
    parts = [_counted(run) for run in made]
    told = [one for claim in claims for one in (claim.debate, claim.drafting) if one is not None]
    if told or (made and _REFINED in made[0].counts):
        parts = [[sum(getattr(one, field) for one in told) / len(claims) for field in _FIELDS], *parts[1:]]
    if not parts:
        return Cost()
    calls, prompt, new = (sum(values) for values in zip(*parts, strict=True))
    return Cost(calls, prompt, new, seconds)


def runs(path: Path) -> list[Manifest]:
    """Return the manifests of the steps that made the file, last step first, up to the first file that has changed
    since.
    """
    found: list[Manifest] = []
    at: Path | None = path
    while at is not None:
        manifest = read_manifest(at)
        if manifest is None or not manifest.fingerprint.step.startswith(STEPS) or manifest.output_sha256 != sha256(at):
            break
        found.append(manifest)
        at = _made_from(manifest)
    return found


def _made_from(manifest: Manifest) -> Path | None:
    source = manifest.fingerprint.inputs.get("explanations_file")
    if source is None:
        return None
    path = Path(source.path)
    return path if path.is_file() and sha256(path) == source.sha256 else None


def _counted(run: Manifest) -> list[float]:
    return [_per_claim(run, run.counts.get(name, 0)) for name in _COUNTS]


def _per_claim(run: Manifest, value: float) -> float:
    return value / max(1, run.fingerprint.claims)
