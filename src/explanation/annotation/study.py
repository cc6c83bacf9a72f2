"""Study: the explanations to rate, their order for each annotator, and the file of a drawn study.

All annotators get the claims in the same order. The explanations of a claim are shown one after the other, in an order
that is drawn for each annotator and claim.

A drawn study follows the human study of Kim et al. 2024: 20 claims of PolitiHop, and annotators who passed two
qualification rounds that the authors had annotated. Control claims and the rule that excludes annotators are additions
of this project.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple, Protocol

import msgspec

from src.annotating.annotator import Stage
from src.errors import InputError
from src.explanation.annotation.ratings import Rating, Shown, Text, shown
from src.explanation.records import ExplainedClaim, Item
from src.settings import Flag, Natural, Positive, Share
from src.store import read_json


class Task(msgspec.Struct, frozen=True):
    """An explanation to rate, with the methods that wrote exactly this text; one rating is saved for all of them."""

    shown: Shown
    methods: tuple[str, ...]

    @property
    def items(self) -> list[Item]:
        return [(method, self.shown.claim_id) for method in self.methods]


Block = Sequence[Task]
"""The explanations of one claim."""


class Opening(NamedTuple):
    """The tasks that an annotator may rate now.

    `stage`: qualification round, study, or nothing.
    `tasks`: explanations, in the annotator's order.
    `message`: text for the page.
    `seat`: index (from 0) of the annotator's seat in a drawn study; None if the annotator has none.
    """

    stage: Stage
    tasks: list[Task]
    message: str = ""
    seat: int | None = None


class Course(Protocol):
    """Rule that decides which tasks an annotator may rate now; `ratings` are all ratings in the order of the file."""

    def opening(self, annotator: str, ratings: Sequence[Rating]) -> Opening: ...


class Study(NamedTuple):
    """Study in which every annotator may rate everything; `claims` has the explanations of each claim."""

    claims: Sequence[Block]
    seed: int

    def order(self, annotator: str) -> list[Task]:
        """Return the annotator's tasks; the order within a claim depends only on annotator, claim and seed."""
        return ordered(self.claims, self.seed, annotator)

    def opening(self, annotator: str, ratings: Sequence[Rating]) -> Opening:
        return Opening(Stage.STUDY, self.order(annotator))


def ordered(blocks: Sequence[Block], seed: int, annotator: str) -> list[Task]:
    """Return all tasks, claim after claim; the order within a claim is drawn for the annotator."""
    in_order: list[Task] = []
    for tasks in blocks:
        rng = random.Random(f"{seed} {tasks[0].shown.claim_id} {annotator}")
        in_order += rng.sample(tasks, len(tasks))
    return in_order


def study(methods: Sequence[str], shared: Sequence[Sequence[ExplainedClaim]], seed: int) -> Study:
    """Return a study of the explanations; `shared` has those of each method, all on the same claims in the same
    order.
    """
    return Study([_tasks(methods, claims) for claims in zip(*shared, strict=True)], seed)


def texts(methods: Sequence[str], shared: Sequence[Sequence[ExplainedClaim]]) -> Mapping[Item, Text]:
    """Return the current text of each explanation, by method and claim_id, to which ratings must refer.

    `shared` has the explanations of each method.
    """
    named = zip(methods, shared, strict=True)
    return {(name, claim.claim_id): shown(claim).text for name, claims in named for claim in claims}


def _tasks(methods: Sequence[str], claims: Sequence[ExplainedClaim]) -> list[Task]:
    by_hash: dict[str, Task] = {}
    for method, claim in zip(methods, claims, strict=True):
        seen = shown(claim)
        earlier = by_hash.get(seen.text.hash)
        by_hash[seen.text.hash] = Task(seen, (*(earlier.methods if earlier else ()), method))
    return list(by_hash.values())


Tasks = Annotated[list[Task], msgspec.Meta(min_length=1)]


class Assigned(msgspec.Struct, frozen=True):
    """A claim of a drawn study with its explanations.

    `seats` has the indexes (from 0) of the annotators who rate the claim.
    """

    seats: list[int]
    tasks: Tasks


class StudyFile(msgspec.Struct, frozen=True):
    """A drawn study.

    `seed`: seed of the draw.
    `methods`: names of the methods whose explanations are rated.
    `annotators`: number of seats; a seat is one annotator's share of the claims.
    `annotators_per_claim`: number of annotators who rate each claim.
    `pass_at`: smallest agreement with the author's ratings (the key) that an annotator needs in each qualification
        round to get a seat.
    `exclude_below`: annotators with less agreement with the key on the controls are not scored.
    `rounds`: explanations of each qualification round; a round has one claim.
    `controls`: explanations of each control claim; every annotator rates these claims without knowing that they are
        controls.
    `claims`: claims to be scored, with their seats.
    """

    seed: int
    methods: list[str]
    annotators: Positive
    annotators_per_claim: Positive
    pass_at: Share
    exclude_below: Share
    rounds: list[Tasks]
    controls: list[Tasks]
    claims: list[Assigned]

    @property
    def keyed(self) -> list[Task]:
        """Return the explanations that the study's author must rate beforehand: those of the qualification rounds and
        of the control claims. Annotators are compared with these ratings.
        """
        return [task for block in (*self.rounds, *self.controls) for task in block]

    @property
    def real(self) -> list[Task]:
        """Return the explanations of the study itself, without qualification rounds and controls."""
        return [task for one in self.claims for task in one.tasks]

    def of_seat(self, seat: int) -> list[Block]:
        """Return the claims that the annotator of a seat rates: scored claims and controls, ordered by claim_id so that
        controls cannot be told apart.
        """
        blocks: Sequence[Block] = [*self.controls, *(one.tasks for one in self.claims if seat in one.seats)]
        return sorted(blocks, key=lambda tasks: tasks[0].shown.claim_id)

    def texts(self) -> Mapping[Item, Text]:
        """Return the text of each explanation, by method and claim_id, to which ratings must refer."""
        return {item: task.shown.text for task in (*self.keyed, *self.real) for item in task.items}


def read_study(path: Path) -> StudyFile:
    """Read a drawn study (a sample of claims with their seats, see `StudyFile`) from a file.

    Raises InputError if the file is invalid.
    """
    return read_json(path, StudyFile)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a study to draw: numbers of claims, qualification rounds, control claims and annotators.

    `pass_at` and `exclude_below` are smallest agreements with the ratings of the study's author (the key). `sample` is
    None if no study is drawn.
    """

    sample: Annotated[Positive | None, Flag("draw a study of so many claims (the paper: 20)")] = None
    rounds: Annotated[Natural, Flag("qualification rounds, a claim each")] = 2
    controls: Annotated[Natural, Flag("control claims among those to rate")] = 2
    annotators_per_claim: Annotated[Positive, Flag("annotators of each claim")] = 3
    annotators: Annotated[
        Positive | None, Flag("seats of the study (default: as many as each claim has annotators)")
    ] = None
    pass_at: Annotated[Share, Flag("agreement with the key that each round needs, 0 to 1; 0.5 is chance")] = 0.7
    exclude_below: Annotated[Share, Flag("agreement with the key on the controls below which nobody is scored")] = 0.7

    @property
    def seats(self) -> int:
        return self.annotators_per_claim if self.annotators is None else self.annotators


def drawn(methods: Sequence[str], blocks: Sequence[Block], plan: Plan, seed: int) -> StudyFile:
    """Return a study of claims drawn without replacement.

    `methods`: names of the methods whose explanations are rated.
    `blocks`: one item for each claim that every method explains, with all its explanations.
    `plan`: how many claims, rounds, controls and annotators the study has.

    The scored claims depend only on the seed and the claims, not on the numbers of rounds and controls.
    Raises InputError if there are too few claims, or fewer annotators than each claim needs.
    """
    sample = plan.sample or 0
    needed = sample + plan.rounds + plan.controls
    if len(blocks) < needed:
        parts = f"{sample} to rate, {plan.rounds} of qualification rounds and {plan.controls} controls"
        raise InputError(f"{len(blocks)} claims, but {needed} are drawn: {parts}")
    if plan.seats < plan.annotators_per_claim:
        message = f"fewer than the {plan.annotators_per_claim} that each claim needs (--annotators_per_claim)"
        raise InputError(f"--annotators {plan.seats}: {message}")
    shuffled = random.Random(seed).sample(list(blocks), len(blocks))
    keyed = [list(block) for block in shuffled[sample:needed]]
    claims = [Assigned(_seats(place, plan), list(block)) for place, block in enumerate(shuffled[:sample])]
    return StudyFile(
        seed=seed,
        methods=list(methods),
        annotators=plan.seats,
        annotators_per_claim=plan.annotators_per_claim,
        pass_at=plan.pass_at,
        exclude_below=plan.exclude_below,
        rounds=keyed[: plan.rounds],
        controls=keyed[plan.rounds :],
        claims=sorted(claims, key=lambda one: one.tasks[0].shown.claim_id),
    )


def _seats(place: int, plan: Plan) -> list[int]:
    """Return the seats whose annotators rate a claim; `place` is the index (from 0) of the claim in the draw.

    The numbers of claims of any two seats differ by at most one.
    """
    first = place * plan.annotators_per_claim
    return sorted((first + one) % plan.seats for one in range(plan.annotators_per_claim))
