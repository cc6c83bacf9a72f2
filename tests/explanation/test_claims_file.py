"""Claims to explain: the field with their evidence, and PolitiHop's published sample."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.errors import InputError
from src.explanation.claims_file import gold_explanations, read_claims_to_explain
from src.explanation.politihop import published_sample
from src.records import QAPair

PAIRS = [{"question": "Q?", "answer": "A."}]
CLAIM = {"claim": "Eels fly.", "label": "Refuted"}
ASKED: dict[str, Any] = {"question": " Do eels fly? ", "answers": [
    {"answer": "No", "answer_type": "Boolean", "boolean_explanation": "Eels swim."}, {"answer": "Never."},
]}  # fmt: skip


def written(folder: Path, **more: Any) -> Path:
    path = folder / "dev.json"
    path.write_text(json.dumps([CLAIM | more]))
    return path


def test_gold_questions_are_the_evidence_and_the_justification_is_the_explanation(tmp_path: Path) -> None:
    path = written(tmp_path, questions=[ASKED, {"question": "Why?"}], justification="Eels swim.", claim_date="1-2-2020")
    (claim,) = read_claims_to_explain(path)
    assert claim.evidence == [
        QAPair("Do eels fly?", "No. Eels swim."), QAPair("Do eels fly?", "Never."),
        QAPair("Why?", "No answer could be found."),
    ]  # fmt: skip
    assert claim.explanation == "Eels swim."
    assert [claim] == gold_explanations(path)


def test_a_prediction_with_an_empty_list_of_questions_keeps_its_evidence(tmp_path: Path) -> None:
    (claim,) = read_claims_to_explain(written(tmp_path, questions=[], evidence=[{"question": "Q?", "answer": "A."}]))
    assert claim.evidence == [QAPair("Q?", "A.")]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"source": "Eels swim.", "evidence": [{"question": "Q?", "answer": "A."}]},
            "source: is given as well as evidence",
        ),
        (
            {"questions": [ASKED], "evidence": [{"question": "Q?", "answer": "A."}]},
            "questions: is given as well as evidence",
        ),
        ({"questions": [ASKED], "source": "Eels swim."}, "source: is given as well as questions"),
        ({"questions": ["Q?"]}, "field questions[0]: Expected"),
    ],
)
def test_one_of_them_is_what_is_explained(tmp_path: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        read_claims_to_explain(written(tmp_path, **more))
    assert message in str(refused.value)
    assert "line 1" in str(refused.value)


def test_the_published_sample_has_445_claims(shared_data: Path) -> None:
    sample = published_sample(shared_data / "madr" / "politihop_test.tsv.gz")
    assert len(sample) == 445
    assert all(one.source for one in sample)
    assert {one.label for one in sample} == {"false", "half-true", "true"}
