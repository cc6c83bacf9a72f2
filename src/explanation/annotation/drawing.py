"""Drawing of a study: which claims are rated, by whom, and which ones test the annotators."""

import argparse
import random
from collections.abc import Sequence
from typing import NamedTuple

from src.errors import InputError
from src.explanation.annotation.study import Block
from src.explanation.annotation.study_file import Assigned, StudyFile


class Plan(NamedTuple):
    """Numbers of claims, qualification rounds, controls and annotators to draw, and two thresholds."""

    sample: int
    rounds: int
    controls: int
    annotators: int
    annotators_per_claim: int
    pass_at: float
    exclude_below: float


def plan(args: argparse.Namespace) -> Plan:
    """Return the plan that the flags of `annotate` describe."""
    annotators = args.annotators if args.annotators is not None else args.annotators_per_claim
    counts = args.sample, args.rounds, args.controls, annotators, args.annotators_per_claim
    return Plan(*counts, args.pass_at, args.exclude_below)


def drawn(methods: Sequence[str], blocks: Sequence[Block], plan: Plan, seed: int) -> StudyFile:
    """Return a study of claims drawn without replacement; `blocks` are the claims that all methods explain.

    The sample depends only on the seed and the claims, not on the numbers of rounds and controls.
    Raises: InputError if there are too few claims, or fewer annotators than each claim needs.
    """
    needed = plan.sample + plan.rounds + plan.controls
    if len(blocks) < needed:
        parts = f"{plan.sample} to rate, {plan.rounds} of qualification rounds and {plan.controls} controls"
        raise InputError(f"{len(blocks)} claims, but {needed} are drawn: {parts}")
    if plan.annotators < plan.annotators_per_claim:
        message = f"fewer than the {plan.annotators_per_claim} that each claim needs (--annotators_per_claim)"
        raise InputError(f"--annotators {plan.annotators}: {message}")
    shuffled = random.Random(seed).sample(list(blocks), len(blocks))
    keyed = [list(block) for block in shuffled[plan.sample : needed]]
    claims = [Assigned(_seats(place, plan), list(block)) for place, block in enumerate(shuffled[: plan.sample])]
    return StudyFile(
        seed=seed,
        methods=list(methods),
        annotators=plan.annotators,
        annotators_per_claim=plan.annotators_per_claim,
        pass_at=plan.pass_at,
        exclude_below=plan.exclude_below,
        rounds=keyed[: plan.rounds],
        controls=keyed[plan.rounds :],
        claims=sorted(claims, key=lambda one: one.tasks[0].shown.claim_id),
    )


def _seats(place: int, plan: Plan) -> list[int]:
    """Return the seats of the claim drawn at this position; the numbers of claims of any two seats differ by one at
    most.
    """
    first = place * plan.annotators_per_claim
    return sorted((first + one) % plan.annotators for one in range(plan.annotators_per_claim))
