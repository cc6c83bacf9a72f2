"""check_folder on folders with a small program as the system: whole, and broken in several ways."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from src.fever8 import check_folder
from tests.fever8.folders import made, replace, with_stand_in, write_model

pytestmark = pytest.mark.long


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return with_stand_in(made(tmp_path / "a folder (with spaces)", monkeypatch, "--strategy", "programs"))


def check(folder: Path, *flags: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code of a check, and its report."""
    out = folder.parent / "report.json"
    code = check_folder.main([str(folder), "--trial", "3", "--json", str(out), *flags])
    report: dict[str, Any] = json.loads(out.read_bytes())
    return code, report


def exit_code(folder: Path, *flags: str) -> int:
    try:
        return check_folder.main([str(folder), *flags])
    except SystemExit as error:
        return int(str(error.code))


def broken(report: dict[str, Any]) -> dict[str, str]:
    return {one["rule"]: one["detail"] for one in report["findings"] if one["passed"] is False}


def test_a_whole_folder_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = check(with_stand_in(folder, seconds=1.0))
    assert (code, broken(report), report["passed"]) == (0, {}, True)
    found = {one["rule"]: one["detail"] for one in report["findings"]}
    assert found["results"].startswith("1 verdict in both files")
    assert "after the timed part had ended" in found["scorer"]
    assert report["speed"]["claim"] > 0
    text = capsys.readouterr().out
    assert "pass  speed       1000 claims: " in text
    assert text.endswith("passed: no rule is broken\n")
    assert sorted(path.name for path in (folder / "data_store").glob("*")) == []  # a trial leaves nothing behind


@pytest.mark.parametrize("name", ["system_inference.sh", "Dockerfile", "script/setup.sh", "system.json"])
def test_a_missing_file_is_named_and_nothing_runs(folder: Path, name: str) -> None:
    (folder / name).unlink()
    code, report = check(folder)
    assert (code, broken(report)) == (1, {"files": f"missing: {name}"})
    assert report["findings"][-1]["rule"] == "run"


def test_a_script_is_executable_and_bash(folder: Path) -> None:
    os.chmod(folder / "run_system.sh", 0o644)
    replace(folder / "installation.sh", "if\n")
    code, report = check(folder)
    assert code == 1
    assert broken(report)["executable"] == "not executable: run_system.sh"
    assert broken(report)["scripts"].startswith("installation.sh is no bash script")


def test_a_network_in_the_inference_is_an_attempt(folder: Path) -> None:
    script = folder / "system_inference.sh"
    reach = "import socket; socket.create_connection(('192.0.2.1', 9), timeout=1)"
    replace(script, script.read_text() + f'.venv/bin/python -c "{reach}" 2>/dev/null || true\n')
    code, report = check(folder)
    assert (code, list(broken(report))) == (1, ["offline"])
    assert "tried to reach 192.0.2.1" in broken(report)["offline"]


def test_a_network_that_other_programs_need_is_not_there(folder: Path) -> None:
    script = folder / "system_inference.sh"
    replace(script, script.read_text() + "exec 3<>/dev/tcp/192.0.2.1/9\n")
    code, report = check(folder)
    assert code == 1
    assert "Network is unreachable" in broken(report)["run"]


def test_a_scorer_in_the_timed_part_is_found(folder: Path) -> None:
    script = folder / "run_system.sh"
    text = script.read_text().replace("unset LABELS", "export LABELS")
    replace(script, text)
    inference = folder / "system_inference.sh"
    score = '.venv/bin/python -m src.prediction.evaluate_veracity -i "$out/submission.csv" --label_file "$LABELS"'
    replace(inference, inference.read_text() + f"{score} >/dev/null\n")
    code, report = check(folder)
    assert (code, list(broken(report))) == (1, ["scorer"])
    assert "before the timed part ended" in broken(report)["scorer"]


def test_timings_that_leave_out_a_part_are_found(folder: Path) -> None:
    script = folder / "run_system.sh"
    replace(script, script.read_text().replace("ended=$(now)", "ended=$((began + 10000))"))
    with_stand_in(folder, seconds=1.0)
    code, report = check(folder)
    assert code == 1
    assert "0.0 s in measured_timings.txt" in broken(report)["timings"]


def test_a_slow_system_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_stand_in(folder, seconds=1.0)
    monkeypatch.setattr("src.fever8.checks.SECONDS_A_CLAIM", 0.5)
    code, report = check(folder, "--claims", "100")
    assert (code, list(broken(report))) == (1, ["speed"])
    monkeypatch.setattr("src.fever8.trial.SECONDS_A_CLAIM", 0.0)
    monkeypatch.setattr("src.fever8.trial.SPARE_SECONDS", 1.0)
    code, report = check(folder)
    assert code == 1
    assert "3 claims: stopped after 1.0 s: too slow" in broken(report)["run"]


def test_a_model_that_is_too_large_fails(folder: Path) -> None:
    write_model(folder / "own_models/0_large", 29.5, {"n_layer": 40, "n_head": 8, "hidden_size": 1024})
    system = json.loads((folder / "system.json").read_bytes())
    (folder / "system.json").write_text(json.dumps({**system, "llms": ["hf:own_models/0_large"]}))
    code, report = check(folder, "--no_trial")
    assert (code, list(broken(report))) == (1, ["GPU memory"])
    assert report["memory"]["models"]["own_models/0_large"] > 29e9


def test_a_claim_without_a_verdict_is_found(folder: Path) -> None:
    script = folder / "system_inference.sh"
    replace(script, script.read_text().replace("for claim in claims]\n", "for claim in claims[1:]]\n"))
    code, report = check(folder)
    assert code == 1
    details = [one["detail"] for one in report["findings"] if one["rule"] == "results"]
    assert any("1 claim(s) not predicted" in detail for detail in details)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--trial", "1"], "1 is not at least 2"),
        (["--claim_file", "nothing.json"], "nothing.json: not found"),
        (["--knowledge_store_dir", "nothing"], "nothing"),
        (["--reference_corpus", "nothing.json"], "nothing.json: not found"),
    ],
)
def test_bad_input_is_one_line(
    folder: Path, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(folder, *flags) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_a_folder_that_is_not_installed_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / ".venv").unlink()
    assert check_folder.main([str(folder)]) == 2
    assert "is not installed yet: bash" in capsys.readouterr().err
    assert check_folder.main([str(folder / "nothing")]) == 2
    assert "no such folder" in capsys.readouterr().err
    (folder / "system.json").write_text('{"name": 3}')
    assert check_folder.main([str(folder)]) == 2
    assert "system.json" in capsys.readouterr().err
