"""The texts that a sentence may be based on, and the findings of the lexical rules."""

import pytest

from src.explanation.checks.checker import Checker, checker
from src.explanation.checks.grounds import MOST_PIECES, Grounds, premise
from src.explanation.checks.rules import in_figures, irrelevant, mentions, unknown_dates, wider_quantifiers
from src.explanation.records import ExplainedClaim
from src.records import QAPair, Verdict

EELS = ExplainedClaim(
    0, "Eels fly.", "false",
    [QAPair("Do eels fly?", "It is untrue that eels fly. They swim, mostly at night."), QAPair("Where?", "In Oslo")],
    claim_date="2020-10-31", speaker="Ada Moor",
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "is_copy"),
    [
        ("They swim, mostly at night.", True),
        ("they swim mostly at night", True),
        ("In Oslo.", True),
        ("They swim, mostly at night; so the claim is false.", True),
        ("They swim, mostly at night; so the claim is true.", False),  # the label is another
        ("So the claim is false.", False),
        ("Eels fly.", False),  # a part of the evidence that says the opposite
        ("They swim.", False),
        ("It is untrue that eels fly. They swim, mostly at night.", True),
        ("", False),
        ("...", False),
    ],
)
def test_a_copy_is_a_whole_sentence(sentence: str, is_copy: bool) -> None:
    assert Grounds.of(EELS).has_sentence(sentence) is is_copy


def test_speaker_and_date_count_as_source() -> None:
    text = Grounds.of(EELS).text
    assert "Ada Moor" in text
    assert "2020 10 31" in text
    assert premise("Eels swim.", Grounds.of(EELS))[0] == ("claim Ada Moor 2020-10-31", "Eels fly.")


def test_many_pieces_are_read_as_few() -> None:
    many = ExplainedClaim(0, "Eels fly.", "false", source="\n".join(f"Eel {number} swims." for number in range(20)))
    read = premise("Eel 3 swims.", Grounds.of(many))
    assert len(read) == MOST_PIECES + 2
    assert all(f"Eel {number} swims." in " ".join(text for _, text in read) for number in range(20))


@pytest.mark.parametrize(
    ("sentence", "spans"),
    [
        ("Eels always swim.", ["always"]),
        ("All eels swim everywhere.", ["All", "everywhere"]),
        ("All of the evidence says so.", []),
        ("Nothing that was found bears on it.", []),
        ("It was never the case, at no time.", ["never"]),
        ("They swim, mostly at night.", []),
    ],
)
def test_one_finding_for_each_kind_of_wide_word(sentence: str, spans: list[str]) -> None:
    words = [one.span for one in wider_quantifiers(sentence, 0, Grounds.of(EELS))]
    assert sorted(words) == sorted(spans)


@pytest.mark.parametrize(
    ("sentence", "is_found"),
    [
        ("The senate of Ohio passed a budget with large cuts yesterday.", True),
        ("The senate passed it.", False),  # too short to tell
        ("The claim was made before the senate of Ohio passed a budget.", False),  # it speaks of the claim
        ("Eels swim at night in Oslo, where they live.", False),
    ],
)
def test_a_sentence_that_shares_nothing_is_beside_the_point(sentence: str, is_found: bool) -> None:
    assert bool(list(irrelevant(sentence, 3, Grounds.of(EELS)))) is is_found


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 5 June 1990", [((6, 5),)]),
        ("June 5th, 1990", [((6, 5),)]),
        ("the 5th of Sept.", [((9, 5),)]),
        ("1990-06-05", [((6, 5),)]),
        ("5/6/1990", [((5, 6), (6, 5))]),
        ("25.6.1990", [((6, 25),)]),
        ("in May 2020 they may march", [((5, 0),)]),
        ("from June to August", [((6, 0),), ((8, 0),)]),
        ("may 3 eels decide 5 things in version 1.2.3?", []),
        ("99/99/1990", []),
    ],
)
def test_mentions(text: str, days: list[tuple[tuple[int, int], ...]]) -> None:
    assert [one.days for one in mentions(text)] == days


def test_places_of_figures() -> None:
    assert in_figures("It was 1990-06-05, not 1991-99-99.") == [(7, 17)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It burnt on 5 June 1990.", []),
        ("It burnt on June 5th.", []),
        ("It burnt on 1990-06-05.", []),
        ("It burnt on 6/5/1990, a Friday.", []),
        ("It burnt on 5 July 1990.", [("EE", "5 July")]),
        ("It burnt in August.", [("EE", "August")]),
        ("It burnt on 9 June 1990.", [("IE", "9 June")]),
        ("It burnt on 8 June 1990.", []),  # an untold number, which another check finds
        ("It burnt on a Monday.", [("EE", "Monday")]),
        ("It burnt on 1990-06-08.", [("EE", "1990-06-08")]),
        ("It burnt on 1991-06-05.", [("EE", "1991-06-05")]),
        ("It burnt on 5.6.1991.", [("EE", "5.6.1991")]),
        ("It burnt on 1990-06-09.", [("IE", "1990-06-09")]),
    ],
)
def test_unknown_dates(text: str, expected: list[tuple[str, str]]) -> None:
    source = "The mill burnt on Friday, 5 June 1990. It was new on 9 October."
    grounds = Grounds.of(ExplainedClaim(1, "The mill burnt.", "true", source=source))
    assert [(one.type.value, one.span) for one in unknown_dates(text, 0, grounds)] == expected


def test_a_month_alone_in_the_source_is_known() -> None:
    for month in ("September", "Sept", "May", "February"):
        grounds = Grounds.of(ExplainedClaim(1, "He left.", "true", source=f"{month} was when he left."))
        assert list(unknown_dates(f"He left in {month}.", 0, grounds)) == []


EVIDENCE = [
    QAPair("Who built the mill in Lund?", "The mill was built by Ada Moor in 1912 for 3,000 crowns."),
    QAPair("Who runs it?", "The World Health Organization rented it in March 1950. Carl Berg visited Oslo."),
]


@pytest.fixture(scope="module")
def check() -> Checker:
    return checker()


def findings_of(check: Checker, text: str, label: str = Verdict.REFUTED) -> list[tuple[str, str]]:
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
def test_a_faithful_sentence_has_no_finding(check: Checker, text: str) -> None:
    assert findings_of(check, text) == []


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
def test_an_unfaithful_sentence_has_a_finding(check: Checker, text: str, type_: str, span: str) -> None:
    assert findings_of(check, text) == [(type_, span)]


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
    assert [type_ for type_, _ in findings_of(check, text, label)] == (["RC"] if flagged else [])


def test_numbers_behind_an_article_and_rounded_ones(check: Checker) -> None:
    assert findings_of(check, "It was a 95 percent rise.") == [("EE", "95")]
    source, expected = "There were 4,512,345 people.", "About 4.5 million people."
    claim = ExplainedClaim(0, "c", "false", source=source, explanation=expected)
    assert check.check([claim]) == [[]]


def test_of_a_copied_sentence_only_the_verdict_is_checked_by_default(check: Checker) -> None:
    source = "The World Health Organization rented it. The claim is true."
    claim = ExplainedClaim(4, "It burnt.", "false", source=source, explanation=source)
    (findings,) = check.check([claim])
    assert [(one.sentence, one.type.value) for one in findings] == [(1, "RC")]
    assert check.with_copies().check([claim]) == [findings]


def test_without_a_tagger_all_lexical_findings_are_kept(check: Checker) -> None:
    text = "The senate of Ohio passed a budget with large cuts yesterday."
    claim = ExplainedClaim(4, "Eels fly.", "false", source="Eels swim.", explanation=text)
    assert {one.type.value for one in check.check([claim])[0]} == {"EE", "IR"}
