"""The verdict in the last line of a reply, and the reasoning before it."""

import pytest

from src.models.verdict_line import read_reply
from src.records import Verdict


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
    found = read_reply(f"Verdicts need care.\n\n[2] says *otherwise*: it was not supported.\n{line}\n")
    assert found == ("Verdicts need care. [2] says otherwise: it was not supported.", verdict)


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
    found = read_reply("Verdict: Supported\nBut [2] was later withdrawn.\nVerdict: Refuted\nI hope that helps.")
    assert found == ("Verdict: Supported But [2] was later withdrawn.", Verdict.REFUTED)
