"""Reasoning, then the label, by a scripted chat model; the verdict in the last line of a reply."""

from collections.abc import Sequence

import msgspec
import pytest

from src.errors import ModelError
from src.llm.protocol import ModelInfo, Reply, Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.models.llm_veracity import ROLE, LabelScorer
from src.models.reasoned_veracity import REASONS_ROLE, ReasonedVerdict, listed, read_reply
from src.prediction.verdicts import judge, llm_verdict_model, predicted
from src.records import VERDICTS, Evidence, OverruledBy, QAPair, Verdict


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("Verdict: Supported", Verdict.SUPPORTED),
        ("**Verdict:** Refuted.", Verdict.REFUTED),
        ("verdict: not enough evidence", Verdict.NOT_ENOUGH_EVIDENCE),
        ("Verdict: Conflicting Evidence/Cherrypicking", Verdict.CONFLICTING),
        ("Final verdict - Conflicting evidence", Verdict.CONFLICTING),
        ("The verdict is Refuted (the evidence shows that the claim is false)", Verdict.REFUTED),
        ("# Refuted", Verdict.REFUTED),
        ("So the claim is refuted.", Verdict.REFUTED),
        ("The conclusion is refuted.", Verdict.REFUTED),
        ("Verdict = Supported", Verdict.SUPPORTED),
    ],
)
def test_the_last_line_names_the_verdict(line: str, verdict: Verdict) -> None:
    reply = read_reply(f"Verdicts need care.\n\n[2] says *otherwise*: it was not supported.\n{line}\n")
    assert reply == ("Verdicts need care. [2] says otherwise: it was not supported.", verdict)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("So the claim is refuted by [2].", Verdict.REFUTED),
        ("The claim is refuted because it was only a film, as [1] says.", Verdict.REFUTED),
        ("The verdict is supported, since [1] and [2] agree.", Verdict.SUPPORTED),
        ("Verdict: Supported. The town says so in [1].", Verdict.SUPPORTED),
        ("Verdict: Conflicting Evidence in [1], but not in [2].", Verdict.CONFLICTING),
    ],
)
def test_a_last_line_that_gives_a_reason_is_kept(line: str, verdict: Verdict) -> None:
    assert read_reply(line) == (line, verdict)
    assert read_reply(f"[1] was read.\n{line}") == (f"[1] was read. {line}", verdict)


@pytest.mark.parametrize(
    "line",
    [
        "The claim is supported by none of the evidence.",
        "The claim is supported by some of the evidence.",
        "The claim is supported only in part",
        "The claim is supported, but only in part.",
        "The claim is supported by [1], but not by [2].",
        "The claim is refuted in part.",
        "The claim is refuted if [2] is right.",
        "Verdict: Supported only in part",
        "Verdict: Refuted by none of the evidence",
    ],
)
def test_words_that_change_the_label_leave_no_verdict(line: str) -> None:
    assert read_reply(line) == (line, None)
    assert read_reply(f"Verdict: Supported\n{line}").verdict is None


def test_a_sentence_of_the_reasoning_is_no_verdict() -> None:
    text = "The conclusion is refuted by [2].\nThe claim is supported by [1].\nMore is needed."
    assert read_reply(text) == (" ".join(text.splitlines()), None)
    assert read_reply("The conclusion is refuted by [2].").verdict is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot say.",
        "The mayor supported the bill.",
        "Verdict: Not supported",
        "Verdict: Supported or Refuted",
        "Supported, Refuted",
        "The claim is not supported.",
        "Verdict: True",
    ],
)
def test_what_names_no_label_or_several_is_no_verdict(text: str) -> None:
    assert read_reply(text) == (text, None)


def test_the_last_of_two_verdicts_counts() -> None:
    reply = read_reply("Verdict: Supported\nBut [2] was later withdrawn.\nVerdict: Refuted\nI hope that helps.")
    assert reply == ("Verdict: Supported But [2] was later withdrawn.", Verdict.REFUTED)


CLAIM = Evidence(
    3,
    " The river\nrose. ",
    [QAPair("When? ", "In  2019,\nby 12 percent.", "https://www.a.example/x"), QAPair("Why?", "Rain.", "http://b.example")],
)  # fmt: skip
REASONS = "[1] says that it rose in 2019.\nNothing speaks against it."
BY_REFUTED = [-9.0, -0.5, -8.0, -7.0]


def scripted(reasons: str, *scores: str | list[float]) -> ScriptedModel:
    return ScriptedModel([ScriptLine(REASONS_ROLE, reasons), *(ScriptLine(ROLE, one) for one in scores)])


def test_the_first_request_shows_all_evidence_with_numbers_and_sites() -> None:
    model = scripted(f"{REASONS}\nVerdict: Supported", "Supported")
    ReasonedVerdict(model).judge([CLAIM])
    first, second = model.asked
    assert (first.chat, first.choices) == (True, ())
    lines = first.prompt.splitlines()
    assert "Claim: The river rose." in lines
    evidence = ["[1] (a.example) When? In 2019, by 12 percent.", "[2] (b.example) Why? Rain."]
    place = lines.index("Evidence:") + 1
    assert lines[place : place + 2] == evidence
    assert all(f"Verdict: {verdict}" in first.prompt for verdict in VERDICTS)
    assert (second.chat, second.choices) == (True, tuple(VERDICTS))
    assert "Reasoning:\n[1] says that it rose in 2019. Nothing speaks against it.\n" in second.prompt
    assert listed(CLAIM.evidence).splitlines() == evidence


def test_the_last_line_is_the_verdict_and_the_reasoning_is_kept() -> None:
    model = scripted(f"{REASONS}\n\n**Verdict: Supported**", [-0.1, -3.0, -4.0, -5.0])
    (judgment,) = judge(llm_verdict_model(model), [CLAIM])
    assert judgment.record.pred_label is Verdict.SUPPORTED
    assert judgment.record.justification == "[1] says that it rose in 2019. Nothing speaks against it."
    assert judgment.record.probabilities is not None
    assert sum(judgment.record.probabilities.values()) == pytest.approx(1, abs=1e-5)
    assert max(judgment.record.probabilities, key=judgment.record.probabilities.__getitem__) is Verdict.SUPPORTED
    assert (judgment.counts["asked_again"], judgment.counts["unparsed"], judgment.counts["scores_differ"]) == (
        0,
        0,
        0,
    )
    assert judgment.record.overruled_by is None
    assert judgment.counts["prompts"] == 2


def test_the_reasoning_counts_where_the_scores_differ() -> None:
    (judgment,) = ReasonedVerdict(scripted(f"{REASONS}\nVerdict: Supported", BY_REFUTED)).judge([CLAIM])
    assert (judgment.verdict, judgment.counts["scores_differ"]) == (Verdict.SUPPORTED, 1)
    assert judgment.overruled_by is OverruledBy.REASONING
    assert predicted(CLAIM, judgment).overruled_by is OverruledBy.REASONING


def test_equal_scores_are_not_overruled_by_a_reasoning_without_a_verdict() -> None:
    (judgment,) = ReasonedVerdict(scripted(REASONS, [-1.0, -1.0, -8.0, -7.0])).judge([CLAIM])
    assert (judgment.verdict, judgment.overruled_by) == (Verdict.NOT_ENOUGH_EVIDENCE, None)


@pytest.mark.parametrize("reasons", [REASONS, "", "Verdict: Supported or Refuted"])
def test_without_a_verdict_the_scores_decide(reasons: str) -> None:
    model = scripted(reasons, BY_REFUTED)
    (judgment,) = ReasonedVerdict(model).judge([CLAIM])
    assert (judgment.verdict, judgment.counts["asked_again"], judgment.counts["unparsed"]) == (Verdict.REFUTED, 1, 0)
    assert judgment.probabilities is not None
    assert judgment.reasoning == " ".join(reasons.split())


def test_an_engine_that_cannot_score_gives_no_probabilities() -> None:
    (judgment,) = ReasonedVerdict(scripted(f"{REASONS}\nVerdict: Refuted")).judge([CLAIM])  # the script has no scores
    assert (judgment.verdict, judgment.probabilities, judgment.counts["unscored"]) == (Verdict.REFUTED, None, 1)
    with pytest.raises(ModelError, match="no more output for role 'verdict'"):
        ReasonedVerdict(scripted(REASONS)).judge([CLAIM])


class WritesLetters(ScriptedModel):
    """Server without log-probabilities: its scores are made from the letters that it wrote."""

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        replies = super().complete(requests)
        return [msgspec.structs.replace(one, method="letters_read") if one.scores else one for one in replies]


def test_letters_that_were_written_are_no_probabilities() -> None:
    lines = [ScriptLine(REASONS_ROLE, REASONS), ScriptLine(ROLE, "Refuted")]
    (judgment,) = ReasonedVerdict(WritesLetters(lines)).judge([CLAIM])
    assert (judgment.verdict, judgment.probabilities) == (Verdict.REFUTED, None)


def test_long_answers_are_cut_and_every_piece_stays_in_view() -> None:
    long = Evidence(0, "c", [QAPair("Q?", "word " * 900), QAPair("Q?", "other " * 900)])
    model = scripted("Verdict: Refuted", "Refuted")
    model.info = msgspec.structs.replace(model.info, context=1_500)
    (judgment,) = ReasonedVerdict(model).judge([long])
    assert judgment.counts["answers_cut"] == 1
    assert "[1] Q? word" in model.asked[0].prompt
    assert "[2] Q? other" in model.asked[0].prompt
    assert len(model.asked[0].prompt.split()) < 600


def test_the_requests_to_a_model_that_scores_whole_labels() -> None:
    info = ModelInfo("s", "test", "s", can=frozenset({"label_tokens"}))
    assert isinstance(llm_verdict_model(ScriptedModel([], info)), LabelScorer)
    assert isinstance(llm_verdict_model(ScriptedModel([])), ReasonedVerdict)


def test_the_estimate_counts_claims_with_evidence_only() -> None:
    claims = [msgspec.structs.replace(CLAIM, claim_id=place) for place in range(10)] + [Evidence(10, "c", [])]
    model = ScriptedModel([ScriptLine(REASONS_ROLE, "Verdict: Refuted")] * 9)
    estimate = ReasonedVerdict(model).estimate(claims)
    assert (estimate.claims, estimate.prompts) == (11, 20)
