"""Shards of a pipeline run: the part that `--shard I/N` names, and the join of all parts."""

from msgspec.structs import replace

from src.pipeline.plan import Plan
from src.pipeline.settings import PipelineSettings
from src.runner.division import Part
from src.runner.merging import merge_shards
from src.runner.shard_plan import ShardPlan, check_plan
from src.runner.sharding import divided, whole_of
from src.store import read_claims


def divided_settings(settings: PipelineSettings, part: Part) -> PipelineSettings:
    """Return the settings of one part of a run. Raises InputError when the claims cannot be divided."""
    chosen = replace(settings.range, shard=part)
    shards = divided(chosen, read_claims(settings.claims), settings.claims)
    start, end = shards.range_of(part)
    return replace(settings, start=start, end=end, shard=None, plan=shards)


def check_outputs(plan: Plan, shards: ShardPlan) -> None:
    """Raise InputError if the output of a stage has been divided otherwise than `shards`."""
    for output in plan.outputs():
        if whole := whole_of(output):
            check_plan(whole, shards)


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
        plan.justified.write(plan.submit.veracity_prediction_file, plan.explain.output)
    return code
