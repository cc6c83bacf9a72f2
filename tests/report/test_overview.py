"""Costs, models and the list of claims of a run."""

from pathlib import Path

from lxml import html  # type: ignore[import-untyped]
from msgspec.structs import replace

from src.evaluation.averitec import ClaimScore
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.records import Level, Verdict
from src.report.overview import costs, list_page, listed, model_names
from src.report.run import Run
from tests.report.runs import claim, prediction


def test_without_manifests_there_are_no_costs() -> None:
    assert costs([]) is None


def test_models_are_named_however_deep_they_stand() -> None:
    adapted = {"name": "small", "details": {"adapter": "pretrained_models/adapters/asks"}}
    assert model_names(adapted) == ["small with asks"]
    assert model_names({"encoder": {"name": "words", "details": {}}, "hypothetical": None}) == ["words"]
    assert model_names([adapted, {"name": "big", "details": None}]) == ["small with asks", "big"]
    assert model_names(None) == []


S, R, N, C = Verdict
FOUND = Finding(0, 0, ErrorType.EXTRINSIC_ENTITY, "Nils", "is not in the evidence")


def test_a_row_holds_verdict_label_score_findings_and_failure() -> None:
    explanations = {n: ExplainedClaim(n, "c", "Refuted", explanation="Eels swim.") for n in (0, 1)}
    run = Run("run", Path(), [prediction(n, R) for n in range(3)], {n: claim(n, S if n else R) for n in range(3)},
              explanations=explanations, findings={0: [FOUND], 1: []})  # fmt: skip
    rows = listed(run, {0: ClaimScore(R, R, 0.1, 0.25, [])}, {2})
    assert [(row.gold, row.is_right, row.score, row.findings, row.has_failed) for row in rows] == [
        ("Refuted", True, 0.25, 1, False), ("Supported", False, None, 0, False), ("Supported", False, None, None, True),
    ]  # fmt: skip


def test_a_claim_without_a_label_is_neither_right_nor_wrong() -> None:
    (row,) = listed(Run("run", Path(), [prediction(0)]), {}, set())
    assert (row.gold, row.is_right, row.types, row.findings) == (None, None, (), None)


def test_only_firm_verdicts_and_those_without_a_level_have_their_color() -> None:
    predictions = [replace(prediction(n), level=level) for n, level in enumerate((*Level, None))]
    rows = listed(Run("run", Path(), predictions), {}, set())
    assert [row.level for row in rows] == [*Level, None]
    page = html.document_fromstring(list_page("run", rows, ()))
    cells = page.xpath("//td[@data-told='verdict']")
    assert [one.text_content() for one in cells] == [
        "Refuted firm", "Leaning to Refuted", "Undecided likeliest: Refuted", "Refuted",
    ]  # fmt: skip
    assert [one.xpath("./span/@class")[0] for one in cells] == [
        "verdict refuted", "verdict open", "verdict open", "verdict refuted",
    ]  # fmt: skip
    assert page.xpath("//tbody/tr/@data-level") == [*Level]
    assert page.xpath("//select[@name='level']/option/@value") == ["", *Level]


def test_without_levels_there_is_no_filter_by_level() -> None:
    page = list_page("run", listed(Run("run", Path(), [prediction(0)]), {}, set()), ())
    assert not html.document_fromstring(page).xpath("//select[@name='level'] | //tr[@data-level]")
