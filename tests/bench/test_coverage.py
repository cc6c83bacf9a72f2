from pathlib import Path

import msgspec
import pytest

from bench.coverage import READ, Covered, answer_words, cover
from src.records import Answer, AnswerType, Claim, Question, Sentence
from src.store import read_claims, read_records

HERO = Path("peers") / "hero_dev_reranking_top_k.jsonl.gz"


def claim_with(*answers: Answer) -> Claim:
    return Claim(claim="Penguins fly to Norway.", questions=[Question("What do they do?", list(answers))])


def test_content_words_are_neither_stop_words_nor_the_claims() -> None:
    claim = claim_with(Answer("The Penguins of Norway can't FLY: they swim, 30 km a day."))
    assert answer_words(claim) == [frozenset({"swim", "30", "km", "day"})]


def test_a_boolean_answer_stands_for_its_explanation() -> None:
    claim = claim_with(
        Answer("Yes", AnswerType.BOOLEAN, boolean_explanation="Zoo keepers promoted one knight."),
        Answer("No one two three four", AnswerType.BOOLEAN),
    )
    assert answer_words(claim) == [frozenset({"zoo", "keepers", "promoted", "one", "knight"})]


def test_answers_that_say_little_or_nothing_are_left_out() -> None:
    claim = claim_with(
        Answer("Swim thirty kilometres.", AnswerType.EXTRACTIVE),
        Answer("Answer could not be found anywhere today.", AnswerType.UNANSWERABLE),
    )
    assert answer_words(claim) == []


ANSWER = frozenset({"swim", "thirty", "kilometres", "daily"})


@pytest.mark.parametrize(
    ("ranked", "together", "single"),
    [
        ([], 0, 0),
        (["They swim.", "They eat."], 0, 0),
        (["They swim.", "Thirty eat."], 1, 0),
        (["They eat.", "Thirty SWIM."], 1, 1),
    ],
)
def test_half_of_the_words_are_enough(ranked: list[str], together: int, single: int) -> None:
    assert cover([ANSWER], ranked) == Covered(1, together, single)


def test_half_of_an_odd_number_is_rounded_up() -> None:
    assert cover([ANSWER | {"slowly"}], ["Thirty swim."]) == Covered(1, 0, 0)


def test_only_the_first_words_are_read() -> None:
    before = "x " * (READ - 2)
    assert cover([ANSWER], [before, "swim thirty"]) == Covered(1, 1, 1)
    assert cover([ANSWER], [before, "so", "swim thirty"]) == Covered(1, 0, 0)
    assert cover([ANSWER], [f"{before} so swim thirty"]) == Covered(1, 0, 0)


def test_every_answer_counts_once() -> None:
    assert cover([ANSWER, ANSWER, frozenset("abcd")], ["Thirty swim.", "Thirty swim."]) == Covered(3, 2, 2)


class TopTen(msgspec.Struct):
    claim_id: int
    top_10: list[Sentence]


def test_published_sentences_on_dev(shared_data: Path) -> None:
    averitec = shared_data / "averitec"
    dev_claims = read_claims(averitec / "dev.json")
    tens = {ten.claim_id: ten.top_10 for ten in read_records(averitec / HERO, TopTen)}
    covered = [cover(answer_words(claim), [ranked.sentence for ranked in tens[claim.claim_id]]) for claim in dev_claims]
    sums = [sum(getattr(one, field) for one in covered) for field in ("answers", "together", "single")]
    assert sums == [1120, 246, 144]
