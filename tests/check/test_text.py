"""What people read of a checked claim."""

from datetime import UTC, datetime

import msgspec
import pytest
from lxml import html  # type: ignore[import-untyped]

from src.check.records import CheckedClaim, Decisive, Reliance, Strategy, VerdictWithout
from src.check.reliance import CAUTION, reliance
from src.check.text import WIDTH, described
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.records import VERDICTS, Claim, Level, OverruledBy, Prediction, QAPair, Side, Verdict
from src.report.claim_page import claim_page, view_of_check
from src.retrieval.scraping.page_log import PageLog
from src.stance.records import Stance

PAIRS = [QAPair(f"Does eel {n} swim?", "It swims, " * 20 + str(n), f"https://a.example/{n}") for n in (1, 2, 3)]
CHANCES = dict(zip(VERDICTS, (0.2, 0.71, 0.05, 0.04), strict=True))


def checked(decisive: Decisive = Decisive(), pairs: list[QAPair] = PAIRS) -> CheckedClaim:  # noqa: B008
    return CheckedClaim(
        Claim("Eels swim.", 0, claim_date="1-2-2020", speaker="Ann"),
        Strategy.QUESTIONS,
        datetime(2026, 2, 1, 12, 30, tzinfo=UTC),
        Prediction(0, "Eels swim.", pairs, Verdict.REFUTED, CHANCES),
        ExplainedClaim(0, "Eels swim.", "Refuted", pairs, explanation="It swims. It is refuted.", cites=[[1], [2]]),
        decisive,
        pages=[
            PageLog(row=0, url="https://a.example/1", sentences=3, date="2020-01-30"),
            PageLog(row=1, url="https://b.example/", reason="404 Not Found"),
        ],
        seconds={"pages": 1.26, "total": 4.0},
        notes=["search: the quota is used up"],
    )


def test_verdict_reason_evidence_pages_and_seconds_stand_there() -> None:
    lines = described(checked()).split("\n")
    assert lines[:2] == ["Claim", "    Eels swim. (Ann, 1-2-2020)"]
    assert "    Refuted" in lines
    assert "    Supported 20%, Refuted 71%, Not Enough Evidence 5%, Conflicting Evidence/Cherrypicking 4%" in lines
    assert "    It swims. [1] It is refuted. [2]" in lines
    assert "    [3] Does eel 3 swim?" in lines
    assert "        https://a.example/1 (2020-01-30)" in lines
    assert "        https://a.example/3" in lines
    assert "    1 of 2 pages read, 3 sentences" in lines
    assert "    1 not: 404 Not Found (https://b.example/)" in lines
    assert "    search: the quota is used up" in lines
    assert "    pages 1.3; total 4.0, start of Python not counted" in lines
    assert max(map(len, lines)) <= WIDTH
    assert "Warnings of the checks" not in lines


def test_a_verdict_without_probabilities_was_not_measured_either() -> None:
    result = checked()
    result.prediction.probabilities = None
    assert [*reliance(result.prediction, None)] == ["How often verdicts of this model are right was not measured."]
    (section,) = html.fromstring(claim_page(view_of_check(result))).xpath("//*[@aria-labelledby='probabilities']")
    assert " ".join(section.text_content().split()) == (
        "Reliability How often verdicts of this model are right was not measured."
    )


def test_the_caution_stands_once_on_a_page() -> None:
    result = checked()
    result.notes.append(CAUTION)
    assert f"    {CAUTION}" in described(result).split("\n")
    assert view_of_check(result).notes == ("search: the quota is used up",)
    assert "models that err" in claim_page(view_of_check(result))


def leveled(level: Level) -> CheckedClaim:
    result = checked()
    result.prediction.level = level
    result.prediction.verdict_set = [Verdict.REFUTED, Verdict.SUPPORTED]
    result.reliance = Reliance(400, 0.85, 0.9, 124)
    result.stances = [Stance(Side.FOR, 0.9, 0.0), Stance(Side.REPEATS, 0.9, 0.0), Stance(Side.AGAINST, 0.0, 0.9)]
    return result


def test_how_far_to_rely_on_a_verdict() -> None:
    text = described(leveled(Level.FIRM))
    words = " ".join(text.split())
    assert "    Refuted (firm)\n" in text
    assert "Of 400 held-out claims 124 had the level firm; 85% of their verdicts were right." in words
    assert "The limits were chosen on the same claims; on claims of another kind fewer are." in words
    assert "Not ruled out: Refuted or Supported (chosen so that 90% of held-out claims" in words
    assert "claims keep their right verdict; of other kinds fewer do)." in words
    assert "    [1] (for) Does eel 1 swim?" in text
    assert "    [2] (repeats the claim) Does eel 2 swim?" in text


def test_a_leaning_verdict_is_called_so() -> None:
    assert "Verdict\n    Leaning to Refuted\n" in described(leveled(Level.LEANING))


def test_a_claim_that_no_evidence_names_says_what_to_look_for() -> None:
    result = leveled(Level.UNDECIDED)
    result.prediction.unnamed = "Anton Weiss"
    text = described(result)
    assert "Verdict\n    Undecided: no evidence names Anton Weiss\n" in text
    assert "Look for pages about Anton Weiss." in " ".join(text.split())
    assert "held-out claims" not in text
    page = html.document_fromstring(claim_page(view_of_check(result)))
    assert "no evidence names Anton Weiss" in page.xpath("string(//article/div[1])")


def test_an_undecided_claim_has_no_verdict() -> None:
    text = described(leveled(Level.UNDECIDED))
    assert "Verdict\n    Undecided: the models here cannot tell\n" in text
    assert "What would change it" not in text
    assert "85% of their likeliest verdicts were right." in " ".join(text.split())


def test_evidence_of_an_undecided_claim_stands_by_its_side() -> None:
    result = checked()
    result.prediction.level = Level.UNDECIDED
    result.stances = [Stance(Side.AGAINST, 0.1, 0.8), Stance(Side.NEITHER, 0.1, 0.1), Stance(Side.FOR, 0.9, 0.0)]
    lines = described(result).split("\n")
    places = [
        next(place for place, line in enumerate(lines) if line.startswith(begin))
        for begin in (
            "Evidence for", "    [3] (for)", "Evidence against", "    [1] (against)", "Evidence on neither", "    [2]"
        )
    ]  # fmt: skip
    assert places == sorted(places)


def test_a_claim_without_evidence_has_a_line_that_says_so() -> None:
    result = checked(pairs=[])
    result.prediction.level, result.prediction.probabilities = Level.UNDECIDED, None
    lines = described(result).split("\n")
    assert lines[3:7] == ["Verdict", "    Undecided: no evidence was found", "    (by rule: there is no evidence)", ""]


def test_numbers_that_are_not_known_are_left_out() -> None:
    result = leveled(Level.FIRM)
    rare = "Not Enough Evidence is seldom recognized, and may be right all the same."
    assert list(reliance(result.prediction, None)) == ["Not ruled out: Refuted or Supported.", rare]
    older = list(reliance(result.prediction, Reliance(400, 0.85, 0.9)))
    assert [one.partition(":")[0] for one in older] == ["Not ruled out", rare]
    result.prediction.verdict_set = [Verdict.NOT_ENOUGH_EVIDENCE]
    assert list(reliance(result.prediction, None)) == ["Not ruled out: Not Enough Evidence."]


def test_missing_measurements_are_named() -> None:
    assert "How often verdicts of this model are right was not measured." in described(checked())
    assert "calibrated" not in described(checked())


@pytest.mark.parametrize(
    ("overruled_by", "sentence"),
    [
        (OverruledBy.REASONING, "The model's scores name another verdict than its reasoning."),
        (OverruledBy.BIASES, "The verdict is not the most probable one: rare verdicts have a head start, fitted on "
                             "held-out claims."),
        (None, "The verdict is not the most probable one."),
    ],
)  # fmt: skip
def test_why_the_verdict_is_not_the_most_probable_one(overruled_by: OverruledBy | None, sentence: str) -> None:
    result = checked()
    result.prediction.pred_label, result.prediction.overruled_by = Verdict.SUPPORTED, overruled_by
    assert list(reliance(result.prediction, None))[1:] == [sentence]
    assert sentence in " ".join(described(result).split())
    assert sentence in " ".join(html.document_fromstring(claim_page(view_of_check(result))).text_content().split())
    result.prediction.pred_label = Verdict.REFUTED
    assert len(list(reliance(result.prediction, None))) == 1


def test_findings_are_warnings() -> None:
    result = checked()
    result.findings = [Finding(0, 0, ErrorType.INTRINSIC_ENTITY, "eel", "not in the evidence", 1)]
    assert f"    {ErrorType.INTRINSIC_ENTITY.full_name}: 'eel': not in the evidence" in described(result).split("\n")


def test_the_record_is_read_back_from_json() -> None:
    record = checked(Decisive((VerdictWithout((1,), Verdict.REFUTED, 0.6),), None))
    assert msgspec.json.decode(msgspec.json.encode(record), type=CheckedClaim) == record
