"""Gold passages of each data set, for the claims that are asked for and no others."""

import json
from pathlib import Path

import pytest

from src.claims import read_gold_passages
from src.errors import InputError
from src.records import Sentence


def test_gold_passages_of_each_data_set(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    answers = [
        {"answer": "Ann", "answer_type": "Extractive", "source_url": "https://a.example"},
        {"answer": "No", "answer_type": "Boolean", "boolean_explanation": "She left."},
        {"answer": "No answer could be found.", "answer_type": "Unanswerable"},
    ]
    lines = [
        {"claim": "A.", "evidence": "Lund\tA [[Town|town]].\nIt rained."},
        {"claim": "B.", "questions": [{"question": "Who sang? ", "answers": answers}]},
        {"claim": "C.", "claim_id": 9},
    ]
    path.write_text(json.dumps(lines), "utf-8")
    claims = {0: "A.", 1: " b. "}
    assert read_gold_passages(path, claims) == {
        0: [Sentence("A town.", "Lund"), Sentence("It rained.", "")],
        1: [Sentence("Who sang? Ann", "https://a.example"), Sentence("Who sang? No. She left.", "")],
    }
    assert read_gold_passages(path, {0: "A.", 9: "C."})[9] == []


@pytest.mark.parametrize(
    ("claims", "message"),
    [({0: "A."}, ""), ({0: "B."}, "line 1, field claim: is not claim 0 of the programs"), ({7: "A."}, "no claim 7"),
     ({1: "B."}, "none of the claims has gold evidence here")],
)  # fmt: skip
def test_gold_evidence_of_other_claims_is_refused(tmp_path: Path, claims: dict[int, str], message: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"claim": "A.", "evidence": "It rained."}\n{"claim": "B."}\n')
    if not message:
        assert len(read_gold_passages(path, claims)) == 1
        return
    with pytest.raises(InputError, match=message):
        read_gold_passages(path, claims)


def test_a_claim_that_stands_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"claim": "A.", "claim_id": 1, "evidence": "It rained."}\n{"claim": "A.", "evidence": "Snow."}\n')
    with pytest.raises(InputError, match="line 2, field claim_id: claim_id 1 stands also on line 1"):
        read_gold_passages(path, {1: "A."})
