"""What counts as found: a finding on the planted sentence that the twin has not."""

import pytest

from src.explanation.checks.checker import Checker
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.synthetic_errors.records import Error, Kind, PlantedClaim
from src.explanation.synthetic_errors.scores import recall, share
from src.explanation.typology import ErrorType

TWIN = "Eels swim. Frogs sing."


class Known(Checker):
    """Finds `1913` and `Frogs` wherever they stand, as extrinsic entities; `never` as another type."""

    def __init__(self) -> None:
        pass

    def check(self, claims: object) -> list[list[Finding]]:
        assert isinstance(claims, list)
        return [list(self._of(one)) for one in claims]

    def _of(self, claim: ExplainedClaim) -> list[Finding]:
        types = {"1913": ErrorType.EXTRINSIC_ENTITY, "Frogs": ErrorType.EXTRINSIC_ENTITY}
        types["never"] = ErrorType.OVERGENERALISATION
        said = (claim.explanation or "").split(". ")
        return [Finding(0, at, kind, w, "") for at, one in enumerate(said) for w, kind in types.items() if w in one]


def copy(of: int, text: str, sentence: int, kind: Kind = Kind.EXTRINSIC_NUMBER) -> PlantedClaim:
    return PlantedClaim(of, of, "c", "true", text, TWIN, Error(kind, kind.type, sentence, 0, "x"))


def test_new_findings_on_the_sentence_count() -> None:
    copies = [
        copy(0, "Eels swim in 1913. Frogs sing.", 0),
        copy(1, "Eels swim. Frogs sing in 1913.", 1),
        copy(2, "Eels swim in 1913. Frogs sing.", 1),  # found elsewhere
        copy(3, "Eels never swim. Frogs sing.", 0),  # another type
        copy(4, "Eels swim. Frogs sing loud.", 1),  # the twin has it, too
        copy(5, "Eels never swim. Frogs sing.", 0, Kind.OVERGENERALISATION),
    ]
    of_kind = {one.kind: one for one in recall(copies, Known())}
    number = of_kind[Kind.EXTRINSIC_NUMBER]
    assert number.of_type.n == 5
    assert number.of_type.share == pytest.approx(2 / 5)
    assert number.of_any.share == pytest.approx(3 / 5)
    assert of_kind[Kind.OVERGENERALISATION].of_type.share == 1
    assert set(of_kind) == {Kind.EXTRINSIC_NUMBER, Kind.OVERGENERALISATION}


@pytest.mark.parametrize(
    ("start", "span", "is_there"),
    [
        (13, "1913", True),
        (8, "in ", False),  # the word before: another place
        (0, "Eels", False),
        (9, "m in 19", True),
        (13, "", True),  # words were taken out before what is found
        (0, "", False),
    ],
)
def test_where_it_is(start: int, span: str, is_there: bool) -> None:
    error = Error(Kind.EXTRINSIC_NUMBER, ErrorType.EXTRINSIC_ENTITY, 0, start, span)
    planted = PlantedClaim(0, 0, "c", "true", "Eels swim in 1913. Frogs sing.", TWIN, error)
    (found,) = recall([planted], Known())
    assert found.of_type.share == 1
    assert found.there.share == is_there


def test_the_interval_draws_claims_together() -> None:
    apart = share([True, False] * 20, list(range(40)), 0)
    together = share([True, False] * 20, [at // 2 for at in range(40)], 0)
    assert apart.low < apart.share < apart.high
    assert together.low == together.high == 0.5
