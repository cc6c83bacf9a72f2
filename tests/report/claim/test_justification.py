"""A justification with its evidence, its findings and what a debate changed."""

from src.explanation.debate.records import Debate, Stop
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.report.claim_view import Change, Part, debated, said

TEXT = "Eels swim to Lund. They never sleep."


def explained(text: str = TEXT, debate: Debate | None = None) -> ExplainedClaim:
    return ExplainedClaim(0, "c", "Refuted", explanation=text, cites=[[1], [2, 3]], debate=debate)


def finding(sentence: int, span: str) -> Finding:
    return Finding(0, sentence, ErrorType.EXTRINSIC_ENTITY, span, "unknown")


def test_each_sentence_has_its_evidence() -> None:
    found = said(explained(), [])
    assert [one.parts for one in found] == [(Part("Eels swim to Lund."),), (Part("They never sleep."),)]
    assert [one.cites for one in found] == [(1,), (2, 3)]


def test_findings_mark_their_words_and_nothing_is_lost() -> None:
    first, second = said(explained(), [finding(0, "swim to Lund"), finding(0, "Lund"), finding(1, "never")])
    assert first.parts == (Part("Eels "), Part("swim to ", (1,)), Part("Lund", (1, 2)), Part("."))
    assert second.parts == (Part("They "), Part("never", (3,)), Part(" sleep."))


def test_a_finding_whose_words_are_not_there_marks_the_whole_sentence() -> None:
    found = said(explained(), [finding(1, "Paris")])
    assert found[1].parts == (Part("They never sleep.", (1,)),)


def test_without_an_explanation_nothing_is_said() -> None:
    assert said(explained(""), [finding(0, "Lund")]) == ()


def test_changes_of_a_debate_put_together_give_both_texts() -> None:
    debate = Debate(Stop.AGREED, 1, 4, 0, True, [], draft="Eels fly to Lund. They sleep.")
    view = debated(explained(TEXT, debate))
    assert view is not None
    assert Change(removed="fly", added="swim") in view.changes
    old = " ".join(part for one in view.changes for part in (one.kept or one.removed,) if part)
    new = " ".join(part for one in view.changes for part in (one.kept or one.added,) if part)
    assert (old, new) == (debate.draft, TEXT)


def test_without_a_debate_there_is_none() -> None:
    assert debated(explained()) is None
