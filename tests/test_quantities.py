"""Numbers are compared by value, in all spellings."""

import pytest

from src.quantities import is_given, quantities


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,000 eels and 1.5 frogs", [1000, 1.5]),
        ("7.8 trillion, 3bn, 20k", [7.8e12, 3e9, 2e4]),
        ("two hundred and five eels in the twenty-first pond", [205, 21]),
        ("KSh1.57 and B2 are no numbers, 6% and 40th are", [6, 40]),
        ("six million", [6e6]),
        ("in 2013-2019", [2013, 2019]),
        ("12,50,000 rupees", [1250000]),
        ("", []),
    ],
)
def test_values(text: str, values: list[float]) -> None:
    assert [one.value for one in quantities(text)] == pytest.approx(values)


@pytest.mark.parametrize(
    ("text", "source", "given"),
    [
        ("6 %", "6.0 percent", True),
        ("40", "39.6", True),
        ("39", "39.6", False),
        ("1.2 million", "1,234,567.5", True),
        ("1.3 million", "1,234,567.5", False),
        ("7.8 trillion", "7.8", True),
        ("3 billion", "3 million", False),
        ("21", "20", False),
        ("5 %", "5 percent of 8", True),
        ("5%", "5 dollars", False),
        ("$5", "5", True),
        ("$5 million", "5 million euros", False),
        ("Rs. 500", "500 rupees", True),
    ],
)
def test_a_number_is_given_as_it_is_or_rounded(text: str, source: str, given: bool) -> None:
    (number,) = quantities(text)
    assert is_given(number, quantities(source)) is given
