"""Hypothetical fact-checks: what is asked, what comes back, what is counted."""

import pytest

from src.errors import ModelError
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.records import Claim
from src.reranking.hybrid.hyde import ROLE, TOKENS, Hypothetical, write_hypotheticals

CLAIMS = [
    Claim(" The river froze. ", 0, speaker="Ada Byron", claim_date="31-10-2020"),
    Claim("A $ferry ${sank}.", 1),
    Claim("Prices doubled.", 2, speaker=""),
]


def script(*outputs: str, role: str = ROLE) -> ScriptedModel:
    return ScriptedModel([ScriptLine(role, output) for output in outputs])


def test_one_for_each_claim_in_their_order() -> None:
    model = script("Ice was seen.", "  \n", " It sank\nat noon. ")
    written = write_hypotheticals(model, CLAIMS)
    assert [one.text for one in written] == ["Ice was seen.", "", "It sank\nat noon."]
    assert [request.role for request in model.asked] == [ROLE] * 3
    assert all(request.chat and request.max_new_tokens == TOKENS for request in model.asked)


def test_the_prompt_holds_what_is_known_of_the_claim() -> None:
    model = script("a", "b", "c")
    write_hypotheticals(model, CLAIMS)
    first, second, third = (request.prompt for request in model.asked)
    assert "Claim: The river froze.\nSpeaker: Ada Byron\nDate: 31-10-2020" in first
    assert "Claim: A $ferry ${sank}.\nSpeaker: not known\nDate: not known" in second
    assert "Speaker: not known" in third


def test_counts() -> None:
    assert Hypothetical().counts() == {}
    assert Hypothetical("It sank.", 30, 3).counts() == {"hypotheticals": 1, "prompt_tokens": 30, "new_tokens": 3}
    assert Hypothetical("", 30, 1).counts() == {"empty_hypotheticals": 1, "prompt_tokens": 30, "new_tokens": 1}
    (one,) = write_hypotheticals(script("It sank."), CLAIMS[:1])
    assert (one.counts()["hypotheticals"], one.new_tokens) == (1, 2)


def test_no_claims_no_question() -> None:
    assert write_hypotheticals(model := script(), []) == []
    assert model.asked == []


def test_a_model_that_fails_is_an_error() -> None:
    with pytest.raises(ModelError):
        write_hypotheticals(script("only one"), CLAIMS)
    with pytest.raises(ModelError):
        write_hypotheticals(script("a", "b", "c", role="question_writer"), CLAIMS)
