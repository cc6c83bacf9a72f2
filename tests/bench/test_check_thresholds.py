"""`bench.check_thresholds`: thresholds fall as far as the clean explanations allow, and find what checks would find."""

from collections.abc import Sequence

import numpy as np

from bench.check_thresholds import NAMES, STEPS, Clean, Planted, choose, half, outcome, planted
from src.explanation.checks.checker import Checker
from src.explanation.checks.tagged import Candidate, Thresholds
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.synthetic_errors.records import Error, Kind, PlantedClaim
from src.explanation.typology import MADR_TYPES, ErrorType

EE, OG = NAMES.index("extrinsic_entity"), NAMES.index("overgeneralisation")


class Sure(Checker):
    """Thinks that `1913` is an extrinsic entity, more so behind `in`, and that `old` is one wherever it stands."""

    def __init__(self) -> None:
        pass

    def prepared(self, claims: Sequence[ExplainedClaim]) -> list[list[Candidate]]:
        return [list(self._of(one)) for one in claims]

    def _of(self, claim: ExplainedClaim) -> list[Candidate]:
        chances = {"1913": 0.9 if "in 1913" in (claim.explanation or "") else 0.4, "old": 0.7}
        return [
            Candidate("extrinsic_entity", chance, Finding(0, 0, ErrorType.EXTRINSIC_ENTITY, word, ""))
            for word, chance in chances.items() if word in (claim.explanation or "")
        ]  # fmt: skip


def copy(of: int, text: str, twin: str = "The old mill burnt.") -> PlantedClaim:
    kind = Kind.EXTRINSIC_NUMBER
    return PlantedClaim(of, of, "c", "true", text, twin, Error(kind, kind.type, 0, 0, "1913"))


def at(**levels: float) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    return np.array([int(np.argmin(abs(STEPS - levels.get(name, 1.01)))) for name in NAMES])


def test_what_the_twin_has_too_is_not_found() -> None:
    errors = planted([copy(0, "The old mill burnt in 1913."), copy(1, "The old mill burnt, 1913.")], Sure())
    for level, share in ((1.01, 0.0), (0.85, 0.5), (0.37, 1.0), (0.69, 0.5)):
        assert outcome(at(extrinsic_entity=level), errors, []).recall == {Kind.EXTRINSIC_NUMBER: share}
    of_twins = planted([copy(0, "The old mill burnt.", "The old mill stood.")], Sure())
    assert outcome(at(extrinsic_entity=0.5), of_twins, []).recall == {Kind.EXTRINSIC_NUMBER: 0.0}


def test_thresholds_fall_until_too_much_is_flagged() -> None:
    low, high = np.full((4, len(NAMES), 1), 2.0), np.full((4, len(NAMES), 1), -1.0)
    low[:, EE, 0], high[:, EE, 0] = -1.0, [0.9, 0.8, 0.5, 0.2]
    errors = Planted(np.array([Kind.EXTRINSIC_ENTITY.value] * 4), np.arange(4), low, high)
    highest = np.full((4, len(NAMES)), -1.0)
    highest[:, EE] = [0.7, 0.3, 0.1, 0.1]
    highest[:, OG] = 0.99
    sets = [Clean("gold", np.arange(4), highest, 0.25)]
    result = outcome(choose(errors, sets, 1.0), errors, sets)
    assert (result.recall[Kind.EXTRINSIC_ENTITY], result.flagged["gold"]) == (0.75, 0.25)
    none = outcome(choose(errors, sets, 0.5), errors, sets)
    assert (none.recall[Kind.EXTRINSIC_ENTITY], none.flagged["gold"]) == (0.5, 0.0)
    mine, its = half(errors, sets, 1)
    assert (list(mine.claims), list(its[0].claims), its[0].highest.shape) == ([1, 3], [1, 3], (2, len(NAMES)))


def test_every_threshold_has_a_kind_of_candidate() -> None:
    types = {one.name.lower() for one in MADR_TYPES}
    assert {name.removeprefix("words_") for name in Thresholds.__struct_fields__} <= types | {"entity", "number"}
