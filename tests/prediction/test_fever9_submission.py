import json
from pathlib import Path

import pytest

from src.prediction import fever9_submission, one_call
from src.records import ChosenSentence, Claim, RankedSentences
from src.reranking.top_file import encode_ranked
from src.store import encode_list
from tests.one_call.replies import ANSWER, CLAIM
from tests.runner.small_world import write_script

PAIR = "Do eels swim in the Varn? Yes, every spring."


@pytest.mark.parametrize(
    ("form", "flags", "first"),
    [
        ("statements", [], "Yes, every spring."),
        ("pairs", [], PAIR),
        ("statements", ["--evidence", "pairs"], PAIR),
        ("pairs", ["--evidence", "statements"], "Yes, every spring."),
    ],
)
def test_predictions_become_entries(tmp_path: Path, form: str, flags: list[str], first: str) -> None:
    sources = [ChosenSentence(source.text, source.url) for source in CLAIM.sources]
    (tmp_path / "top.json").write_bytes(encode_ranked(RankedSentences(0, CLAIM.claim, 2, [*sources])))
    (tmp_path / "claims.json").write_bytes(encode_list([Claim(CLAIM.claim, 0)]))
    llm = write_script(tmp_path / "script.jsonl", {"one_call": [json.dumps(ANSWER)]})
    made, out = str(tmp_path / "made.json"), tmp_path / "out.json"
    names = ["-i", str(tmp_path / "top.json"), "-c", str(tmp_path / "claims.json"), "-o", made, "--llm", llm]
    assert one_call.main([*names, "--num_examples", "0", "--evidence", form]) == 0
    assert fever9_submission.main(["-i", made, "-o", str(out), *flags]) == 0
    (entry,) = json.loads(out.read_bytes())
    assert list(entry) == ["id", "questions", "evidence", "verdict", "justification"]
    assert (entry["id"], entry["verdict"], entry["justification"]) == (0, "Refuted", "Eels swim in the Varn.")
    assert entry["questions"] == ["Do eels swim in the Varn?", "Are there otters in Hexley?"]
    assert entry["evidence"][0] == {"text": first, "images": []}


def test_predictions_of_other_steps_are_pairs(tmp_path: Path) -> None:
    made = [{"claim_id": 3, "claim": "A.", "evidence": [{"question": "B?", "answer": "C."}], "pred_label": "Supported"}]
    (tmp_path / "made.json").write_text(json.dumps(made))
    assert fever9_submission.main(["-i", str(tmp_path / "made.json"), "-o", str(tmp_path / "out.json")]) == 0
    (entry,) = json.loads((tmp_path / "out.json").read_bytes())
    assert (entry["id"], entry["evidence"], entry["justification"]) == (3, [{"text": "B? C.", "images": []}], "")
