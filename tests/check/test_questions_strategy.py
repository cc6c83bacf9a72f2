"""What the strategy by questions says of levels, with scripted verdicts."""

from collections.abc import Sequence

from msgspec.structs import replace

from src.check.decisive import decisive_evidence
from src.check.questions_strategy import _reliance, _without
from src.check.records import Reliance, VerdictWithout
from src.check.run_context import RunContext
from src.models.veracity import Judgment
from src.prediction.verdicts import judge
from src.records import VERDICTS, Evidence, Level, QAPair, Verdict
from src.stance.levels import Levels, Limits
from src.stance.readings import Readings
from src.stance.stacker import StackedVerdict
from tests.stance.scripted import INFO, ScriptedJoint, reader
from tests.stance.test_stacker import stacker

CLAIM = Evidence(0, "Eels swim.", [QAPair("Do eels swim?", text) for text in ("No.", "No, never.", "A river.")])
LEVELS = Levels(
    {Verdict.REFUTED: Limits(0.9, 0.6)}, least=0.05, alpha=0.1, claims=902,
    precision={Level.UNDECIDED: 0.375}, share={Level.FIRM: 0.0, Level.UNDECIDED: 0.4978},
)  # fmt: skip
WATCH = RunContext(lambda _: None, lambda: False)


class Counting:
    """Always Refuted: firm by two pieces or more that deny the claim, undecided by fewer."""

    info = INFO

    def judge(self, claims: Sequence[Evidence]) -> list[Judgment]:
        return [self._one(sum(pair.answer.startswith("No") for pair in claim.evidence)) for claim in claims]

    def _one(self, denials: int) -> Judgment:
        chance = 0.95 if denials > 1 else 0.4
        chances = dict.fromkeys(VERDICTS, (1 - chance) / 3) | {Verdict.REFUTED: chance}
        return Judgment(Verdict.REFUTED, chances, level=Level.FIRM if denials > 1 else Level.UNDECIDED)


def test_a_verdict_without_a_piece_has_its_level() -> None:
    model = Counting()
    (judged,) = judge(model, [CLAIM])
    verdicts = _without(model, judged.record, WATCH, [(1,), (3,), (1, 2, 3)])
    assert verdicts == [
        VerdictWithout((1,), Verdict.REFUTED, 0.4, Level.UNDECIDED),
        VerdictWithout((3,), Verdict.REFUTED, 0.95, Level.FIRM),
        VerdictWithout((1, 2, 3), Verdict.NOT_ENOUGH_EVIDENCE),
    ]
    decisive = decisive_evidence(3, Verdict.REFUTED, lambda sets: _without(model, judged.record, WATCH, sets))
    assert decisive.smallest == VerdictWithout((1,), Verdict.REFUTED, 0.4, Level.UNDECIDED)


def test_reliance_counts_the_held_out_claims_of_the_level() -> None:
    model = StackedVerdict(replace(stacker(), levels=LEVELS), Readings([ScriptedJoint()]), reader()[0])
    (judged,) = judge(model, [CLAIM])
    reliances = {level: _reliance(model, replace(judged.record, level=level)) for level in Level}
    assert reliances == {
        Level.FIRM: Reliance(902, None, 0.9, 0),
        Level.LEANING: Reliance(902, None, 0.9, None),
        Level.UNDECIDED: Reliance(902, 0.375, 0.9, 449),
    }
    assert _reliance(Counting(), judged.record) is None
