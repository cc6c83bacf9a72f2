"""The step that fits a stacked verdict model: the written file judges claims."""

from pathlib import Path

import msgspec
import pytest

from src.errors import InputError
from src.models.entailment import LABELS, TASK, load_reading
from src.models.evidence_rows import CLAIM_ONLY, LAYOUT
from src.records import Evidence, QAPair
from src.stance.stacker import STACKER, Stacker, load_stacked_verdict
from src.training.fit_stacker import main
from tests.models.adapters import make_base, make_trained
from tests.training.small_claims import write_claims
from tests.training.small_pack import write_pack
from tests.training.small_scenarios import write_scenarios
from tests.word_encoder import WordEncoder

pytestmark = pytest.mark.long


@pytest.fixture
def joint(tmp_path: Path) -> Path:
    make_trained(tmp_path / "joint", make_base(tmp_path / "bert", "bert"), "veracity")
    return tmp_path / "joint"


def fit(folder: Path, joint: Path, *more: str) -> int:
    files = ["--train", str(write_claims(folder, 200)), "--leave_out", "none", "-o", str(folder / "stacked")]
    return main([*files, "--pack", str(write_pack(folder / "pack")), "--readers", str(joint), *more])


def test_what_it_leaves_judges_claims(tmp_path: Path, joint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(tmp_path, joint) == 0
    assert "stacker: AVeriTeC accuracy" in capsys.readouterr().out
    held = msgspec.json.decode((tmp_path / "stacked" / STACKER).read_bytes(), type=Stacker)
    assert held.readers == (load_reading(joint).info.sha256,)
    assert {"train.json", "fm2.jsonl.gz"} <= set(held.data)
    assert {"AVeriTeC accuracy", "pack macro-F1", "pack coverage"} <= set(held.scores)
    model = load_stacked_verdict(tmp_path / "stacked", lambda _: load_reading(joint))
    (judgment,) = model.judge([Evidence(0, "The town sold trams.", [QAPair("", "It sold all of its trams.", "")])])
    assert judgment.level is not None
    assert judgment.verdict_set


def test_two_readers_beside_the_stacker(tmp_path: Path, joint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stacked = tmp_path / "stacked"
    second = stacked / "second_reader"
    make_trained(second, make_base(tmp_path / "other", "bert"), "veracity", seed=1)
    assert fit(tmp_path, joint, str(second), "--most", "12") == 0
    output = capsys.readouterr().out
    assert f"stacker: copy {joint} to {stacked / 'reader'}, from where it is loaded\n" in output
    assert "second_reader" not in output
    joint.rename(stacked / "reader")
    model = load_stacked_verdict(stacked, load_reading)
    assert model.info.details["stacked_on"] == "reader, second_reader"
    assert model.judge([Evidence(0, "The town sold trams.", [QAPair("", "It sold all of them.", "")])])[0].level
    with pytest.raises(InputError, match=f"another model than {second}; put that model into {second}"):
        load_stacked_verdict(stacked, lambda _: load_reading(stacked / "reader"))
    assert fit(tmp_path, stacked / "reader", "--most", "12", "--overwrite") == 0
    assert f"stacker: remove {second}, on which it was not fitted\n" in capsys.readouterr().out


def test_one_reader_or_two_that_differ(tmp_path: Path, joint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more in ([str(joint)], ["second", "third"]):
        assert fit(tmp_path, joint, *more) == 2
        assert capsys.readouterr().err == "error: --readers takes one folder, or two that differ\n"


def test_the_same_seed_gives_the_same_file(tmp_path: Path, joint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(tmp_path, joint, "--quiet") == 0
    first = (tmp_path / "stacked" / STACKER).read_bytes()
    assert fit(tmp_path, joint, "--quiet") == 2
    assert "exists; --overwrite" in capsys.readouterr().err
    assert fit(tmp_path, joint, "--quiet", "--overwrite") == 0
    assert (tmp_path / "stacked" / STACKER).read_bytes() == first


def test_some_claims_of_a_kind_are_read(tmp_path: Path, joint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fit(tmp_path, joint, "--most", "12") == 0
    assert "stacker: reading the passages of 29 claims" in capsys.readouterr().out  # 12, 12 and 5 changed rows


def test_files_that_are_not_there_are_named(tmp_path: Path, joint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = ["--leave_out", "none", "--readers", str(joint), "-o", str(tmp_path / "stacked")]
    assert main(["--train", "none.json", *files]) == 2
    assert "none.json: not found" in capsys.readouterr().err
    claims = str(write_claims(tmp_path, 40))
    assert main(["--train", claims, *files, "--pack", "nowhere"]) == 2
    assert "nowhere/" in capsys.readouterr().err


def test_a_model_that_reads_no_evidence_is_refused(
    tmp_path: Path, joint: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = joint / "training.json"
    record.write_text(record.read_text().replace(LAYOUT, CLAIM_ONLY))
    assert fit(tmp_path, joint, "--quiet") == 2
    assert "nor a verdict model that reads all evidence at once" in capsys.readouterr().err


def test_an_entailment_model_is_no_verdict_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_trained(tmp_path / "entailment", make_base(tmp_path / "bert", "bert"), TASK, labels=LABELS)
    assert fit(tmp_path, tmp_path / "entailment", "--quiet") == 2
    assert "--readers takes models of train_veracity" in capsys.readouterr().err


def test_scenarios_are_a_part_of_their_own(tmp_path: Path, joint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("src.training.passages.held_out.load_encoder", WordEncoder)
    assert fit(tmp_path, joint, "--quiet", "--scenarios", str(write_scenarios(tmp_path / "scenarios"))) == 0
    held = msgspec.json.decode((tmp_path / "stacked" / STACKER).read_bytes(), type=Stacker)
    assert "scenarios accuracy" in held.scores
    assert "shops.jsonl" in held.data
