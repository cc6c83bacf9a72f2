"""The page of a claim: matched evidence, marked findings, and that no text of a web page runs."""

import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from lxml import html  # type: ignore[import-untyped]
from msgspec.structs import replace

from src.check.records import Decisive, VerdictWithout
from src.evaluation.averitec import ClaimScore, Gold, Guess, score
from src.explanation.records import Debate, ExplainedClaim, Finding, Remark, Stop, Turn
from src.explanation.typology import ErrorType
from src.programs.drawing import DrawnClaim, DrawnProgram, Node
from src.programs.records import StepEvidence
from src.records import (
    Answer,
    AnswerType,
    ChosenSentence,
    Claim,
    Level,
    QAPair,
    Question,
    Reason,
    Sentence,
    Side,
    Verdict,
)
from src.report.claim_page import SCRIPT, claim_page
from src.report.claim_view import (
    Change,
    ClaimView,
    DebateView,
    JustificationSentence,
    Pair,
    Part,
    Retrieved,
    debated,
    gold_pairs_of,
    justification_of,
    matched,
    pairs_of,
    retrieved,
)
from src.report.rendering import TEMPLATES, Link, digest, path
from src.retrieval.scraping.page_log import PageLog
from src.runner.output import Failure

EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
JS = "javascript:alert(3)"


def view(text: str = "Eels swim.", url: str = "https://eels.example/a?b=1&c=2") -> ClaimView:
    """Everything that a page may show, with this text and this address everywhere."""
    claim = Claim(text, 3, Verdict.REFUTED, text, "1-2-2020", text, claim_types=[text])
    turns = [
        Turn("debater_1", 0, text, [Remark(text, ErrorType.EXTRINSIC_EVENT, text, text)]),
        Turn("debater_2", 0, text, []),
        Turn("judge", 0, text, agreed=True),
        Turn("refiner", 1, text),
        Turn("refiner", 2, None),
    ]
    debate = Debate(Stop.AGREED, 1, 5, 0, True, turns, draft=text, kept_back=text)
    node = Node(text, True, (StepEvidence(text, url, 1.0),), (Node(text),))
    return ClaimView(
        claim=claim,
        verdict=Verdict.SUPPORTED,
        probabilities=((Verdict.SUPPORTED, 0.25), (Verdict.REFUTED, 0.75)),
        pairs=(Pair(1, text, text, url, 1, 0.5), Pair(2, text, text)),
        gold=(Pair(1, text, text, url, 1, 0.5),),
        score=ClaimScore(Verdict.REFUTED, Verdict.SUPPORTED, 0.25, 0.5, []),
        justification=(JustificationSentence((Part(text, (1,)), Part(text)), (1, 2)),),
        findings=(Finding(3, 0, ErrorType.IRRELEVANT_EVIDENCE, text, text, 1),),
        change=f"Without [1] and [2] the verdict would be other. {text}",
        decisive=Decisive((VerdictWithout((1,), Verdict.REFUTED, 0.125),), VerdictWithout((1, 2), Verdict.CONFLICTING)),
        retrieved=(Retrieved(1, text, url, text, text, Reason(1.0, 1.0, 7, 1.0, 8), (1,)),),
        programs=DrawnClaim(text, text, (DrawnProgram(text, Node(text, below=(node,)), (text,)),)),
        debate=DebateView(debate, (Change(kept=text), Change(removed=text, added=text))),
        pages=(PageLog(row=0, url=url, reason=text), PageLog(row=1, url=url, sentences=4)),
        checked=f"by questions {text}",
        checked_at=datetime(2026, 2, 1, 12, 30, tzinfo=UTC),
        models=((text, text),),
        dates={url: text},
        seconds=((text, 1.25),),
        archived={url: url},
        summary=text,
        failures=(Failure(3, text, text, text, text),),
        notes=(text,),
    )


AS_READ = "As a small model reads it, often wrongly."


def read(page: str) -> html.HtmlElement:
    return html.document_fromstring(page)


def test_texts_of_scraped_pages_stay_texts() -> None:
    html = read(claim_page(view(EVIL, JS), (Link("index.html", EVIL),)))
    assert [one.text for one in html.xpath("//script")] == [(TEMPLATES / SCRIPT).read_text()]
    assert html.xpath("//img | //iframe | //object | //form") == []
    assert not [name for one in html.iter() for name in one.attrib if name.startswith("on")]
    assert {one.get("href").partition(":")[0] for one in html.xpath("//a[contains(@href, ':')]")} == set()
    assert EVIL in html.xpath("//h1")[0].text_content()
    assert JS in html.text_content()


def test_links_to_sources_open_safely() -> None:
    html = read(claim_page(view()))
    outside = html.xpath("//a[starts-with(@href, 'http')]")
    assert len(outside) >= 6
    for one in outside:
        assert one.get("href") == "https://eels.example/a?b=1&c=2"
        assert {"noopener", "noreferrer", "nofollow"} <= set(one.get("rel").split())
        assert one.get("target") == "_blank"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://a.example/", ""),
        ("https://a.example/news/eels", "/news/eels"),
        ("https://web.archive.org/web/2020/https://a.example/news/eels", "/news/eels"),
        (f"https://a.example/{'e' * 300}", f"/{'e' * 198}…"),
        ("no address at all", ""),
    ],
)
def test_a_link_shows_the_path_of_its_page(url: str, shown: str) -> None:
    assert path(url) == shown


def test_nothing_is_loaded_and_only_the_own_style_may_apply() -> None:
    page = claim_page(view())
    html = read(page)
    assert html.xpath("//@src | //@style") == []
    assert html.xpath("//link/@href") == ["data:,"]
    assert "url(" not in page
    assert "@import" not in page
    (policy,) = html.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert f"script-src '{digest(SCRIPT)}'" in policy
    (script,) = html.xpath("//script")
    assert script.text == (TEMPLATES / SCRIPT).read_text()


def test_every_reference_within_the_page_leads_somewhere() -> None:
    html = read(claim_page(view()))
    wanted = {one.removeprefix("#") for one in html.xpath("//a/@href") if one.startswith("#")}
    assert {"evidence-1", "evidence-2", "gold-1", "finding-1"} <= wanted
    ids = html.xpath("//@id")
    assert wanted <= set(ids)
    assert len(ids) == len(set(ids))


def test_what_is_known_stands_there() -> None:
    text = " ".join(read(claim_page(view())).text_content().split())
    for part in (
        "wrong: the gold verdict is Refuted", "75 %", "METEOR 0.50", "covered to 0.500",
        "Without [1] and [2] the verdict would be other.", "irrelevant evidence", "1 read, 1 not", "Found no error.",
        "The two agree.", "the two agreed after 1 round and 5 calls", "Did not answer.", "decides", "1.2 s",
    ):  # fmt: skip
        assert part in text, part


def test_what_is_not_known_has_no_heading() -> None:
    html = read(claim_page(ClaimView(Claim("Eels swim.", 0), Verdict.NOT_ENOUGH_EVIDENCE)))
    assert [one.text_content() for one in html.xpath("//h2")] == ["Why", "Evidence"]
    assert "gold" not in re.sub(r"\s+", " ", html.xpath("//main")[0].text_content())


def test_headings_go_down_one_level_at_a_time() -> None:
    levels = [int(one.tag[1]) for one in read(claim_page(view())).xpath("//h1 | //h2 | //h3 | //h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_numbers_in_what_would_change_the_verdict_lead_to_the_evidence() -> None:
    (section,) = read(claim_page(view())).xpath("//section[@aria-labelledby='decisive']")
    assert section.xpath("./p/a/@href") == ["#evidence-1", "#evidence-2"]


def test_a_level_stands_beside_its_verdict() -> None:
    html = read(claim_page(replace(view(), level=Level.FIRM, reliance=("Nine of ten were right.",))))
    beside = " ".join(html.xpath("//h1/following-sibling::div")[0].text_content().split())
    assert beside.startswith("Supported firm ")
    assert "Nine of ten were right." in html.text_content()


def test_an_undecided_claim_shows_both_sides_and_no_colored_verdict() -> None:
    pairs = (Pair(1, "a?", "It does.", stance=Side.FOR), Pair(2, "b?", "It does not.", stance=Side.AGAINST),
             Pair(3, "c?", "It does!", stance=Side.REPEATS))  # fmt: skip
    html = read(claim_page(ClaimView(Claim("Eels swim.", 0), Verdict.REFUTED, pairs=pairs, level=Level.UNDECIDED)))
    assert html.xpath("//title")[0].text_content().startswith("Undecided: ")
    assert not html.xpath("//main//*[contains(@class, 'refuted')]")
    sides = {
        one.get("aria-label"): " ".join(one.text_content().split()) for one in html.xpath("//section[@aria-label]")
    }
    assert sides == {
        "For the claim": f"For the claim {AS_READ} a? for It does. Copy evidence 1",
        "Against the claim": f"Against the claim {AS_READ} b? against It does not. Copy evidence 2",
    }
    (rest,) = html.xpath("//section[@aria-labelledby='evidence']")
    assert " ".join(rest.text_content().split()) == "On neither side c? repeats the claim It does! Copy evidence 3"
    assert [one.text_content() for one in html.xpath("//*[@class='question']/span")] == [
        "for", "against", "repeats the claim",
    ]  # fmt: skip


def test_without_stances_no_side_is_shown() -> None:
    pairs = (Pair(1, "a?", "It does."),)
    html = read(claim_page(ClaimView(Claim("Eels swim.", 0), Verdict.REFUTED, pairs=pairs, level=Level.UNDECIDED)))
    assert not html.xpath("//section[@aria-label]")
    assert "For the claim" not in html.text_content()
    assert [one.text_content() for one in html.xpath("//h2")] == ["Why", "Evidence"]


def test_what_a_verdict_would_be_has_its_level() -> None:
    alone = (
        VerdictWithout((1,), Verdict.REFUTED, 0.4, Level.UNDECIDED),
        VerdictWithout((2,), Verdict.REFUTED, 0.6, Level.LEANING),
        VerdictWithout((3,), Verdict.REFUTED, 0.9, Level.FIRM),
        VerdictWithout((4,), Verdict.REFUTED),
    )
    (section,) = read(claim_page(replace(view(), decisive=Decisive(alone)))).xpath("//*[@aria-labelledby='decisive']")
    assert [one.text_content() for one in section.xpath(".//td[2]")] == [
        "Undecided", "Leaning to Refuted", "Refuted firm", "Refuted",
    ]  # fmt: skip
    assert [one.get("class") for one in section.xpath(".//td[2]/span[1]")] == [
        "verdict open", "verdict open", "verdict refuted", "verdict refuted",
    ]  # fmt: skip


def test_a_program_that_did_not_find_the_verdict_is_marked() -> None:
    warning = "The verdict above does not come from it."
    assert warning not in read(claim_page(view())).text_content()
    assert warning in read(claim_page(replace(view(), are_programs_apart=True))).text_content()


CLAIM = Claim(
    "Eels swim to Lund.",
    0,
    Verdict.REFUTED,
    questions=[
        Question("Where do eels swim?", [Answer("To the sea.", source_url="https://sea.example/eels")]),
        Question("Who saw them?", []),
        Question("Do eels fly?", [Answer("No", AnswerType.BOOLEAN, boolean_explanation="They have no wings.")]),
    ],
)


def test_gold_pairs_are_as_many_as_the_score_has_references() -> None:
    gold_pairs = gold_pairs_of(CLAIM)
    assert [one.number for one in gold_pairs] == [1, 2, 3]
    assert [one.answer for one in gold_pairs] == ["To the sea.", "No answer could be found.", "No. They have no wings."]
    assert [one.url for one in gold_pairs] == ["https://sea.example/eels", "", ""]
    assert len(gold_pairs) == len(Gold(CLAIM, Verdict.REFUTED).answers)


def test_pairs_are_matched_one_to_one_so_that_the_sum_is_largest() -> None:
    evidence = [QAPair("Do eels fly?", "No, they have no wings."), QAPair("Where do eels swim?", "To the sea.")]
    pairs, gold = matched(pairs_of(evidence), gold_pairs_of(CLAIM), Gold(CLAIM, Verdict.REFUTED))
    assert [one.partner for one in pairs] == [3, 1]
    assert [one.partner for one in gold] == [2, None, 1]
    assert pairs[1].meteor == gold[0].meteor == pytest.approx(0.9997, abs=0.001)


def test_a_labelled_claim_without_gold_questions_is_matched_with_none() -> None:
    bare = Claim("Eels swim to Lund.", 0, Verdict.REFUTED, questions=[])
    pairs, gold = matched(pairs_of([QAPair("Do eels fly?", "No")]), gold_pairs_of(bare), Gold(bare, Verdict.REFUTED))
    assert [one.partner for one in pairs] == [None]
    assert gold == ()


def test_the_eleventh_pair_is_not_matched_as_it_is_not_scored() -> None:
    evidence = [QAPair("Zebra?", "Xylophone")] * 10 + [QAPair("Where do eels swim?", "To the sea.")]
    pairs, _ = matched(pairs_of(evidence), gold_pairs_of(CLAIM), Gold(CLAIM, Verdict.REFUTED))
    assert pairs[10].partner is None


def test_retrieved_sentences_say_which_pair_they_answer() -> None:
    reason = Reason(1.0, 2.0, 3, 0.5, 4)
    sentences = [
        Sentence("Eels rest.", "https://a.example"),
        ChosenSentence("To  the sea.", "https://b.example", "Before.", "After.", reason),
    ]
    plain, chosen = retrieved(sentences, pairs_of([QAPair("Where?", "To the sea.")]))
    assert (plain.rank, plain.used, plain.reason) == (1, (), None)
    assert (chosen.rank, chosen.used, chosen.before, chosen.after) == (2, (1,), "Before.", "After.")
    assert chosen.reason is reason


@pytest.mark.parametrize("claim_number", [0, 1])
def test_what_is_shown_as_matched_adds_up_to_the_score(claim_number: int) -> None:
    evidence = [QAPair("Do eels fly?", "No."), QAPair("Where do they swim?", "To Lund.")][claim_number:]
    gold = Gold(CLAIM, Verdict.REFUTED)
    pairs, _ = matched(pairs_of(evidence), gold_pairs_of(CLAIM), gold)
    expected = score(gold, Guess(0, Verdict.REFUTED, evidence)).question_answer
    assert sum(one.meteor or 0.0 for one in pairs) / len(gold.answers) == pytest.approx(expected, abs=1e-9)


TEXT = "Eels swim to Lund. They never sleep."


def explained(text: str = TEXT, debate: Debate | None = None) -> ExplainedClaim:
    return ExplainedClaim(0, "c", "Refuted", explanation=text, cites=[[1], [2, 3]], debate=debate)


def finding(sentence: int, span: str) -> Finding:
    return Finding(0, sentence, ErrorType.EXTRINSIC_ENTITY, span, "unknown")


def test_each_sentence_has_its_evidence() -> None:
    result = justification_of(explained(), [])
    assert [one.parts for one in result] == [(Part("Eels swim to Lund."),), (Part("They never sleep."),)]
    assert [one.cites for one in result] == [(1,), (2, 3)]


def test_findings_mark_their_words_and_nothing_is_lost() -> None:
    first, second = justification_of(explained(), [finding(0, "swim to Lund"), finding(0, "Lund"), finding(1, "never")])
    assert first.parts == (Part("Eels "), Part("swim to ", (1,)), Part("Lund", (1, 2)), Part("."))
    assert second.parts == (Part("They "), Part("never", (3,)), Part(" sleep."))


def test_changes_of_a_debate_put_together_give_both_texts() -> None:
    debate = Debate(Stop.AGREED, 1, 4, 0, True, [], draft="Eels fly to Lund. They sleep.")
    view = debated(explained(TEXT, debate))
    assert view is not None
    assert Change(removed="fly", added="swim") in view.changes
    old = " ".join(part for one in view.changes for part in (one.kept or one.removed,) if part)
    new = " ".join(part for one in view.changes for part in (one.kept or one.added,) if part)
    assert (old, new) == (debate.draft, TEXT)
