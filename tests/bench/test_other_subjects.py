"""`bench.other_subjects`: the invented name, and the level without the rule."""

from bench.other_subjects import INVENTED, level_without_rule, renamed_evidence
from src.records import VERDICTS, Evidence, Level, Prediction, QAPair, Verdict
from src.stance.levels import Levels, Limits

PAIRS = [QAPair("", "Anton Weiss retired in 1987.", "https://a.example/")]
LEVELS = Levels({Verdict.REFUTED: Limits(0.9, 0.6)}, least=0.05, alpha=0.1, claims=100)
CHANCES = dict(zip(VERDICTS, (0.1, 0.7, 0.1, 0.1), strict=True))


def test_the_first_person_gets_an_invented_name_and_the_passages_stay() -> None:
    renamed = renamed_evidence(Evidence(0, "In 1987 Anton Weiss left. Anton Weiss's wife stayed.", PAIRS), 1)
    assert renamed is not None
    assert renamed.claim == f"In 1987 {INVENTED[1]} left. {INVENTED[1]}'s wife stayed."
    assert renamed.evidence == PAIRS


def test_a_claim_without_a_person_is_left_out() -> None:
    assert renamed_evidence(Evidence(0, "Eels swim in rivers.", PAIRS), 0) is None


def test_without_the_rule_a_level_follows_from_the_probabilities() -> None:
    capped = Prediction(0, "c", PAIRS, Verdict.REFUTED, CHANCES, level=Level.UNDECIDED, unnamed="Anton Weiss")
    plain = Prediction(0, "c", PAIRS, Verdict.REFUTED, CHANCES, level=Level.UNDECIDED)
    assert level_without_rule(capped, LEVELS) is Level.LEANING
    assert level_without_rule(plain, LEVELS) is Level.UNDECIDED
