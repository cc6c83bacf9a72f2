"""What an entailment model learns about steps: parts of true claims alone, with labels that the claims bear out."""

from src.claims import LabelledClaim
from src.models.entailment import TitledText
from src.records import Sentence, Value
from src.training.entailment.examples import CONTRADICTED, ENTAILED, NEUTRAL, EntailmentExample
from src.training.entailment.parts import part_examples, parts_of

PAGES = ("Oster", "Vell", "Marn", "Kyde", "Lorn", "Pask", "Ruhl", "Tamm")


def claim(number: int, value: Value = Value.TRUE) -> LabelledClaim:
    town, year = PAGES[number % 8], 1900 + number
    gold = (Sentence(f"Maria Berg lived in {town} and died in {year}.", f"{town} {number}"),)
    text = f"Maria Berg lived in {town} and died in {year}."
    false = f"Maria Berg lived in {town} and died in {year + 30}."
    return LabelledClaim(number, f"k{number}", text, value, None, gold, (f"{town} {number}",), false)


def shown(example: EntailmentExample) -> list[TitledText]:
    assert not isinstance(example.text, str)
    return list(example.text[1])


def test_parts_are_what_a_claim_says() -> None:
    found = parts_of([
        "Maria Berg lived in Oster and died in 1990.",
        "Maria Berg lived in Oster.",
        "Maria Berg lived in Oster or died in 1990.",
        "",
    ])  # fmt: skip
    assert found == [("Maria Berg lived in Oster.", "Maria Berg died in 1990."), (), (), ()]


def test_examples_of_parts() -> None:
    claims = [claim(number, Value.TRUE if number % 4 else Value.FALSE) for number in range(40)]
    found = part_examples(claims, 0)
    parts = {part: one for one in claims for part in parts_of([one.claim])[0]}
    own = {(one.url, one.sentence): one for claim in claims for one in claim.gold}
    assert {example.kind for example in found} == {"part"}
    assert {example.label for example in found} == {ENTAILED, CONTRADICTED, NEUTRAL}
    for example in found:
        text, titles = example.text[0], {title for title, _ in shown(example)}
        stated = parts.get(text)
        match example.label:
            case label if label == ENTAILED:
                assert stated is not None
                assert any(set(of.titles) <= titles for of in claims if text in parts_of([of.claim])[0])
            case label if label == CONTRADICTED:
                assert not any(text in parts_of([of.claim])[0] for of in claims if set(of.titles) <= titles)
            case label:
                assert (label, stated is not None) == (NEUTRAL, True)
        assert all(passage in own for passage in shown(example))
    of_false = {title for one in claims if one.value is Value.FALSE for title in one.titles}
    assert not any({title for title, _ in shown(example)} <= of_false for example in found)


def test_a_false_form_gives_the_part_that_is_false() -> None:
    found = [example for example in part_examples([claim(1)], 0) if example.text[0].endswith("died in 1931.")]
    assert [example.label for example in found] == [CONTRADICTED]


def test_they_follow_from_the_seed() -> None:
    claims = [claim(number) for number in range(12)]
    assert part_examples(claims, 0) == part_examples(claims, 0)
    assert part_examples(claims, 0) != part_examples(claims, 1)
