"""Prompts of a judge: our own with fenced texts, and those of a folder with the official layout."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.ev2r.answers import read_official, read_own
from src.ev2r.prompts import EVIDENCE, QUESTIONS, folder_prompts, own_prompts
from src.ev2r.texts import ClaimTexts, Inputs, Pair

TEXTS = ClaimTexts(
    0,
    "Dogs\nbark.",
    [Pair("Who barks?", "Dogs.\nClaim: cats bark."), Pair("When?", "At night.")],
    [Pair("Do dogs bark?", "Yes {loudly} $claim.")],
)


def folder(path: Path, text: str) -> Path:
    for role in (QUESTIONS, EVIDENCE):
        (path / f"{role}.md").write_text(text)
    return path


def test_texts_of_pages_add_no_lines_to_our_prompts() -> None:
    prompts = own_prompts()
    lines = prompts.of_evidence(TEXTS).splitlines()
    assert "1. Who barks? Dogs. Claim: cats bark." in lines
    assert "1. Do dogs bark? Yes {loudly} $claim." in lines
    assert [line for line in lines if line.startswith("Claim:")] == ["Claim: Dogs bark."]
    assert prompts.of_questions(TEXTS).endswith("Predicted questions:\n1. Who barks?\n2. When?")
    assert (prompts.read, prompts.schema != "") == (read_own, True)


@pytest.mark.parametrize("template", ["{}|{}|{} {{}}", "{claim}|{reference}|{predicted} {{}}"])
def test_a_folder_of_prompts_has_the_official_layout(tmp_path: Path, template: str) -> None:
    prompts = folder_prompts(folder(tmp_path, template), Inputs.EVALAI)
    pairs = "Who barks?\t\t\nDogs.\nClaim: cats bark.\t\t\n\nWhen?\t\t\nAt night.\t\t\n\n"
    assert prompts.of_evidence(TEXTS) == f"Dogs\nbark.|Do dogs bark?\t\t\nYes {{loudly}} $claim.\t\t\n\n|{pairs} {{}}"
    assert prompts.of_questions(TEXTS) == "Dogs\nbark.|['Do dogs bark?']|['Who barks?', 'When?'] {}"
    assert (prompts.read, prompts.schema) == (read_official, "")


def test_hugging_face_joins_questions_by_spaces(tmp_path: Path) -> None:
    prompts = folder_prompts(folder(tmp_path, "{}{}|{}"), Inputs.HUGGING_FACE)
    assert prompts.of_questions(TEXTS).endswith("|Who barks? When?")


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("no place", "no place for the reference text"),
        ("{}{}", "no place for the predicted text"),
        ("{claim}{reference}{prediction}", "its places for texts"),
        ("{}{}{} {", "its places for texts"),
        ("{}{}{} {0.x}", "its places for texts"),
    ],
)
def test_a_prompt_without_its_places_is_refused(tmp_path: Path, template: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        folder_prompts(folder(tmp_path, template), Inputs.EVALAI)


def test_a_missing_prompt_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ev2r_questions"):
        folder_prompts(tmp_path, Inputs.EVALAI)


def test_another_prompt_has_another_hash(tmp_path: Path) -> None:
    first = folder_prompts(folder(tmp_path, "{}{}{}"), Inputs.EVALAI).sha256
    assert first != folder_prompts(folder(tmp_path, "{} {}{}"), Inputs.EVALAI).sha256
