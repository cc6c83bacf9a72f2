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
            query = {"annotator": "ann", "place": place}
            laid = requests.get(f"{address}task", params={k: str(v) for k, v in query.items()}, timeout=60).json()
            rating = query | {"hash": laid["hash"], "errors": errors}
            assert requests.post(f"{address}rating", json=rating, timeout=60).status_code == 204
        assert process.stdout is not None
        assert process.stdout.readline() == f"annotate: 2 explanations of 2 claims -> {output}\n"
        process.send_signal(signal.SIGINT)
        at_the_end, stderr = process.communicate(timeout=60)
        assert stderr == "stopped; start it again to go on from here\n"
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


def drawn(*flags: str) -> int:
    written(Path("a.json"), *(explained(n, f"Eels swim {n}. They fly.") for n in range(9)))
    written(Path("b.json"), *(explained(n, f"Eels swim {n}.") for n in range(9)))
    return annotate.main(["-i", "a.json", "b.json", "--sample", "4", "--study", "study.json", "--seed", "3", *flags])


def rate_all(address: str, name: str, errors: list[list[str]]) -> int:
    """Rate all open tasks until none is left, with `errors` in the first sentences; return the number of ratings."""
    rated = 0
    while False in (study := requests.get(f"{address}study", params={"annotator": name}, timeout=60).json())["rated"]:
        query = {"annotator": name, "place": study["rated"].index(False)}
        laid = requests.get(f"{address}task", params={k: str(v) for k, v in query.items()}, timeout=60).json()
        ticked = [*errors, [], []][: len(laid["shown"]["sentences"])]
        rating = query | {"hash": laid["hash"], "errors": ticked}
        assert requests.post(f"{address}rating", json=rating, timeout=60).status_code == 204
        rated += 1
    return rated


def test_a_study_is_drawn_keyed_rated_and_scored(
    world: Path, project_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert drawn("--annotators_per_claim", "1", "--controls", "1") == 0
    expected = "annotate: drawn with seed 3: 4 claims with 8 explanations, 6 more for the key -> study.json\n"
    assert capsys.readouterr().out == expected
    study, key, ratings = (str(world / name) for name in ("study.json", "key.jsonl", "s.jsonl"))
    page = ("--port", "0", "--study", study)
    with served(project_root, annotate.__name__, *page, "--author", "-o", key) as (address, _):
        assert rate_all(address, "nils", [[], ["EE"]]) == 6 + 8
    with served(project_root, annotate.__name__, *page, "--key", key, "-o", ratings) as (address, _):
        assert rate_all(address, "bob", []) == 2  # a round, and out
        assert rate_all(address, "ann", [[], ["EE"]]) == 4 + 2 + 8
        assert rate_all(address, "eve", [[], ["EE"]]) == 4  # there is one seat
    flags = ["--agreement", ratings, "--study", study, "--key", key]
    assert annotate.main([*flags, "--json", "t.json", "--markdown", "t.md"]) == 0
    out = capsys.readouterr().out
    assert "left out: bob (not qualified), eve (rated no control yet)" in out
    assert [(one["method"], one["errors"]) for one in json.loads(Path("t.json").read_text())["methods"]] == [
        ("a", 4), ("b", 0),
    ]  # fmt: skip
    assert "| ours: b | 4 | 100.0 |" in Path("t.md").read_text()
    human = ["--human", ratings, "--study", study, "--key", key, "--tagger", "none"]
    assert evaluate_explanations.main(["-i", "a.json", "b.json", *human, "-o", "scores.json"]) == 0
    assert capsys.readouterr().out.endswith(out)
    result = json.loads(Path("scores.json").read_text())
    assert result["people"] == json.loads(Path("t.json").read_text())
    assert result["human"]["ratings"] == 8


def test_a_study_is_not_drawn_over_another(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drawn("--controls", "1") == 0
    before = Path("study.json").read_bytes()
    assert drawn("--rounds", "1") == 2
    assert "study.json: is there already, and may have been rated" in capsys.readouterr().err
    assert Path("study.json").read_bytes() == before


def test_ratings_of_another_study_are_refused(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drawn("--controls", "0", "--rounds", "0") == 0
    Path("key.jsonl").write_text("")
    claim_id = json.loads(Path("study.json").read_text())["claims"][0]["tasks"][0]["shown"]["claim_id"]
    Path("s.jsonl").write_text(json.dumps(RATING | {"claim_id": claim_id, "method": "a"}) + "\n")
    assert annotate.main(["--agreement", "s.jsonl", "--study", "study.json", "--key", "key.jsonl"]) == 2
    assert f"s.jsonl, line 1, field explanation: claim {claim_id} of a was another text" in capsys.readouterr().err


def test_tables_replace_earlier_tables_alone(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert drawn("--controls", "0", "--rounds", "0") == 0
    Path("key.jsonl").write_text("")
    flags = ["--agreement", "empty.jsonl", "--study", "study.json", "--key", "key.jsonl"]
    for _ in range(2):
        assert annotate.main([*flags, "--json", "t.json", "--markdown", "t.md"]) == 0
    assert Path("t.md").read_text().startswith("**Table 3 of the paper")
    Path("notes.md").write_text("mine\n")
    capsys.readouterr()
    for more, message in (
        (["--markdown", "notes.md", "--json", "new.json"], "notes.md: is no earlier table of this step; name another"),
        (["--markdown", "x.md", "--json", "x.md"], "x.md: the table would overwrite --json"),
        (["--markdown", "study.json"], "study.json: --markdown takes a name that ends in .md"),
    ):
        assert annotate.main([*flags, *more]) == 2
        assert capsys.readouterr().err.startswith(f"error: {message}")
    assert Path("notes.md").read_text() == "mine\n"
    assert not Path("new.json").exists()


DRAWN = ["-i", "e.json", "--sample", "1", "--study", "s.json"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "name what is rated (-i or --study), or ratings (--agreement)"),
        (["-i", "e.json", "--sample", "2"], "--sample and --study go together with -i"),
        (["-i", "e.json", "--study", "s.json"], "--sample and --study go together with -i"),
        (["-i", "e.json", "--sample", "1", "--study", "s.json"], "2 claims, but 5 are drawn: 1 to rate, 2 of"),
        (["-i", "e.json", "--sample", "1", "--study", "e.json"], "e.json: the study would overwrite"),
        (["-i", "e.json", "--rounds", "1"], "--rounds changes nothing without --sample"),
        (["-i", "e.json", "--key", "k.jsonl"], "--key changes nothing with -i"),
        ([*DRAWN, "--rounds", "0", "--pass_at", ".9"], "--pass_at changes nothing with --rounds 0: there is no round"),
        ([*DRAWN, "--controls", "0", "--exclude_below", ".9"], "--exclude_below changes nothing with --controls 0: no"),
        (["--study", "s.json"], "--study is rated by its author (--author), or by annotators (--key FILE)"),
        (["--study", "s.json", "--author", "--key", "k.jsonl"], "--study is rated by its author (--author), or by"),
        (["--study", "s.json", "--author"], "s.json: not found"),
        (["--study", "s.json", "--author", "--sample", "3"], "--sample changes nothing with --study, without -i"),
        (["--agreement", "r.jsonl", "--study", "s.json"], "--study and --key go together with --agreement"),
        (["--agreement", "r.jsonl", "--json", "t.json"], "--json changes nothing with --agreement without --study"),
    ],
)
def test_flags_of_a_study_that_do_not_go_together(
    world: Path, argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert annotate.main(argv) == 2
    assert capsys.readouterr().err.startswith(f"error: {message}")


@pytest.mark.parametrize(("value", "why"), [("foo", "foo is no number"), ("1.5", "1.5 is not from 0 to 1")])
def test_a_threshold_that_is_no_share_is_one_clear_line(
    value: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        annotate.main([*DRAWN, "--pass_at", value])
    assert capsys.readouterr().err == f"error: argument --pass_at: {why} (--help lists the flags)\n"


def test_an_incomplete_last_line_is_reported(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Path("r.jsonl").open("a") as file:
        file.write(json.dumps(RATING)[:30])
    assert annotate.main(["--agreement", "r.jsonl"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "r.jsonl: its last line is half a line, left out\n"
    assert captured.out.splitlines()[-1] == "Agreement: undefined, there is one annotator"


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
        (
            ["-i", "e.json", "--start", "2"],
            "--start 2: the claims are 0 to 1",
        ),
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
    printed = capsys.readouterr().err
    assert printed.startswith(f"error: {message}")
    assert printed.count("\n") == 1
    assert not Path("new.jsonl").exists()
    assert Path("other.txt").read_text() == "no ratings"


def test_a_port_in_use_is_reported(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert annotate.main(["-i", "e.json", "-o", "new.jsonl", "--port", port]) == 2
    assert f"--port {port}: Address already in use" in capsys.readouterr().err
