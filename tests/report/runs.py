"""Folders as runs leave them, of a world of our own: eels, storks and what they eat."""

from collections.abc import Sequence
from pathlib import Path

from src.records import Answer, AnswerType, Claim, Prediction, QAPair, Question, Verdict
from src.store import encode_lines, encode_list

S, R, N, C = Verdict
HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)"> "quoted" & \'so\''


def claim(
    number: int, label: Verdict | None = R, text: str = "", types: Sequence[str] = ("Event/Property Claim",)
) -> Claim:
    """One with a gold question and answer of its own words."""
    question = Question(f"Do eels swim in river {number}?", [Answer("They do so at night.", AnswerType.EXTRACTIVE)])
    return Claim(text or f"Eels swim in river {number}.", number, label, claim_types=list(types), questions=[question])


def prediction(number: int, verdict: Verdict = R, answer: str = "They do so at night.", probability: float = 0.0,
               text: str = "") -> Prediction:  # fmt: skip
    """Evidence of one pair, alike to the gold one where the answer is; `probability` 0: none are given."""
    pair = QAPair(f"Do eels swim in river {number}?", answer, f"https://eels.example/{number}")
    others = dict.fromkeys(Verdict, (1 - probability) / 3) | {verdict: probability}
    return Prediction(number, text or f"Eels swim in river {number}.", [pair], verdict, others if probability else None)


def write_run(folder: Path, predictions: Sequence[Prediction], split: str = "dev") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{split}_veracity_prediction.json").write_bytes(encode_list(predictions))
    return folder


def write_claims(path: Path, claims: Sequence[Claim]) -> Path:
    path.write_bytes(encode_lines(claims))
    return path


def twelve(tmp: Path) -> tuple[Path, Path]:
    """A run of twelve claims and its labels: every third verdict is wrong, every fourth answer is."""
    tmp.mkdir(parents=True, exist_ok=True)
    labels = [claim(number, S if number % 2 else R, types=["Numerical Claim"] if number < 4 else ["Position Statement"])
              for number in range(12)]  # fmt: skip
    manifests = [
        prediction(one.claim_id, (C if one.claim_id % 3 == 0 else one.label) or R,
                   "Storks eat frogs." if one.claim_id % 4 == 0 else "They do so at night.", 0.5 + one.claim_id / 30)
        for one in labels
    ]  # fmt: skip
    return write_run(tmp / "run", manifests), write_claims(tmp / "labels.json", labels)
