"""The published prompt to the byte, what gives way when it is too long, and how replies are read."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.reranking.questions.prompt import (
    claim_evidence_prompt,
    claim_evidence_target,
    fit_prompt,
    is_question,
    read_question,
    write_prompt,
)

EXAMPLES = ["Evidence:  First.\nQuestion answered: One?", "Evidence:  Second.\nQuestion answered: Two?"]


def count_words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def test_the_trained_layout() -> None:
    prompt = claim_evidence_prompt(" Ferry\nsinks ", "It  sank.\t")
    assert prompt == "Claim: Ferry sinks\nEvidence: It sank.\nQuestion:"
    assert claim_evidence_target("What  sank? And when?") == " What sank?"
    assert claim_evidence_target("Say what sank ") == " Say what sank?"
    assert prompt + claim_evidence_target("Why?") == "Claim: Ferry sinks\nEvidence: It sank.\nQuestion: Why?"


def test_the_published_layout() -> None:
    assert write_prompt(EXAMPLES, "The\nlast.") == (
        "Evidence:  First.\n"
        "Question answered: One?\n"
        "\n"
        "Evidence:  Second.\n"
        "Question answered: Two?\n"
        "\n"
        "Evidence: The last.\n"
        "Question answered: "
    )
    assert write_prompt([], "") == "Evidence: \nQuestion answered: "


def test_without_a_limit_nothing_gives_way() -> None:
    fitted = fit_prompt(EXAMPLES, "word " * 10_000, count_words, None)
    assert (fitted.text, fitted.dropped, fitted.cut) == (write_prompt(EXAMPLES, "word " * 10_000), 0, False)
    assert fitted.tokens == 10_000 + 13


@pytest.mark.parametrize(("room", "number"), [(15, 2), (14, 1), (10, 1), (9, 0), (5, 0)])
def test_the_least_similar_examples_go_first(room: int, number: int) -> None:
    fitted = fit_prompt(EXAMPLES, "Just one", count_words, room)
    assert fitted.text == write_prompt(EXAMPLES[:number], "Just one")
    assert (fitted.dropped, fitted.cut) == (2 - number, False)
    assert fitted.tokens == 5 * (number + 1) <= room


def test_then_the_end_of_the_sentence() -> None:
    sentence = " ".join(f"w{number}" for number in range(100))
    fitted = fit_prompt(EXAMPLES, sentence, count_words, 20)
    assert fitted.text.startswith("Evidence: w0 w1 w2 w3 ")
    assert fitted.text.endswith("\nQuestion answered: ")
    assert (fitted.dropped, fitted.cut) == (2, True)
    assert fitted.tokens <= 20


@pytest.mark.parametrize("room", [2, 1, 0, -1, -60])
def test_room_for_nothing_ends_with_the_bare_layout(room: int) -> None:
    fitted = fit_prompt(EXAMPLES, "A sentence of some words.", count_words, room)
    assert fitted.text == write_prompt([], "")
    assert (fitted.dropped, fitted.cut) == (2, True)


@given(st.lists(st.text(max_size=20), max_size=4), st.text(max_size=200), st.integers(-5, 80))
def test_a_fitted_prompt_has_the_first_examples_and_the_start_of_the_sentence(
    examples: list[str], sentence: str, room: int
) -> None:
    def count(texts: Sequence[str]) -> list[int]:
        return [len(text.encode("utf-8", "replace")) // 3 for text in texts]

    fitted = fit_prompt(examples, sentence, count, room)
    remaining = examples[: len(examples) - fitted.dropped]
    assert any(fitted.text == write_prompt(remaining, sentence[:end]) for end in range(len(sentence) + 1))
    assert fitted.tokens == count([fitted.text])[0]
    assert fitted.tokens <= room or fitted.text == write_prompt([], "")
    assert not fitted.cut or fitted.dropped == len(examples)


@pytest.mark.parametrize(
    ("reply", "question"),
    [
        ("Who won? The mayor.", "Who won?"),
        ("  \n Who won ", "Who won?"),
        ("Who\nwon\nit??", "Who won it?"),
        ("", "?"),
        (" \n ", "?"),
        ("?", "?"),
        ("??? why?", "?"),
        ("a" * 300, "a" * 250 + "?"),
        (" " * 250 + "Too late?", "?"),
        ("b" * 249 + "?c", "b" * 249 + "?"),
        ("b" * 250 + "?c", "b" * 250 + "?"),
        ("\u00bfQui\u00e9n? s\u00ed", "\u00bfQui\u00e9n?"),
        ("\U0001f600" * 251, "\U0001f600" * 250 + "?"),
        ("Evidence: The last.\nQuestion answered: Who? Evidence:", "Evidence: The last. Question answered: Who?"),
        ("\x00\x07\udcff garbage", "\x00\x07\udcff garbage?"),
    ],
)
def test_replies(reply: str, question: str) -> None:
    assert read_question(reply) == question


@given(st.text())
def test_a_question_is_one_line_with_one_mark_at_its_end(reply: str) -> None:
    question = read_question(reply)
    assert question.index("?") == len(question) - 1 <= 250
    assert "\n" not in question


@pytest.mark.parametrize(
    ("text", "expected"), [("?", False), (" -- ?", False), ("Why?", True), ("4?", True), ("\u4e2d?", True)]
)
def test_is_question(text: str, expected: bool) -> None:
    assert is_question(text) is expected
