"""METEOR of explanations against gold justifications, and the published fallback as its baseline."""

from pathlib import Path

import pytest
from nltk.tokenize import word_tokenize
from nltk.translate.meteor_score import single_meteor_score

from src.errors import InputError
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.justifications import against_gold
from src.records import Answer, Claim, QAPair, Question, Verdict

GOLD = {
    0: Claim("Eels fly.", 0, Verdict.REFUTED, "Eels swim in rivers.", questions=[
        Question("Where do eels live?", [Answer("In rivers.")])]),
    1: Claim("Owls hunt.", 1, Verdict.SUPPORTED, "A study saw owls hunt mice.", questions=[
        Question("What do owls eat?", [Answer("Mice.")])]),
    2: Claim("Bees sing.", 2, Verdict.REFUTED, " "),
}  # fmt: skip
FILE = Path("gold.json")


def explained(claim_id: int, text: str, *pairs: tuple[str, str]) -> ExplainedClaim:
    evidence = [QAPair(*pair) for pair in pairs]
    return ExplainedClaim(claim_id, GOLD[claim_id].claim, "Refuted", evidence, explanation=text)


def published(gold: str, explanation: str) -> float:
    return float(single_meteor_score(word_tokenize(gold), word_tokenize(explanation)))


def test_the_mean_the_levels_and_the_floor() -> None:
    claims = [
        explained(0, "Eels swim.", ("Where do eels live?", "In rivers.")),
        explained(1, "Owls hunt mice.", ("Who knows?", "Nobody does.")),
        explained(2, "Bees hum."),
    ]
    result = against_gold([claims], GOLD, FILE, 0)
    assert (result.claims, result.without) == (2, 1)
    (one,) = result.methods
    texts = [("Eels swim in rivers.", "Eels swim."), ("A study saw owls hunt mice.", "Owls hunt mice.")]
    scores = [published(*both) for both in texts]
    assert one.meteor.value == pytest.approx(sum(scores) / 2)
    assert one.levels["0.5"] == pytest.approx(scores[0] / 2)  # the second claim's evidence is not that of gold
    baseline = published("Eels swim in rivers.", "Where do eels live? In rivers.")
    assert one.baseline_levels["0.5"] == pytest.approx(baseline / 2)
    assert one.over_baseline.to_first is not None
    assert one.over_baseline.to_first.value == pytest.approx(one.meteor.value - one.baseline)


def test_ten_pairs_count() -> None:
    others = [("Why?", "Because.")] * 10
    claims = [explained(0, "Eels swim.", *others, ("Where do eels live?", "In rivers."))]
    (one,) = against_gold([claims], GOLD, FILE, 0).methods
    assert one.levels["0.5"] == 0.0
    assert one.baseline == pytest.approx(published("Eels swim in rivers.", " ".join(["Why? Because."] * 10)))


def test_another_claim_or_no_justification_is_refused() -> None:
    other = ExplainedClaim(0, "Eels sing.", "Refuted", explanation="No.")
    with pytest.raises(InputError, match=r"gold\.json: claim 0 is another one"):
        against_gold([[other]], GOLD, FILE, 0)
    with pytest.raises(InputError, match=r"gold\.json: has a justification for none"):
        against_gold([[explained(2, "Bees hum.")]], GOLD, FILE, 0)
