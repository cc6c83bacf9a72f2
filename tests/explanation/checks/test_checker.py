"""What the checks find in an explanation, and what they let pass."""

import pytest

from src.explanation.checks.checker import Checker, checker
from src.explanation.records import ExplainedClaim
from src.records import QAPair, Verdict

EVIDENCE = [
    QAPair("Who built the mill in Lund?", "The mill was built by Ada Moor in 1912 for 3,000 crowns."),
    QAPair("Who runs it?", "The World Health Organization rented it in March 1950. Carl Berg visited Oslo."),
]


@pytest.fixture(scope="module")
def check() -> Checker:
    return checker()


def found(check: Checker, text: str, label: str = Verdict.REFUTED) -> list[tuple[str, str]]:
    claim = ExplainedClaim(4, "The mill of Lund was built by Carl Berg.", label, EVIDENCE, explanation=text)
    (findings,) = check.check([claim])
    return [(one.type.value, one.span) for one in findings]


@pytest.mark.parametrize(
    "text",
    [
        "The mill was built by Ada Moor in 1912, so the claim is refuted.",
        "According to Q&A 2, Ada Moor's mill cost three thousand crowns.",
        "The WHO rented it, as the seventh and eighth answers say. All of the evidence agrees.",
        "The claim is not supported.",
        "Ada Moore built it.",
        "It was rented in March 1950 by the World Health Organization.",
        "",
    ],
)
def test_what_is_told_passes(check: Checker, text: str) -> None:
    assert found(check, text) == []


@pytest.mark.parametrize(
    ("text", "type_", "span"),
    [
        ("The mill was built by Nils Falk.", "EE", "Nils Falk"),
        ("It was built in 1913.", "EE", "1913"),
        ("It was built by Ada Berg.", "IE", "Ada Berg"),
        ("It was rented in June 1950.", "EE", "June"),
        ("It cost 3,000 dollars.", "EE", "3,000"),
        ("She built all mills of Lund.", "OG", "all"),
        ("So the claim is supported.", "RC", "the claim is supported"),
    ],
)
def test_what_is_not_told_is_found(check: Checker, text: str, type_: str, span: str) -> None:
    assert found(check, text) == [(type_, span)]


def test_findings_name_claim_and_sentence(check: Checker) -> None:
    claim = ExplainedClaim(4, "Eels fly.", "false", source="Eels swim.", explanation="Eels swim. It was 1913.")
    ((finding,),) = check.check([claim])
    assert (finding.claim_id, finding.sentence, finding.evidence_id) == (4, 1, None)


def test_an_intrinsic_finding_names_the_evidence_that_it_misstates(check: Checker) -> None:
    text = "The mill was built in 1912. It was rented by Ada Berg."
    claim = ExplainedClaim(4, "The mill of Lund is old.", Verdict.REFUTED, EVIDENCE, explanation=text)
    ((finding,),) = check.check([claim])
    assert (finding.type.value, finding.span, finding.evidence_id) == ("IE", "Ada Berg", 2)


@pytest.mark.parametrize(
    ("text", "label", "flagged"),
    [
        ("So the claim is not supported.", Verdict.SUPPORTED, True),
        ("The claim that eels swim is false.", Verdict.SUPPORTED, True),
        ("The claim isn't false.", Verdict.REFUTED, True),
        ("The claim is not supported.", Verdict.REFUTED, False),
        ("There is no evidence that the claim is true, so the claim is refuted.", Verdict.REFUTED, False),
        ("It is open whether the claim is true.", Verdict.NOT_ENOUGH_EVIDENCE, False),
    ],
)
def test_the_verdict_is_read_with_its_denials(check: Checker, text: str, label: str, flagged: bool) -> None:
    assert [type_ for type_, _ in found(check, text, label)] == (["RC"] if flagged else [])


def test_numbers_behind_an_article_and_rounded_ones(check: Checker) -> None:
    assert found(check, "It was a 95 percent rise.") == [("EE", "95")]
    source, told = "There were 4,512,345 people.", "About 4.5 million people."
    claim = ExplainedClaim(0, "c", "false", source=source, explanation=told)
    assert check.check([claim]) == [[]]


def test_of_a_copy_only_its_verdict_is_looked_at_unless_more_is_asked_for(check: Checker) -> None:
    source = "The World Health Organization rented it. The claim is true."
    claim = ExplainedClaim(4, "It burnt.", "false", source=source, explanation=source)
    (found,) = check.check([claim])
    assert [(one.sentence, one.type.value) for one in found] == [(1, "RC")]
    assert check.with_copies().check([claim]) == [found]


def test_without_a_tagger_all_that_words_tell_stands(check: Checker) -> None:
    text = "The senate of Ohio passed a budget with large cuts yesterday."
    claim = ExplainedClaim(4, "Eels fly.", "false", source="Eels swim.", explanation=text)
    assert {one.type.value for one in check.check([claim])[0]} == {"EE", "IR"}
