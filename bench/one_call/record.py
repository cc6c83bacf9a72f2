"""Records of `bench/results/one_call.json`."""

import msgspec

from src.evaluation.scoreboard import Scoreboard


class Row(msgspec.Struct, frozen=True):
    """Scores of a system.

    `system`: its name.
    `scores`: its scores, with intervals and baselines.
    `verdicts`: number of claims with each verdict; a failed claim counts as Not Enough Evidence.
    `counts`, `failures`: of its run of `one_call`, from the manifest; nothing for other systems.
    """

    system: str
    scores: Scoreboard
    verdicts: dict[str, int]
    counts: dict[str, int] = {}
    failures: int = 0


class Result(msgspec.Struct, frozen=True):
    """Rows of systems on the dev claims from `start` to before `end`."""

    start: int
    end: int
    rows: list[Row]
