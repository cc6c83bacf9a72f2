"""The step: an address and ratings, their agreement, their use by evaluate_explanations, and what is refused."""

import json
import signal
import socket
from pathlib import Path

import pytest
import requests

from src.explanation import annotate, evaluate_explanations
from tests.explanation.annotation.explained import explained, written
from tests.serving.served import served

RATING = {"annotator": "ann", "claim_id": 0, "method": "e", "explanation": "0" * 16, "errors": [["EE"], []]}
EVERY_ADDRESS = ["0.0.0.0", "0", "0.0", "0x0"]
EVERY_ADDRESS += ["::", "::0", "0:0:0:0:0:0:0:0"] if socket.has_dualstack_ipv6() else []


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(Path("e.json"), explained(0, "Eels swim. Nils saw them."), explained(1, "Eels fly."))
    Path("r.jsonl").write_text(json.dumps(RATING) + "\n")
    Path("empty.jsonl").write_text("")
    return tmp_path


def test_ratings_are_saved_at_once_and_read_by_the_evaluation(
    world: Path, project_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = world / "out" / "r.jsonl"
    with served(project_root, annotate.__name__, "--port", "0", "-i", str(world / "e.json"), "-o", str(output)) as (
        address,
        process,
    ):
        for place, errors in enumerate(([["EE"], []], [[]])):
            asked = {"annotator": "ann", "place": place}
            laid = requests.get(f"{address}task", params={k: str(v) for k, v in asked.items()}, timeout=30).json()
            rating = asked | {"hash": laid["hash"], "errors": errors}
            assert requests.post(f"{address}rating", json=rating, timeout=30).status_code == 204
        assert process.stdout is not None
        assert process.stdout.readline() == f"annotate: 2 explanations of 2 claims -> {output}\n"
        process.send_signal(signal.SIGINT)
        at_the_end, told = process.communicate(timeout=30)
        assert told == "stopped; start it again to go on from here\n"
        assert process.returncode == 130
    assert annotate.main(["--agreement", str(output)]) == 0
    assert capsys.readouterr().out == at_the_end
    rows = [line.split() for line in at_the_end.splitlines()]
    assert rows[2] == ["(all)", "e", "2", "50.0", "3", "1", "0", "1", *["0"] * 7, "0"]
    flags = ["--tagger", "none", "--human", str(output), "-o", "s.json"]
    assert evaluate_explanations.main(["-i", "e.json", *flags]) == 0
    human = json.loads(Path("s.json").read_text())["human"]
    assert (human["ratings"], human["elsewhere"]) == (2, 0)
    written(Path("e.json"), explained(0, "Eels swim. Nils saw two."), explained(1, "Eels fly."))
    capsys.readouterr()
    assert evaluate_explanations.main(["-i", "e.json", *flags]) == 2
    assert "line 1, field explanation: claim 0 of e was another text" in capsys.readouterr().err


def test_half_a_line_that_a_kill_left_is_told(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Path("r.jsonl").open("a") as file:
        file.write(json.dumps(RATING)[:30])
    assert annotate.main(["--agreement", "r.jsonl"]) == 0
    told = capsys.readouterr()
    assert told.err == "r.jsonl: its last line is half a line, left out\n"
    assert told.out.splitlines()[-1] == "Agreement: undefined, there is one annotator"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["-i", "none.json"],
            "none.json: not found; it is written by: src.explanation.generate_explanations or "
            "src.explanation.refine_explanations",
        ),
        (["-i", "empty.jsonl"], "empty.jsonl: holds no explanation"),
        (["-i", "e.json", "e.json"], "two methods are called e; name them: -i NAME=FILE"),
        (["-i", "e.json", "-o", "e.json"], "e.json: the output would overwrite"),
        (["-i", "e.json", "-o", "r.jsonl"], "r.jsonl, line 1, field explanation: claim 0 of e was another text"),
        (["-i", "a=e.json", "-o", "other.txt"], "other.txt, line 1: "),
        (["-i", "e.json", "--start", "2"], "--start 2 --end -1: the claims are 0 to 1"),
        *(
            (["-i", "e.json", "--port", "0", "--host", host], f"--host {host}: name the one address that browsers")
            for host in EVERY_ADDRESS
        ),
        (["-i", "e.json", "--port", "99999"], "--port 99999: the last one is 65535"),
        (["--agreement", "none.jsonl"], "none.jsonl: not found"),
        (["--agreement", "empty.jsonl"], "empty.jsonl: holds no ratings"),
        (["--agreement", "e.json"], "e.json, line 1, field annotator: missing"),
        (["--agreement", "r.jsonl", "--port", "1"], "--port changes nothing with --agreement"),
    ],
)
def test_bad_input_is_one_line(world: Path, argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("other.txt").write_text("no ratings")
    output = [] if "-o" in argv or "--agreement" in argv else ["-o", "new.jsonl"]
    assert annotate.main([*argv, *output]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"error: {message}")
    assert told.count("\n") == 1
    assert not Path("new.jsonl").exists()
    assert Path("other.txt").read_text() == "no ratings"


def test_a_port_that_is_taken_is_told(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert annotate.main(["-i", "e.json", "-o", "new.jsonl", "--port", port]) == 2
    assert f"--port {port}: Address already in use" in capsys.readouterr().err
