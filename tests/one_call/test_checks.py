from typing import Any

import msgspec
import pytest

from src.one_call.answers import ClaimAnswer
from src.one_call.checks import FITS, CheckedAnswer, checked, fit
from src.records import QAPair
from tests.one_call.replies import ANSWER, CLAIM, EELS, OTHER, OTTERS, PAIR


def left_of(answer: dict[str, Any], most: int = 10) -> CheckedAnswer:
    return checked(msgspec.convert(answer, ClaimAnswer), CLAIM, most)


def with_pairs(*pairs: dict[str, object]) -> dict[str, Any]:
    return ANSWER | {"questions": list(pairs)}


def test_pairs_have_the_url_of_their_source() -> None:
    left = left_of(ANSWER)
    assert left.pairs == [
        QAPair("Do eels swim in the Varn?", "Yes, every spring.", EELS.url),
        QAPair("Are there otters in Hexley?", "The council denied it.", OTTERS.url),
    ]
    assert left.quote_fits == [1.0, 1.0]
    assert left.counts["pairs_written"] == 2
    assert sum(left.counts.values()) == 2


@pytest.mark.parametrize(
    ("change", "count"),
    [
        ({"source": 3}, "pairs_without_source"),
        ({"source": 0}, "pairs_without_source"),
        ({"source": -1}, "pairs_without_source"),
        ({"source": 2}, "pairs_with_misquote"),
        ({"quote": ""}, "pairs_with_misquote"),
        ({"quote": "the Varn"}, "pairs_with_misquote"),
        ({"quote": "Salmon swim down the Thames each autumn."}, "pairs_with_misquote"),
        ({"question": " "}, "pairs_blank"),
        ({"answer": "\n"}, "pairs_blank"),
        ({"answer": "Yes, 88 million of them."}, "pairs_with_foreign_name"),
        ({"answer": "Yes. So said Parliament in Torrold."}, "pairs_with_foreign_name"),
        ({"question": "What did the bridge at Torrold cost?"}, "pairs_with_foreign_name"),
    ],
)
def test_a_faulty_pair_is_dropped_and_counted(change: dict[str, object], count: str) -> None:
    left = left_of(with_pairs(PAIR | change, OTHER))
    assert [pair.question for pair in left.pairs] == ["Are there otters in Hexley?"]
    assert left.counts[count] == 1


def test_speaker_and_date_of_the_claim_are_no_foreign_names() -> None:
    answer = with_pairs(PAIR | {"question": "Was Ilse Tarrant right in May 2020?", "answer": "No, 4,000 were counted."})
    assert len(left_of(answer).pairs) == 1


def test_repeated_pairs_and_those_beyond_the_limit_are_counted() -> None:
    left = left_of(with_pairs(PAIR, PAIR | {"question": "Do eels swim, in the Varn?"}, OTHER), most=1)
    assert len(left.pairs) == 1
    assert (left.counts["pairs_repeated"], left.counts["pairs_beyond_limit"]) == (1, 1)


@pytest.mark.parametrize(
    ("quote", "fits"),
    [
        ("Eels swim up the Varn every spring.", True),
        ("eels swim up the Varn, every spring", True),
        ("Eels swim up the Varn … 4,000 were counted", True),
        ("Eels swim up the Varn ... 9,000 otters were drowned", False),
        ("Eels never swam up this river at all", False),
        ("In 2019 some 9,000 were counted.", False),
        ("Eels do not swim up the Varn every spring.", False),
        ("up the", False),
        ("", False),
        ("...", False),
        (EELS.text, True),
        (f"{EELS.text} {EELS.text} And more that no page ever said about anything.", False),
    ],
)
def test_the_fit_of_a_quote(quote: str, fits: bool) -> None:
    assert (fit(quote, EELS.text) >= FITS) is fits


def test_a_short_source_can_be_quoted_whole() -> None:
    assert fit("Not so.", "Not so.") == 1
    assert fit("so", "Not so.") == 0


def test_the_justification_cites_the_pairs_of_its_sources() -> None:
    reasons = [
        {"sentence": "Eels swim.", "sources": [1, 1]},
        {"sentence": "Otters\ndo not [1].", "sources": [2, 9]},
        {"sentence": "Eels swim!", "sources": [2]},
        {"sentence": " ", "sources": [1]},
        {"sentence": "A third page says so.", "sources": [9]},
        {"sentence": "It costs 88 orins.", "sources": [1]},
        {"sentence": "It is quite sure.", "sources": []},
        {"sentence": "So it is false.", "sources": []},
    ]
    left = left_of({**ANSWER, "questions": [OTHER, PAIR], "justification": reasons})
    assert left.justification == "Eels swim. [2] Otters do not. [1] So it is false."
    assert left.counts["reasons_repeated"] == 1
    assert left.counts["reasons_with_foreign_name"] == 1
    assert left.counts["reasons_without_evidence"] == 2


def test_the_fits_are_those_of_the_pairs_that_are_left() -> None:
    near = PAIR | {"quote": "Eels swim up the Varn each spring."}
    left = left_of(with_pairs(PAIR | {"source": 3}, near, OTHER))
    assert [pair.url for pair in left.pairs] == [EELS.url, OTTERS.url]
    assert FITS <= left.quote_fits[0] < left.quote_fits[1] == 1.0
