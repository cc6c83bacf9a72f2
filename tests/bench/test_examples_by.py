"""The bench of examples by claim: which tokens a prefix cache reads once."""

from collections.abc import Sequence

from bench.questions.examples_by import counted


class Letters:
    """Tokenizer whose tokens are characters."""

    def __call__(self, texts: Sequence[str]) -> dict[str, list[list[int]]]:
        return {"input_ids": [list(map(ord, text)) for text in texts]}


def test_tokens_count_once_for_the_longest_beginning_of_an_earlier_prompt() -> None:
    way = counted([["abcd", "abx", "abcde", "y"], ["abcd"], []], Letters())
    assert (way.prompts, way.tokens) == (5, 4 + 3 + 5 + 1 + 4)
    assert way.shared == 2 + 4  # "ab" of the second, "abcd" of the third; other claims do not count
