"""G-Eval: what the judge is shown, and how its replies become scores."""

import math
from collections.abc import Sequence

import pytest

from src.errors import ModelError
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.geval import GEvalSettings, Judge, read_score
from src.explanation.scoring.records import Protocol
from src.llm.protocol import Reply, Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.records import QAPair

TWO = "Eels swim in rivers. So the claim is refuted."


def claim(claim_id: int = 0, text: str = TWO) -> ExplainedClaim:
    return ExplainedClaim(claim_id, "Eels fly.", "Refuted", [QAPair("Where are eels?", "In rivers.")], explanation=text)


def scripted(protocol: Protocol, *outputs: str | list[float]) -> ScriptedModel:
    return ScriptedModel([ScriptLine(f"geval_{protocol}", output) for output in outputs])


def test_samples_are_averaged_without_replies_that_have_no_score() -> None:
    model = scripted(Protocol.DOCUMENT, "4", "5", "It is faithful.", "5")
    (rated,) = Judge(model, GEvalSettings(samples=4, seed=7)).rate([claim()], Protocol.DOCUMENT).claims
    assert rated.score == pytest.approx(14 / 3)
    assert (rated.texts[0].replies, rated.texts[0].unparsed, rated.texts[0].failed) == ([0, 0, 0, 1, 2], 1, 0)
    assert [one.seed for one in model.asked] == [7, 8, 9, 10]
    assert {one.temperature for one in model.asked} == {1.0}


def test_a_document_is_the_mean_of_its_sentences() -> None:
    model = scripted(Protocol.SENTENCE, "1", "2", "5", "?")
    (rated,) = Judge(model, GEvalSettings(samples=2)).rate([claim()], Protocol.SENTENCE).claims
    assert [one.score for one in rated.texts] == [1.5, 5.0]
    assert rated.score == pytest.approx(3.25)
    assert [one.prompt.count("Sentence: Eels swim in rivers.\n") for one in model.asked] == [1, 1, 0, 0]


@pytest.mark.parametrize("protocol", Protocol)
def test_the_prompt_has_evidence_types_and_text(protocol: Protocol) -> None:
    model = scripted(protocol, "4", "4")
    Judge(model, GEvalSettings(samples=1)).rate([claim()], protocol)
    prompt = model.asked[0].prompt
    assert "[1] Where are eels? In rivers." in prompt
    assert ("IE intrinsic entity" in prompt) is protocol.with_types
    assert (TWO in prompt) is not protocol.by_sentence
    assert "$" not in prompt
    shared = prompt[: model.asked[0].shared]
    assert shared.endswith("In rivers.")
    assert len(model.asked) == (2 if protocol.by_sentence else 1)


def test_a_score_may_be_weighted_by_its_probability() -> None:
    model = scripted(Protocol.DOCUMENT, [math.log(share) for share in (0.01, 0.01, 0.08, 0.1, 0.2)])
    (rated,) = Judge(model, GEvalSettings(weighted=True)).rate([claim()], Protocol.DOCUMENT).claims
    assert rated.score == pytest.approx((0.01 + 0.02 + 0.24 + 0.4 + 1.0) / 0.4)
    assert sum(rated.texts[0].probabilities) == pytest.approx(1)
    (request,) = model.asked
    assert (request.choices, request.first_tokens, request.temperature) == (("1", "2", "3", "4", "5"), True, 0.0)


@pytest.mark.parametrize("weighted", [True, False])
def test_a_claim_that_fails_is_undefined_and_takes_no_other_down(weighted: bool) -> None:
    class Failing:
        info = ScriptedModel([]).info

        def complete(self, requests: Sequence[Request]) -> list[Reply]:
            if any("Frogs" in one.prompt for one in requests):
                raise ModelError("no answer")
            return [Reply("3", 9, 1, "eos", (0.0,) * len(one.choices)) for one in requests]

        def count_tokens(self, texts: Sequence[str]) -> list[int]:
            return [0 for _ in texts]

    judge = Judge(Failing(), GEvalSettings(samples=2, weighted=weighted))
    judged = judge.rate([claim(), claim(1, "Frogs sing."), claim(2)], Protocol.DOCUMENT)
    assert [one.score for one in judged.claims] == [3.0, None, 3.0]
    assert judged.claims[1].texts[0].failed == (1 if weighted else 2)
    assert len(judged.replies) == (2 if weighted else 4)


def test_one_missing_reply_leaves_the_others_their_scores() -> None:
    judge = Judge(scripted(Protocol.DOCUMENT, "3", "4"), GEvalSettings(samples=1))
    judged = judge.rate([claim(number) for number in range(3)], Protocol.DOCUMENT)
    assert [one.score for one in judged.claims] == [3.0, 4.0, None]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("4", 4),
        (" 5\n", 5),
        ("Faithfulness: 3", 3),
        ("**Faithfulness:** 2", 2),
        ("faithfulness score = 1.", 1),
        ("Score: 4", 4),
        ("4/5", 4),
        ("4 out of 5", 4),
        ("**4**", 4),
        ("5. The evidence agrees.", 5),
    ],
)
def test_a_plain_number_is_read(text: str, score: int) -> None:
    assert read_score(text) == score


@pytest.mark.parametrize(
    "text", ["", "0", "6", "10", "45", "4.5", "3-4", "4 or 5", "-3", "four", "I give it 4", "4/10", "5th", "1) 2"]
)
def test_anything_else_is_no_score(text: str) -> None:
    assert read_score(text) is None
