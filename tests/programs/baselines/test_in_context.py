"""Verdicts after examples, by a scripted model: how they are shown, scored or read, and when they are too many."""

from collections.abc import Sequence
from math import inf

import msgspec
import pytest

from src.claims import LabelledClaim
from src.errors import InputError
from src.llm.protocol import ModelInfo, Reply, Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.programs.answerers.evidence import GoldEvidence
from src.programs.baselines.in_context import InContext
from src.programs.records import ClaimTrace
from src.records import Sentence, Value
from src.runner.outcome import Outcome
from tests.programs.answers import F, T, U


def claim(number: int, text: str, value: Value, *gold: Sentence) -> LabelledClaim:
    return LabelledClaim(number, f"k{number}", text, value, None, gold, ())


SHOWN = [
    claim(8, "It rained.", Value.TRUE, Sentence("Rain fell.", "Oster")),
    claim(9, "It snowed.", Value.FALSE, Sentence("It was\nwarm.", "")),
]
CLAIMS = [
    claim(1, "Lund is\nold.", Value.TRUE, Sentence("Lund was founded in 990.", "Lund"), Sentence("It is old.", "")),
    claim(2, "Ann sang in 50% of {cases} for $5", Value.FALSE, Sentence("Ann sang.", "")),
    claim(3, "Nobody knows.", Value.FALSE),
]
PLAIN = """Oster: Rain fell.
Based on the above information, is it true that It rained? True or False? The answer is: True

It was warm.
Based on the above information, is it true that It snowed? True or False? The answer is: False

Ann sang.
Based on the above information, is it true that Ann sang in 50% of {cases} for $5? True or False? The answer is:"""
SEQ2SEQ = """Oster: Rain fell.
Q: It rained. Is it true that It rained? True or False? The answer is: True

It was warm.
Q: It snowed. Is it true that It snowed? True or False? The answer is: False

Lund: Lund was founded in 990.
It is old.
Q: Lund is old. Is it true that Lund is old? True or False? The answer is:"""


def asking(model: ScriptedModel, *, chat: bool = False, longest: int = 3000) -> InContext:
    gold = GoldEvidence({one.claim_id: one.gold for one in [*SHOWN, *CLAIMS]})
    return InContext(model, SHOWN, gold, chat=chat, longest=longest)


def scripted(*outputs: str | list[float], words: Sequence[str] = (), **more: object) -> ScriptedModel:
    lines = [ScriptLine("in_context", one) for one in outputs] + [ScriptLine("in_context_word", one) for one in words]
    return ScriptedModel(lines, msgspec.structs.replace(ModelInfo("scripted", "scripted", "script"), **more))


def values(outcomes: list[Outcome[ClaimTrace]]) -> list[Value]:
    return [outcome.record.value for outcome in outcomes]


def test_examples_stand_before_the_claim_as_published() -> None:
    model = scripted([-1.0, -1.0], [-3.0, -1.0])
    outcomes = asking(model).answer(CLAIMS)
    assert values(outcomes) == [T, F, U]  # a tie is true, as in a step; what has no evidence is unknown
    first, other = model.asked
    assert other.prompt == PLAIN
    assert (other.choices, other.chat, other.system) == ((" True", " False"), False, "")
    assert first.prompt[: first.shared] == other.prompt[: other.shared]
    assert other.prompt[other.shared :].startswith("Ann sang.\nBased on")
    (step,) = outcomes[1].record.programs[0].steps
    assert step.text == CLAIMS[1].claim
    assert step.confidence == pytest.approx(0.8808, abs=1e-4)
    assert [one.sentence for one in step.evidence] == ["Ann sang."]
    assert [(one.counts["model_calls"], one.counts["without_evidence"]) for one in outcomes] == [(1, 0), (1, 0), (0, 1)]


def test_an_encoder_decoder_has_its_own_prompt_form() -> None:
    model = scripted("True", seq2seq=True)
    assert values(asking(model).answer(CLAIMS[:1])) == [T]
    (request,) = model.asked
    assert (request.prompt, request.choices) == (SEQ2SEQ, ("True", "False"))


def test_a_chat_is_one_turn_with_a_system_text() -> None:
    model = scripted("False")
    assert values(asking(model, chat=True).answer(CLAIMS[1:2])) == [F]
    (request,) = model.asked
    assert (request.prompt, request.chat, request.choices) == (PLAIN, True, ("True", "False"))
    assert "one word: True or False" in request.system


def test_where_there_are_no_scores_the_first_word_counts() -> None:
    outcomes = asking(scripted([-inf, -inf], [-inf, -inf], words=["True, as the text says.", "It depends."])).answer(
        CLAIMS[:2]
    )
    assert values(outcomes) == [T, U]
    assert [one.failure for one in outcomes] == ["", "the answer is neither true nor false: 'It depends.'"]
    assert [one.counts["answers_written"] for one in outcomes] == [1, 1]
    assert outcomes[0].counts["model_calls"] > 1


class Server:
    """Writes, and has no scores: an option letter where choices are asked for, else a word."""

    info = ModelInfo("openai:x", "openai", "x")

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        return [
            Reply("True", 9, 2, "choices", (0.0, -9.0), "letters_read")
            if one.choices
            else Reply("False.", 9, 2, "stop")
            for one in requests
        ]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def test_letters_that_a_server_wrote_are_no_scores() -> None:
    gold = GoldEvidence({one.claim_id: one.gold for one in [*SHOWN, *CLAIMS]})
    (outcome,) = InContext(Server(), SHOWN, gold, chat=True, longest=3000).answer(CLAIMS[:1])
    assert outcome.record.value is F
    assert (outcome.counts["answers_written"], outcome.counts["model_calls"]) == (1, 3)


def test_a_model_that_fails_for_one_claim_answers_the_others() -> None:
    outcomes = asking(scripted("True")).answer(CLAIMS[:2])
    assert values(outcomes) == [T, U]
    assert "no more output" in outcomes[1].failure


def test_evidence_that_is_cut_is_counted() -> None:
    model = scripted("True", "True")
    outcomes = asking(model, longest=4).answer(CLAIMS[:2])
    assert [one.counts["evidence_cut"] for one in outcomes] == [1, 0]
    assert "Lund: Lund was founded\nBased on" in model.asked[0].prompt


def test_examples_that_do_not_fit_are_an_error() -> None:
    message = (
        "the 2 examples take 42 tokens, the longest claim with its evidence 27, and scripted reads 132: not two of"
    )
    with pytest.raises(InputError, match=message):
        asking(scripted(context=64 + 27 + 41)).refuse_too_long(CLAIMS)


def test_the_error_names_how_many_examples_fit() -> None:
    model = scripted(context=64 + 27 + 42)
    asking(model).refuse_too_long(CLAIMS)
    gold = GoldEvidence({one.claim_id: one.gold for one in [*SHOWN, *CLAIMS]})
    twice = InContext(model, [*SHOWN, *SHOWN], gold, chat=False, longest=3000)
    with pytest.raises(
        InputError, match=r"the 4 examples take 84 tokens, .* reads 133: 2 of them fit, so --examples 2"
    ):
        twice.refuse_too_long(CLAIMS)


def test_a_model_without_a_known_context_length_is_not_refused() -> None:
    model = scripted([-0.1, -2.0], context=None)
    system = asking(model)
    system.refuse_too_long(CLAIMS)
    (answered,) = system.answer(CLAIMS[:1])
    assert (answered.record.value, answered.failure) == (T, "")
