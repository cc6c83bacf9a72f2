"""Training examples of an entailment model: their labels are right, and only seed and claim decide the draws."""

from random import Random

import pytest

from src.claims import LabelledClaim
from src.models.entailment import TitledText
from src.records import Answer, AnswerType, Claim, Question, Sentence, Value, Verdict
from src.training.entailment.examples import (
    CONTRADICTED,
    ENTAILED,
    NEUTRAL,
    EntailmentExample,
    averitec_examples,
    labelled_examples,
    part_examples,
    parts_of,
    swapped,
)
from src.training.split import split_labelled

TOWNS = ("Oster", "Vell", "Marn", "Kyde", "Lorn", "Pask", "Ruhl", "Tamm")


def claim(number: int, value: Value = Value.TRUE, negated: str = "") -> LabelledClaim:
    town, year = TOWNS[number % 8], 1900 + number
    gold = (
        Sentence(f"In the year {year} the town of {town} had 7 bridges.", town),
        Sentence(f"The mayor of {town} was Maria Berg in {year}.", f"Mayor {number}"),
    )
    titles = (town + str(number), f"Mayor {number}")
    text = f"In {year} the mayor of {town}, a town with 7 bridges, was Maria Berg."
    return LabelledClaim(number, f"k{number}", text, value, None, gold, titles, negated)


MANY = [claim(n, Value.TRUE if n % 2 else Value.FALSE, "Not so." if n == 1 else "") for n in range(40)]


def shown(example: EntailmentExample) -> list[TitledText]:
    assert not isinstance(example.text, str)
    return list(example.text[1])


def test_the_labels_of_each_kind() -> None:
    examples = labelled_examples(MANY, 0)
    of_claim = {one.claim: one for one in MANY}
    for example in examples:
        hypothesis = example.text[0]
        own = {(one.url, one.sentence) for one in of_claim[hypothesis].gold} if hypothesis in of_claim else set()
        match example.kind:
            case "whole":
                assert set(shown(example)) == own
                assert example.label == (ENTAILED if of_claim[hypothesis].value is Value.TRUE else CONTRADICTED)
            case "noisy":
                assert own < set(shown(example))
                assert example.label == (ENTAILED if of_claim[hypothesis].value is Value.TRUE else CONTRADICTED)
            case "partial":
                assert set(shown(example)) < own
                assert (example.label, of_claim[hypothesis].value) == (NEUTRAL, Value.TRUE)
            case "foreign":
                assert shown(example)
                assert not own & set(shown(example))
                assert example.label == NEUTRAL
            case "swapped" | "negated":
                assert hypothesis not in of_claim
                assert example.label == CONTRADICTED
            case kind:
                assert kind == "sentence"
    kinds = {example.kind for example in examples}
    assert kinds == {"whole", "noisy", "partial", "foreign", "swapped", "negated", "sentence"}
    assert {example.label for example in examples if example.kind == "sentence"} == {ENTAILED, CONTRADICTED, NEUTRAL}


def test_examples_follow_from_seed_and_key_alone() -> None:
    assert labelled_examples(MANY, 0) == labelled_examples(MANY, 0)
    assert labelled_examples(MANY, 0) != labelled_examples(MANY, 1)
    assert labelled_examples([LabelledClaim(0, "k", "A.", Value.TRUE, 2, (), ("A",))], 0) == []


def test_averitec_claims_with_their_answers() -> None:
    answers = [Answer("Yes", AnswerType.BOOLEAN, boolean_explanation="The council said so.")]
    labeled = [Claim(f"Claim {n}.", claim_id=n, label=label, questions=[Question("Is it so?", answers)])
          for n, label in enumerate(Verdict)]  # fmt: skip
    examples = averitec_examples([*labeled, Claim("No evidence.", label=Verdict.REFUTED), Claim("No label.")], 0)
    assert [(one.text[0], one.label) for one in examples] == [
        ("Claim 0.", ENTAILED), ("Claim 1.", CONTRADICTED), ("Claim 2.", NEUTRAL),
    ]  # fmt: skip
    assert all(shown(one)[0][1] == "Yes. The council said so." for one in examples)


@pytest.mark.parametrize("seed", range(20))
def test_a_swap_changes_one_number_or_name_that_the_evidence_has(seed: int) -> None:
    sentence, evidence = "In 1990 Oster had 1,200 boats and Maria Berg.", "Oster: 1990, 1,200 boats, Maria Berg, Vell."
    false = swapped(sentence, evidence, ["Anna Holm went to Marn."], Random(seed))
    assert false is not None
    assert false != sentence
    unchanged = [part for part in ("1990", "Oster", "1,200", "Maria Berg") if part in false]
    assert len(unchanged) == 3


def test_what_cannot_be_swapped() -> None:
    assert swapped("It rained on the town.", "It rained on the town.", ["Anna"], Random(0)) is None
    assert swapped("Oster rained.", "Oster", ["Anna"], Random(0)) is None  # a first word may have its capital from that


def test_groups_of_pages_are_held_out_whole() -> None:
    chained = [LabelledClaim(n, f"c{n}", "A.", Value.TRUE, None, MANY[0].gold, (f"P{n // 2}",)) for n in range(200)]
    split = split_labelled(chained)
    assert len(split.train) + len(split.held_out) == 200
    assert 20 <= len(split.held_out) <= 60
    assert not {one.titles for one in split.train} & {one.titles for one in split.held_out}


PAGES = ("Oster", "Vell", "Marn", "Kyde", "Lorn", "Pask", "Ruhl", "Tamm")


def two_parts(number: int, value: Value = Value.TRUE) -> LabelledClaim:
    town, year = PAGES[number % 8], 1900 + number
    gold = (Sentence(f"Maria Berg lived in {town} and died in {year}.", f"{town} {number}"),)
    text = f"Maria Berg lived in {town} and died in {year}."
    false = f"Maria Berg lived in {town} and died in {year + 30}."
    return LabelledClaim(number, f"k{number}", text, value, None, gold, (f"{town} {number}",), false)


def test_parts_are_what_a_claim_says() -> None:
    parts = parts_of([
        "Maria Berg lived in Oster and died in 1990.",
        "Maria Berg lived in Oster.",
        "Maria Berg lived in Oster or died in 1990.",
        "",
    ])  # fmt: skip
    assert parts == [("Maria Berg lived in Oster.", "Maria Berg died in 1990."), (), (), ()]


def test_examples_of_parts() -> None:
    claims = [two_parts(number, Value.TRUE if number % 4 else Value.FALSE) for number in range(40)]
    examples = part_examples(claims, 0)
    stating: dict[str, list[LabelledClaim]] = {}
    for one, parts in zip(claims, parts_of([one.claim for one in claims]), strict=True):
        for part in parts:
            stating.setdefault(part, []).append(one)
    own = {(one.url, one.sentence): one for two_parts in claims for one in two_parts.gold}
    assert {example.kind for example in examples} == {"part"}
    assert {example.label for example in examples} == {ENTAILED, CONTRADICTED, NEUTRAL}
    for example in examples:
        text, titles = example.text[0], {title for title, _ in shown(example)}
        stated = stating.get(text)
        match example.label:
            case label if label == ENTAILED:
                assert stated is not None
                assert any(set(of.titles) <= titles for of in stated)
            case label if label == CONTRADICTED:
                assert not any(set(of.titles) <= titles for of in stated or ())
            case label:
                assert (label, stated is not None) == (NEUTRAL, True)
        assert all(passage in own for passage in shown(example))
    of_false = {title for one in claims if one.value is Value.FALSE for title in one.titles}
    assert not any({title for title, _ in shown(example)} <= of_false for example in examples)


def test_a_false_form_gives_the_part_that_is_false() -> None:
    examples = [example for example in part_examples([two_parts(1)], 0) if example.text[0].endswith("died in 1931.")]
    assert [example.label for example in examples] == [CONTRADICTED]
