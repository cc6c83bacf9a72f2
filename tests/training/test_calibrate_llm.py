import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from src.llm.protocol import ModelInfo
from src.llm.scripted_backend import ScriptedModel
from src.one_call.caller import ROLE, OneCall
from src.one_call.verdict import Calibration
from src.prediction import one_call
from src.records import VERDICTS, ChosenSentence, Claim, Level, Prediction, RankedSentences, Verdict
from src.reranking.top_file import encode_ranked
from src.runner import merge
from src.runner.manifest import manifest_path
from src.store import encode_list, read_by_claim, read_claims, read_json
from src.training import calibrate_llm
from src.training.split import is_held_out
from tests.one_call.replies import ANSWER, CLAIM

KEYS = ("supported", "refuted", "not_enough_evidence", "conflicting_evidence_or_cherrypicking")
COUNT = 180


def reply(rated: Verdict, strength: int) -> str:
    ratings = {key: 5 if verdict is rated else 5 - strength for key, verdict in zip(KEYS, VERDICTS, strict=True)}
    return json.dumps(ANSWER | {"agreement": ratings})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write claims, two thirds of them refuted, and ratings: strong ones are right, weak ones are wrong."""
    random = Random(0)
    labels = [random.choice([Verdict.REFUTED, Verdict.REFUTED, Verdict.SUPPORTED]) for _ in range(COUNT)]
    claims = [Claim(f"{CLAIM.claim} {number}", number, label=label) for number, label in enumerate(labels)]
    sources = [ChosenSentence(source.text, source.url) for source in CLAIM.sources]
    ranked = [encode_ranked(RankedSentences(one.claim_id, one.claim, 2, [*sources])) for one in claims]
    wrong = [random.choice([verdict for verdict in VERDICTS if verdict is not label]) for label in labels]
    outputs = [reply(label, 4) if number % 2 else reply(wrong[number], 1) for number, label in enumerate(labels)]
    (tmp_path / "claims.json").write_bytes(encode_list(claims))
    (tmp_path / "top.json").write_bytes(b"\n".join(ranked))
    lines = [json.dumps({"role": ROLE, "output": output}) for output in outputs]
    (tmp_path / "script.jsonl").write_text("\n".join(lines))
    return tmp_path


def predict(folder: Path, output: str, *flags: str) -> int:
    names = ["-i", str(folder / "top.json"), "-c", str(folder / "claims.json"), "-o", str(folder / output)]
    return one_call.main([*names, "--num_examples", "0", "--llm", f"scripted:{folder / 'script.jsonl'}", *flags])


def calibrate(folder: Path, source: str = "out.json") -> int:
    names = ["-i", str(folder / source), "--label_file", str(folder / "claims.json")]
    return calibrate_llm.main([*names, "-o", str(folder / "calibration.json")])


def test_a_calibration_gives_levels_that_hold(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert predict(folder, "out.json") == 0
    assert calibrate(folder) == 0
    printed = capsys.readouterr().out
    assert f"{COUNT} claims, temperature" in printed
    assert "baseline, the commonest verdict for every claim: accuracy 0.6" in printed
    calibration = read_json(folder / "calibration.json", Calibration)
    assert calibration.prompt == OneCall(ScriptedModel([], ModelInfo("s", "s", "s"))).prompt_hash
    assert calibration.levels.claims == COUNT
    assert predict(folder, "leveled.json", "--calibration", str(folder / "calibration.json")) == 0
    made = read_by_claim(folder / "leveled.json", Prediction)
    strong = [one for one in made if one.claim_id % 2 and one.pred_label is Verdict.REFUTED]
    assert {one.level for one in strong} == {Level.FIRM}
    assert {one.level for one in made if one.claim_id % 2 == 0} == {Level.UNDECIDED}
    given = Counter(one.level for one in made)
    assert {level: given[level] / COUNT for level in Level} == pytest.approx(calibration.levels.share, abs=1e-4)
    labels = {claim.claim_id: claim.label for claim in read_claims(folder / "claims.json")}
    assert (
        sum(labels[one.claim_id] in (one.verdict_set or []) for one in made) >= (1 - calibration.levels.alpha) * COUNT
    )


def test_a_calibration_belongs_to_its_settings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert predict(folder, "out.json") == 0
    assert calibrate(folder) == 0
    assert predict(folder, "other.json", "--calibration", str(folder / "calibration.json"), "--sources", "1") == 2
    assert "calibration.json: was fitted for --sources 10, not for 1" in capsys.readouterr().err
    assert predict(folder, "other.json", "--calibration", str(folder / "calibration.json"), "--top_n", "3") == 2
    assert "was fitted for --top_n 10, not for 3" in capsys.readouterr().err


def test_ties_are_decided_as_in_use(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tied = json.dumps(ANSWER | {"agreement": dict.fromkeys(KEYS, 3)})
    line = json.dumps({"role": ROLE, "output": tied})
    (folder / "script.jsonl").write_text("\n".join([line] * COUNT))
    assert predict(folder, "out.json") == 0
    made = read_by_claim(folder / "out.json", Prediction)
    labels = {claim.claim_id: claim.label for claim in read_claims(folder / "claims.json")}
    accuracy = sum(one.pred_label is labels[one.claim_id] for one in made) / COUNT
    capsys.readouterr()
    assert calibrate(folder) == 0
    assert f"as rated: accuracy {accuracy:.3f}" in capsys.readouterr().out


def test_what_cannot_be_fitted_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate(folder, "claims.json") == 2
    assert "is no output of src.prediction.one_call" in capsys.readouterr().err
    assert predict(folder, "few.json", "-e", "39") == 0
    assert calibrate(folder, "few.json") == 2
    assert "39 claims with ratings and labels; at least 40 are needed" in capsys.readouterr().err
    assert predict(folder, "out.json") == 0
    assert calibrate(folder) == 0
    assert predict(folder, "leveled.json", "--calibration", str(folder / "calibration.json")) == 0
    assert calibrate(folder, "leveled.json") == 2
    assert "was made with a calibration" in capsys.readouterr().err


def test_failed_claims_are_left_out(folder: Path) -> None:
    lines = (folder / "script.jsonl").read_text().splitlines()
    bad = json.dumps({"role": ROLE, "output": "no"})
    (folder / "script.jsonl").write_text("\n".join([bad, bad, *lines[1:]]))
    assert predict(folder, "out.json") == 1
    assert calibrate(folder) == 0
    assert read_json(folder / "calibration.json", Calibration).levels.claims == COUNT - 1


def test_labels_of_other_claims_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert predict(folder, "out.json") == 0
    others = [
        Claim(f"Otters {one.claim_id}.", one.claim_id, label=one.label) for one in read_claims(folder / "claims.json")
    ]
    (folder / "claims.json").write_bytes(encode_list(others))
    assert calibrate(folder) == 2
    assert "180 claim(s) with another text than in" in capsys.readouterr().err
    assert not (folder / "calibration.json").exists()


def test_merged_predictions_serve_as_well(folder: Path) -> None:
    for start, end in ((0, 90), (90, COUNT)):
        assert predict(folder, f"out.{start}-{end}.json", "-s", str(start), "-e", str(end)) == 0
    assert merge.main([str(folder / "out.json")]) == 0
    assert calibrate(folder) == 0
    calibration = read_json(folder / "calibration.json", Calibration)
    assert calibration.settings == {"sources": 10, "num_examples": 0, "samples": 1, "top_n": 10}
    assert calibration.levels.claims == COUNT


def test_claims_that_an_adapter_may_have_learned_do_not_count(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert predict(folder, "out.json") == 0
    path = manifest_path(folder / "out.json")
    manifest = json.loads(path.read_text())
    manifest["model"]["details"]["adapter_sha256"] = "abc"
    path.write_text(json.dumps(manifest))
    assert calibrate(folder) == 2
    few = sum(is_held_out(claim.claim) for claim in read_claims(folder / "claims.json"))
    assert 0 < few < 40
    assert f"{few} claims with ratings and labels that every training holds out; at least 40" in capsys.readouterr().err


def test_only_an_earlier_calibration_is_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert predict(folder, "out.json") == 0
    assert calibrate(folder) == calibrate(folder) == 0
    thesis = folder / "thesis.json"
    thesis.write_text('["years of work"]')
    names = ["-i", str(folder / "out.json"), "--label_file", str(folder / "claims.json"), "-o", str(thesis)]
    assert calibrate_llm.main(names) == 2
    assert "thesis.json: is no earlier calibration; name another file" in capsys.readouterr().err
    assert thesis.read_text() == '["years of work"]'


def test_a_calibration_belongs_to_the_fields_of_its_server(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert predict(folder, "out.json") == 0
    path = manifest_path(folder / "out.json")
    manifest = json.loads(path.read_text())
    manifest["model"]["details"]["server_fields"] = '{"reasoning_effort":"low"}'
    path.write_text(json.dumps(manifest))
    assert calibrate(folder) == 0
    assert read_json(folder / "calibration.json", Calibration).server_fields == '{"reasoning_effort":"low"}'
    assert predict(folder, "other.json", "--calibration", str(folder / "calibration.json")) == 2
    assert 'was fitted for --server_fields {"reasoning_effort":"low"}, not for none' in capsys.readouterr().err
