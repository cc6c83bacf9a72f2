"""Shards of a pipeline run: the part that `--shard I/N` names, and the join of all parts."""

from msgspec.structs import replace

from src.pipeline.plan import Plan
from src.pipeline.settings import PipelineSettings
from src.runner.division import Part
from src.runner.merging import merge_shards
from src.runner.shard_plan import ShardPlan, pin
from src.runner.sharding import divided, whole_of
from src.store import read_claims


def divided_settings(settings: PipelineSettings, part: Part) -> tuple[PipelineSettings, ShardPlan]:
    """Return the settings of one part of a run, and how the run is divided.

    Raises InputError when the claims cannot be divided.
    """
    chosen = replace(settings.range, shard=part)
    shards = divided(chosen, read_claims(settings.claims), settings.claims)
    start, end = shards.range_of(part)
    return replace(settings, start=start, end=end, shard=None, in_shards=True), shards


def pin_outputs(plan: Plan, shards: ShardPlan, *, dry_run: bool) -> None:
    """Write how the run is divided beside the output of each stage. Raises the errors of `pin`."""
    pin([whole for output in plan.outputs() if (whole := whole_of(output))], shards, dry_run=dry_run)


def merge_outputs(plan: Plan, settings: PipelineSettings) -> int:
    """Join the shards of each stage, and write the predictions with their justifications.

    Return 1 if some claims failed, else 0.
    Raises InputError when shards are missing or do not belong together.
    """
    code = 0
    for output in plan.outputs():
        merged = merge_shards(output, settings, settings.start, settings.end, overwrite=settings.overwrite)
        code = max(code, merged)
    if plan.explain:
        plan.justified.write(plan.judge.output, plan.explain.output)
    return code
