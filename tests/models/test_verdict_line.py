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
        ("So the claim is refuted by [2].", Verdict.REFUTED),
    ],
)
def test_the_last_line_names_the_verdict(line: str, verdict: Verdict) -> None:
    found = read_reply(f"Verdicts need care.\n\n[2] says *otherwise*: it was not supported.\n{line}\n")
    assert found == ("Verdicts need care. [2] says otherwise: it was not supported.", verdict)


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
