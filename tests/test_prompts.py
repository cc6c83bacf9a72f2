"""Prompt templates are loaded from files."""

import pytest

from src import prompts


@pytest.mark.parametrize("name", sorted(path.stem for path in prompts.FOLDER.glob("*.md")))
def test_every_prompt_loads_without_its_final_newline(name: str) -> None:
    template = prompts.load(name)
    assert template.is_valid()
    assert template.template.strip()
    assert not template.template.endswith("\n")


def test_an_unknown_prompt_is_a_fault_of_the_program() -> None:
    with pytest.raises(FileNotFoundError):
        prompts.load("no_such_prompt")
