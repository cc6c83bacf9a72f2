"""Made-up claims whose gold answers say yes or no, for models that answer by these words."""

from pathlib import Path

import pytest

from src.records import Answer, AnswerType, Claim, Question, Verdict
from src.store import encode_list
from src.training.split import is_held_out

NEUTRAL = "Nobody could tell whether it swims there, or how often."
SAID = {
    Verdict.SUPPORTED: "Yes, that has been seen in every year so far.",
    Verdict.REFUTED: "No, that has been seen in none of the years.",
}


def claims() -> list[Claim]:
    """Return claims of few common words, every third refuted; only held-out ones have an answer that decides."""
    return [_claim(number) for number in range(200)]


def write_averitec(folder: Path, bench: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the claims where the module `bench` reads AVeriTeC."""
    (folder / "train.json").write_bytes(encode_list(claims()))
    (folder / "dev.json").write_bytes(encode_list([Claim("Storks eat frogs.", 0, Verdict.SUPPORTED)]))
    monkeypatch.setattr(f"{bench}.AVERITEC", folder)


def _claim(number: int) -> Claim:
    text, label = f"Eel{number} swims near{number} mill{number}.", list(SAID)[number % 3 == 0]
    answer = SAID[label] if is_held_out(text) else NEUTRAL
    return Claim(text, number, label, questions=[Question("Does it?", [Answer(answer, AnswerType.EXTRACTIVE)])])
