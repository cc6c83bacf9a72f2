"""Closed-book methods: their examples, the verdict at the end of reasoning, and verdicts by a scripted model."""

from collections.abc import Sequence
from math import inf
from pathlib import Path

import msgspec
import pytest

from src.claims import ClaimText, read_labelled_claims
from src.errors import InputError
from src.llm.protocol import Reply, Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.programs.baselines.closed_book import (
    METHODS,
    ClosedBook,
    asked_about,
    closing_verdict,
    examples,
    read_examples,
)
from src.programs.records import ClaimTrace
from src.records import Value
from src.runner.outcome import Outcome
from src.text import same
from tests.programs.answers import F, T, U

SHOWING = [method for method in METHODS.values() if method.demonstrations]


def test_all_show_the_same_claims_with_the_same_answers() -> None:
    shown = [examples(method) for method in SHOWING]
    assert len(shown) == 3
    first = [(one.claim, one.written.rpartition(": ")[2].removesuffix(".")) for one in shown[0]]
    assert len(first) == 8
    assert sorted(word for _, word in first) == ["False"] * 4 + ["True"] * 4
    for method in shown:
        assert [one.claim for one in method] == [claim for claim, _ in first]
        assert [str(closing_verdict(one.written)) for one in method] == [word.lower() for _, word in first]


@pytest.mark.parametrize(
    "name", ["feverous_dev.json.gz", "hover_dev_release_v1.1.json.gz", "hover_dev_gold_evidence.jsonl.gz"]
)
def test_no_example_is_a_claim_of_the_data_sets(name: str, shared_data: Path) -> None:
    path = shared_data / "programfc" / name
    if not path.exists():
        pytest.skip(f"the data set is not at {path}")
    claims = {same(claim.claim) for claim in read_labelled_claims(path)}
    assert not claims & {same(one.claim) for method in SHOWING for one in examples(method)}


def test_a_claim_in_a_question() -> None:
    assert asked_about("Lund is\n old.") == "Lund is old"
    assert asked_about("Lund is old") == "Lund is old"


def test_a_block_without_a_claim_is_named(tmp_path: Path) -> None:
    (tmp_path / "e.txt").write_text("Is it true that A? The answer is: True\n\nIs B so?\n")
    with pytest.raises(InputError, match=r"e\.txt, line 3: no example begins with 'Is it true that'"):
        read_examples(tmp_path / "e.txt")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Lund lies in Sweden. Therefore, the answer is: False.", F),
        ("Q: Who?\nA: Ann.\nSo the final answer is: True.", T),
        ("therefore the ANSWER is **True**.", T),
        ('The final answer is "False"', F),
        ("**Answer:** False", F),
        ("Answer: yes.", T),
        ("The answer (True or False) is: True", T),
        ("The answer is: True. But wait.\nThe answer is: False.", F),
        ("The answer is: False.\n\nLund is a town.", F),
        ("The answer is False because Lund is older.", F),
        ("Ann was born in Lund.\n\nTrue.", T),
        ("**False**", F),
        ("", None),
        ("Lund lies in Sweden.", None),
        ("The answer is: not True.", None),
        ("The answer is True or False.", None),
        ("The answer is: True/False", None),
        ("The answer is: No one knows.", None),
        ("The answer is not clear.", None),
        ("It is a true story.", None),
        ("True love is a film of 1992.", None),
        ("The answer is: Truely different", None),
    ],
)
def test_closing_verdict(text: str, verdict: Value | None) -> None:
    assert closing_verdict(text) is verdict


CLAIMS = [ClaimText(3, "Lund is\nold."), ClaimText(4, "Ann sang in 50% of {cases} for $5")]


def answered(
    method: str, *outputs: str | list[float], again: tuple[str, ...] = (), chat: bool = True
) -> tuple[list[Outcome[ClaimTrace]], ScriptedModel]:
    lines = [ScriptLine(method, output) for output in outputs] + [ScriptLine(f"{method}_answer", one) for one in again]
    model = ScriptedModel(lines)
    return ClosedBook(model, METHODS[method], chat=chat).answer(CLAIMS), model


def values(outcomes: list[Outcome[ClaimTrace]]) -> list[Value]:
    return [outcome.record.value for outcome in outcomes]


def test_verify_prompts_have_the_published_form() -> None:
    outcomes, model = answered("verify", "False", "True", chat=False)
    assert values(outcomes) == [F, T]
    assert [request.prompt for request in model.asked] == [
        "Is it true that Lund is old? True or false? The answer is:",
        "Is it true that Ann sang in 50% of {cases} for $5? True or false? The answer is:",
    ]
    assert all((one.choices, one.chat, one.system) == ((" True", " False"), False, "") for one in model.asked)


def test_direct_scores_the_two_words_behind_its_examples() -> None:
    outcomes, model = answered("direct", [-1.0, -1.0], [-1.0, -3.0])
    assert values(outcomes) == [T, T]  # a tie is true, as in a step
    first, other = model.asked
    assert (first.choices, first.chat) == (("True", "False"), True)
    assert first.system
    assert first.prompt[: first.shared] == other.prompt[: other.shared]
    assert all(one.written in first.prompt[: first.shared] for one in examples(METHODS["direct"]))
    assert first.prompt[first.shared :] == "Lund is old? The answer is:"
    (step,) = outcomes[1].record.programs[0].steps
    assert step.confidence == pytest.approx(0.8808, abs=1e-4)
    assert outcomes[0].counts["model_calls"] == 1


def test_a_model_that_scores_neither_word_leaves_the_claim_unknown() -> None:
    outcomes, _ = answered("verify", [-inf, -inf], [-1.0, -inf])
    assert values(outcomes) == [U, T]
    assert [one.failure for one in outcomes] == ["the model scored none of the choices", ""]
    for one in outcomes:
        assert msgspec.json.decode(msgspec.json.encode(one.record), type=ClaimTrace) == one.record


@pytest.mark.parametrize("method", ["zs_cot", "cot", "self_ask"])
def test_the_answer_is_read_from_the_reasoning_or_requested_again(method: str) -> None:
    outcomes, model = answered(
        method, "Lund is a town.\nSo the answer is: False.", "Ann was a singer.\n", again=("True",)
    )
    assert values(outcomes) == [F, T]
    thought, _, answer = model.asked
    assert (thought.choices, thought.temperature, thought.max_new_tokens) == ((), 0.0, 256)
    assert answer.choices == ("True", "False")
    assert answer.prompt.startswith(model.asked[1].prompt + "\nAnn was a singer.\n")
    assert answer.prompt.endswith("The answer is:")
    assert answer.prompt[: answer.shared] == thought.prompt[: thought.shared]
    assert [outcome.counts["model_calls"] for outcome in outcomes] == [1, 2]
    assert [outcome.counts["asked_again"] for outcome in outcomes] == [0, 1]


def test_after_an_empty_reasoning_the_answer_is_still_requested() -> None:
    outcomes, _ = answered("cot", "", "", again=("True", "False"))
    assert values(outcomes) == [T, F]
    assert outcomes[0].record.programs[0].steps[0].evidence == []


def test_all_calls_of_a_reply_count() -> None:
    class Letters(ScriptedModel):
        def complete(self, requests: Sequence[Request]) -> list[Reply]:
            return [msgspec.structs.replace(one, new_tokens=3) for one in super().complete(requests)]

    model = Letters([ScriptLine("verify", "True")])
    (outcome,) = ClosedBook(model, METHODS["verify"], chat=True).answer(CLAIMS[:1])
    assert (outcome.record.model_calls, outcome.counts["model_calls"], outcome.counts["asked_again"]) == (3, 3, 0)


def test_a_verdict_is_the_trace_of_one_verify() -> None:
    (first, _), _ = answered("cot", "Lund is a town. The answer is: True.", "The answer is: False.")
    trace = first.record
    assert (trace.claim_id, trace.claim, trace.model_calls, trace.vote_share) == (3, CLAIMS[0].claim, 1, 1.0)
    (program,) = trace.programs
    (step,) = program.steps
    assert (program.label, step.variable, step.function, step.text, step.value) == (
        "fact_1", "fact_1", "Verify", CLAIMS[0].claim, "true",
    )  # fmt: skip
    assert [(one.sentence, one.url) for one in step.evidence] == [("Lund is a town. The answer is: True.", "")]
