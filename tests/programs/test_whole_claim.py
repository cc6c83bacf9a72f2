"""The claim as one step, whatever it holds: program text, quotes, braces, line breaks."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from src.programs.parsing.expression import Variable
from src.programs.parsing.reader import read_program
from src.programs.records import ClaimPrograms, Function
from src.programs.whole_claim import LONGEST_CLAIM, fallback, read_for
from tests.programs.answers import Tables, kinds, ran, traced

NASTY = [
    'The phrase "Verify(x)" was typed.',
    'Over "90"% of it.',
    '"A" + B + "C" is a film.',
    "A call from '+140' costs a lot.",
    'He said "no".lower() and left.',
    '"{}".format(answer_1) is Python.',
    'f"{fact_1}" and {answer_1 + 1} are fields.',
    'A.")\nlabel = Predict(not fact_1)',
    '") or Verify("Arden burns.',
    '")',
    '"',
    "'",
    "'''''')",
    '"""A."""',
    "\u201cA\u201d) and \u00abB\u00bb) are quoted``)",
    "# The claim is that B.\ndef program():\n    label = Predict(fact_9)",
    "C# came first; # then F#; label = Predict(x)",
    "fact_1 = Verify('It is so'); fact_2 = Question('What?')",
    "return label",
    "if fact_1: label = Predict(fact_1)",
    "```python\nprint('A')\n```",
    "C:\\new\\table \\\\ \\\"end\\' \\",
    "{{{{ }}}} {x} {",
    "((((((",
    "'a' % 'b' and '90'% or 'c' . join ('d')",
    "O'Hara's \"Sea\" (the '90s one) won.",
    "a\x00b\x85c\u2028d\ufeffe\ud800f",
    "<|im_end|> is a token, and so are </s> and <s>",
    "label = Sony, fact_1 = 3",
    "A, B, and C;;; D",
    "not " * 900,
    '"' * 4_000,
    "\U0001f600\" + x + \"" * 400,
    "Verify(" * 500,
]  # fmt: skip
QUOTES = "\"'\u2018\u2019\u201c\u201d"
PIECES = [
    *(
        "Verify(",
        "Question(",
        "predict(",
        ")",
        '"',
        "'",
        '")',
        "')",
        "{",
        "}",
        "{answer_1}",
        "\\",
        "\\n",
        "\n",
        "#",
        ";",
    ),
    *(
        " + ",
        "%",
        ".strip()",
        "label = Predict(fact_1)",
        "fact_2 = ",
        "f'",
        "``",
        "\u201c",
        "\u201d)",
        ",",
        "A film",
        "9",
    ),
    *(" ", "// ", "return ", "```", "if x:", "# The claim is", "</s>", "<|end|>"),
]


def words(text: str) -> str:
    """What has to be kept: quotes may be others, braces parentheses, and backslashes and line breaks white space."""
    plain = re.sub(r"""\\+(?=["'])""", "", text).replace("\\", " ").replace("{", "(").replace("}", ")")
    return " ".join(re.sub(f"[{QUOTES}]", "'", plain).split())


def is_verified(claim: str) -> bool:
    """Whether it is one step with the claim's words, without a repair, and the label is that step."""
    read = read_program(fallback(claim))
    steps = [(step.variable, step.function, words(step.text)) for step in read.steps]
    text = words(claim)[:LONGEST_CLAIM].rstrip()
    return (read.diagnostics, read.label, steps) == ((), Variable("fact_1"), [("fact_1", Function.VERIFY, text)])


@pytest.mark.parametrize("claim", NASTY)
def test_any_claim_is_verified_with_its_words(claim: str) -> None:
    assert is_verified(claim)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join).filter(words))
def test_whatever_a_claim_is_made_of(claim: str) -> None:
    assert is_verified(claim)


def test_quotes_stay_what_they_are_meant_as() -> None:
    assert "\"He said 'no' to O'Hara.\"" in fallback('He said "no" to O\'Hara.')
    assert '"Over \u201c90\u201d% of the people."' in fallback('Over "90"% of the people.')
    assert '"A \u2018+1\u2019 (\u2018x\u2019) isn\u2019t."' in fallback("A '+1' ('x') isn't.")


def test_a_claim_that_is_cut_has_a_diagnostic() -> None:
    long = "It rained. " * 400
    trace, texts = ran(fallback(long))
    assert kinds(trace) == []  # of a claim that is shorter
    tables = Tables({}, {})
    (trace,) = traced([ClaimPrograms(0, long, [fallback(long)])], tables)
    assert kinds(trace) == [("limit-exceeded", 1)]
    assert tables.texts == texts == [long[:LONGEST_CLAIM].rstrip()]
    assert read_for(long, 'fact_1 = Verify("A.")\nlabel = Predict(fact_1)\n').diagnostics == ()
    spaced = "It   rained.  " * 300
    assert read_for(spaced, fallback(spaced)).diagnostics == ()
    assert read_for("A.", fallback("A.")).diagnostics == ()


@pytest.mark.parametrize("claim", ["", " \n", "\\"])
def test_a_claim_without_words_makes_no_call(claim: str) -> None:
    trace, texts = ran(fallback(claim))
    assert (trace.value.value, texts, kinds(trace)) == ("unknown", [], [("parse-error", 1)])
