"""The step from file to file, on recorded answers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from src.errors import InputError
from src.programs import execute_programs
from src.programs.answerers import recorded_answers
from src.programs.functions import Answering
from src.programs.interpreter import Count, executed
from src.programs.program_files import read_programs, read_traces
from src.programs.records import ClaimPrograms, ClaimTrace, TwoLabelPrediction
from src.records import Level, Prediction, QAPair
from src.runner import merge
from src.runner.outcome import Outcome
from src.store import encode_lines, read_by_claim, read_claims
from tests.programs.answers import F, T, U

BRIDGE = 'answer_1 = Question("Who?")\nfact_1 = Verify("{answer_1} is old.")\nlabel = Predict(fact_1)'
BOTH = 'fact_1 = Verify("A.")\nfact_2 = Verify("B.")\nlabel = predict(fact_1 and fact_2)'
ANSWERS = """{"function": "Question", "text": "Who?", "value": "Ann"}
{"function": "Verify", "text": "Ann is old.", "value": false}
{"function": "Verify", "text": "A", "value": true}
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data_store").mkdir()
    claims = [ClaimPrograms(n, f"Claim {n}.", [BRIDGE, BRIDGE, BOTH] if n % 2 else [BOTH]) for n in range(120)]
    (tmp_path / "data_store" / "dev_programs.json").write_bytes(encode_lines(claims))
    (tmp_path / "a.jsonl").write_text(ANSWERS, encoding="utf-8")
    return tmp_path


def run(*flags: str) -> int:
    return execute_programs.main(["--recorded_answers", "a.jsonl", *flags])


def traces(world: Path, name: str = "data_store/dev_program_trace.json") -> list[ClaimTrace]:
    return read_traces(world / name)


def test_names_and_format(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    results = traces(world)
    assert [trace.claim_id for trace in results] == list(range(120))
    assert [(trace.value, round(trace.vote_share, 2)) for trace in results[:2]] == [(U, 1.0), (F, 0.67)]
    first: dict[str, Any] = json.loads((world / "data_store" / "dev_program_trace.json").read_text().splitlines()[0])
    assert list(first) == ["claim_id", "claim", "value", "vote_share", "model_calls", "programs"]
    (program,) = first["programs"]
    assert list(program)[:3] == ["value", "steps", "diagnostics"]
    assert list(program["steps"][0])[:7] == ["variable", "function", "line", "text", "value", "evidence", "decisive"]
    assert program["diagnostics"][0] | {"message": ""} == {"kind": "function-case", "line": 3, "message": ""}
    out = capsys.readouterr().out
    assert "note: no recorded answer: Verify B.\n" in out
    assert "note: function-case 120 (src.programs.show tells where); 120 of 240 programs unknown\n" in out
    manifest = msgspec.json.decode((world / "data_store" / "dev_program_trace.manifest.json").read_bytes())
    assert manifest["counts"] == {
        "programs": 240, "unknown_programs": 120, "steps": 480, "model_calls": 0, "prompt_tokens": 0, "new_tokens": 0,
        "function-case": 120,
    }  # fmt: skip


def test_ranges_join_to_the_whole(world: Path) -> None:
    assert run("-o", "whole.json") == 0
    assert run("-o", "a.json", "-e", "50") == 0
    assert run("-o", "b.json", "-s", "50") == 0
    assert (world / "a.json").read_bytes() + (world / "b.json").read_bytes() == (world / "whole.json").read_bytes()


def test_merged_shards_are_the_undivided_run(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-o", "whole.json") == 0
    assert [run("-o", "cut.json", "--shard", f"{number}/3") for number in range(3)] == [0, 0, 0]
    assert merge.main(["cut.json"]) == 0
    assert (world / "cut.json").read_bytes() == (world / "whole.json").read_bytes()
    assert run("-o", "cut.json", "--predictions", "p.json", "--shard", "0/3") == 2
    assert "--predictions goes without --shard: merge the shards" in capsys.readouterr().err
    assert run("-o", "cut.json", "--predictions", "p.json") == 0
    assert "cut.json is already there, made by the same run" in capsys.readouterr().out


def test_a_claim_without_programs_fails_alone(world: Path) -> None:
    claims = [ClaimPrograms(0, "None.", []), ClaimPrograms(1, "One.", [BRIDGE])]
    (world / "some.json").write_bytes(encode_lines(claims))
    assert run("-i", "some.json", "-o", "t.json") == 1
    assert [(trace.value, trace.programs == []) for trace in traces(world, "t.json")] == [(U, True), (F, False)]
    failures = [json.loads(line) for line in (world / "t.failures.jsonl").read_text().splitlines()]
    assert [(one["claim_id"], "has no program" in str(one)) for one in failures] == [(0, True)]


def test_a_changed_answer_is_run_again(world: Path) -> None:
    assert run() == 0
    (world / "a.jsonl").write_text(ANSWERS + '{"function": "Verify", "text": "B", "value": true}\n', encoding="utf-8")
    assert run() == 0
    assert traces(world)[0].value is T


def test_only_changed_steps_of_an_earlier_trace_are_executed(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-o", "first.json", "-e", "2") == 0
    Path("none.jsonl").write_text("")
    again = ["--recorded_answers", "none.jsonl", "--trace", "first.json", "-e", "2", "-o", "again.json"]
    assert execute_programs.main(again) == 0
    assert "no recorded answer: Question" not in capsys.readouterr().out
    assert (world / "again.json").read_bytes() == (world / "first.json").read_bytes()
    Path("changed.jsonl").write_text('{"function": "Verify", "text": "B", "value": true}\n')
    assert execute_programs.main(["--recorded_answers", "changed.jsonl", *again[2:], "--overwrite"]) == 0
    assert [trace.value for trace in traces(world, "again.json")] == [T, F]
    other = world / "data_store" / "dev_programs.json"
    other.write_bytes(other.read_bytes().replace(b"is old", b"is young"))
    assert execute_programs.main([*again, "--overwrite"]) == 0
    assert "no recorded answer: Verify Ann is young." in capsys.readouterr().out


def test_claims_with_another_text_take_nothing_from_a_trace(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-o", "first.json", "-e", "4") == 0
    other = world / "data_store" / "dev_programs.json"
    other.write_bytes(other.read_bytes().replace(b"Claim 1.", b"Another.").replace(b"Claim 2.", b"Other."))
    assert execute_programs.main(["--trace", "first.json", "-e", "4", "-o", "again.json"]) == 0
    assert [trace.value for trace in traces(world, "again.json")] == [U, U, U, F]
    message = "claims with another text in first.json, whose steps are not taken from it: 1-2"
    assert f"note: {message}\n" in capsys.readouterr().out
    assert message in msgspec.json.decode((world / "again.manifest.json").read_bytes())["notes"]


MISSING = [{"function": "Verify", "text": "A.", "value": None}, {"function": "Verify", "text": "B.", "value": None},
           {"function": "Question", "text": "Who?", "value": None}]  # fmt: skip


def missing() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("t.missing.jsonl").read_text().splitlines()]


def test_what_no_answer_is_there_for_is_listed_to_be_filled_in(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.jsonl").write_text("")
    assert run("-o", "t.json") == 0
    assert missing() == MISSING
    message = "note: without a recorded answer: 3 steps, listed in t.missing.jsonl to be filled in\n"
    assert message in capsys.readouterr().out
    filled = Path("t.missing.jsonl").read_text().replace("null", "true", 2).replace("null", '"Ann"')
    Path("t.missing.jsonl").write_text(filled)
    assert run("-o", "t.json") == 2
    assert "t.missing.jsonl: contains answers that this run would overwrite" in capsys.readouterr().err
    assert execute_programs.main(["--recorded_answers", "t.missing.jsonl", "-o", "t.json"]) == 2
    assert "give it as --recorded_answers under another name" in capsys.readouterr().err
    assert Path("t.missing.jsonl").read_text() == filled
    Path("t.missing.jsonl").rename("a.jsonl")
    assert run("-o", "t.json") == 0
    assert missing() == [{"function": "Verify", "text": "Ann is old.", "value": None}]
    Path("a.jsonl").write_text(filled + '{"function": "Verify", "text": "Ann is old", "value": true}')
    assert run("-o", "t.json") == 0
    assert not Path("t.missing.jsonl").exists()


def test_a_resumed_run_lists_what_earlier_starts_lacked(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.jsonl").write_text("")
    whole = executed

    def stopped(claims: Sequence[ClaimPrograms], answering: Answering, count: Count) -> list[Outcome[ClaimTrace]]:
        if claims[0].claim_id >= execute_programs.BATCH:
            raise KeyboardInterrupt
        return whole(claims, answering, count)

    other = world / "data_store" / "dev_programs.json"
    lines = other.read_bytes().splitlines(keepends=True)
    other.write_bytes(b"".join(line.replace(b"B.", b"C.") if n < 50 else line for n, line in enumerate(lines)))
    monkeypatch.setattr(recorded_answers, "executed", stopped)
    assert run("-o", "t.json") == 130
    assert not Path("t.missing.jsonl").exists()
    monkeypatch.setattr(recorded_answers, "executed", whole)
    assert run("-o", "t.json") == 0
    assert [line["text"] for line in missing()] == ["A.", "C.", "Who?", "B."]


def test_predictions_with_two_labels(world: Path) -> None:
    assert run("-e", "2", "--predictions", "p.json", "--labels", "hover") == 0
    predictions = read_by_claim(world / "p.json", TwoLabelPrediction)
    assert [(one.claim_id, one.pred_label) for one in predictions] == [(0, "refutes"), (1, "refutes")]
    (world / "a.jsonl").write_text(ANSWERS + '{"function": "Verify", "text": "B", "value": true}\n', encoding="utf-8")
    assert run("-e", "2", "--predictions", "p.json", "--labels", "hover") == 0
    assert read_by_claim(world / "p.json", TwoLabelPrediction)[0].pred_label == "supports"


def test_predictions_are_a_submissions(world: Path) -> None:
    assert run("-e", "4", "--predictions", "p.json", "--top_n", "1") == 0
    predictions = read_by_claim(world / "p.json", Prediction)
    assert [(one.claim_id, one.pred_label.value) for one in predictions] == [
        (0, "Not Enough Evidence"), (1, "Refuted"), (2, "Not Enough Evidence"), (3, "Refuted"),
    ]  # fmt: skip
    assert {one.level for one in predictions} == {Level.UNDECIDED}
    assert predictions[1].evidence == [QAPair("Is Ann old?", "No.", "")]
    assert run("-e", "4", "--predictions", "other.json") == 0  # no other arguments: the trace stands
    for taken in ("a.jsonl", "data_store/dev_programs.json", "data_store/dev_program_trace.json"):
        before = (world / taken).read_bytes()
        assert run("-e", "4", "--predictions", taken) == 2
        assert (world / taken).read_bytes() == before


@pytest.mark.parametrize("name", ["t.manifest.json", "t.failures.jsonl", "t.missing.jsonl", "t.json.progress"])
def test_predictions_overwrite_nothing_beside_the_trace(
    world: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert run("-e", "2", "-o", "t.json", "--predictions", name) == 2
    lost = "--output_file's missing steps" if "missing" in name else "a file that belongs to --output_file"
    assert capsys.readouterr().err == f"error: {name}: the file of predictions would overwrite {lost}\n"
    assert not Path("t.json").exists()
    assert run("-e", "2", "-o", "t.json", "--predictions", "data_store/" + name) == 0


def test_predictions_replace_predictions_alone(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.json").write_text("mine")
    assert run("-e", "2", "-o", "t.json") == 0
    for taken in ("notes.json", "t.json"):
        before = Path(taken).read_bytes()
        assert run("-e", "2", "-o", "u.json", "--predictions", taken) == 2
        assert f"{taken}: is no earlier file of predictions" in capsys.readouterr().err
        assert Path(taken).read_bytes() == before


def test_predictions_tell_of_claims_that_failed(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (world / "some.json").write_bytes(encode_lines([ClaimPrograms(0, "None.", []), ClaimPrograms(1, "One.", [BOTH])]))
    assert run("-i", "some.json", "-o", "t.json", "--predictions", "p.json") == 1
    assert "has no program" in Path("p.failures.jsonl").read_text()
    manifest = msgspec.json.decode(Path("p.manifest.json").read_bytes())
    assert (manifest["failures"], manifest["fingerprint"]["settings"]["labels"]) == (1, "averitec")


def test_a_trace_of_other_claims_is_reported(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-e", "2", "-o", "t.json") == 0
    assert run("-s", "2", "-o", "u.json", "--trace", "t.json") == 0
    assert "note: t.json contains none of these claims; nothing is taken from it" in capsys.readouterr().out


def test_predictions_that_cannot_be_written_stop_the_run_at_its_start(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(world.rglob("*"))
    assert run("-e", "2", "--predictions", "a.jsonl/new/p.json") == 2
    assert capsys.readouterr().err == "error: cannot write a.jsonl/new/p.json: Not a directory\n"
    assert sorted(world.rglob("*")) == before


def test_the_samples_programs_run(world: Path, project_root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = project_root / "data_store" / "sample"
    files = ["-i", str(sample / "programs.jsonl"), "--recorded_answers", str(sample / "recorded_answers.jsonl")]
    assert execute_programs.main([*files, "-o", "sample.json"]) == 0
    assert [(trace.claim_id, trace.value) for trace in traces(world, "sample.json")] == [(1, T), (7, U)]
    claims = {claim.claim_id: claim.claim for claim in read_claims(sample / "claims.json")}
    assert all(trace.claim == claims[trace.claim_id] for trace in traces(world, "sample.json"))
    assert "no recorded answer" not in capsys.readouterr().out


def test_bad_input(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-o", "t.json", "-e", "1") == 0
    Path("t.json").write_text(Path("t.json").read_text().replace('"true"', '"so"'))
    assert execute_programs.main(["--trace", "t.json", "-o", "u.json"]) == 2
    assert capsys.readouterr().err == (
        "error: t.json, line 1, field programs[0].steps[0]: 'so' is none of the values of a Verify: "
        "true, false, unknown, conflicting\n"
    )
    (world / "a.jsonl").write_text('{"function": "Verify", "text": "A", "value": "so"}\n', encoding="utf-8")
    assert run() == 2
    assert capsys.readouterr().err.startswith("error: a.jsonl, line 1, field value: 'so' is none of")
    assert run("--recorded_answers", "data_store") == 2
    assert capsys.readouterr().err == "error: data_store: is a folder; name a file in it\n"
    assert execute_programs.main([]) == 2
    assert "nothing answers the steps; give --setting, --recorded_answers" in capsys.readouterr().err
    for flags in (["--labels", "hover"], ["--top_n", "3"]):
        assert run(*flags) == 2
        assert f"{flags[0]} goes with --predictions" in capsys.readouterr().err
    assert run("--predictions", "data_store", "-o", "never.json") == 2
    assert capsys.readouterr().err == "error: data_store: the file of predictions is a folder; name a file in it\n"
    assert not Path("never.json").exists()
    assert run("-i", "none.json") == 2
    assert "it is written by: src.programs.generate_programs" in capsys.readouterr().err


def file_of(folder: Path, *lines: object) -> Path:
    (folder / "p.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return folder / "p.jsonl"


def test_the_published_file_is_read(tmp_path: Path) -> None:
    lines = ['fact_1 = Verify("A.")', "label = Predict(fact_1)"]
    nested = [[lines], [lines, lines], [[lines]], [[lines, lines]], ["\n".join(lines)]]
    path = file_of(tmp_path, *({"idx": n, "claim": "c", "predicted_programs": one} for n, one in enumerate(nested)))
    whole = "\n".join(lines)
    assert [one.programs for one in read_programs(path)] == [
        [whole], [whole, whole], [whole], [whole, whole], [whole],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{"claim_id": 0, "claim": "c"}], "line 1, field programs: missing"),
        ([{"claim_id": 0, "claim": "c", "programs": [1]}], "line 1, field programs: neither a text nor a list"),
        ([{"claim_id": 0, "claim": "c", "programs": "x"}], "line 1, field programs: Expected `array"),
        ([{"claim_id": 0, "programs": []}], "line 1, field claim: missing"),
        ([{"claim_id": -1, "claim": "c", "programs": []}], "line 1, field claim_id: must be at least 0"),
        ([{"idx": -1, "claim": "c", "programs": []}], "line 1, field idx: must be at least 0"),
        (
            [{"claim_id": 3, "claim": "c", "programs": []}] * 2,
            "line 2, field claim_id: claim_id 3 is already on line 1",
        ),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, lines: list[object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_programs(file_of(tmp_path, *lines))


def test_the_first_programs_of_each_claim_vote(world: Path) -> None:
    assert run("--num_programs", "2") == 0
    results = traces(world)
    assert [len(trace.programs) for trace in results[:2]] == [1, 2]
    assert (results[1].value, results[1].vote_share) == (F, 1.0)


def test_as_published_a_claim_without_more_true_than_false_programs_is_false(world: Path) -> None:
    assert run("--vote", "published", "--predictions", "p.json") == 0
    results = traces(world)
    assert [(trace.value, round(trace.vote_share, 2)) for trace in results[:2]] == [(F, 1.0), (F, 1.0)]
    assert results[0].programs[0].value is U
    assert results[0].agreeing() == [0]


def test_claims_with_fewer_programs_are_counted(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, notes in ((2, [60]), (9, [120]), (1, [])):
        assert run("--num_programs", str(number), "--overwrite") == 0
        expected = [f"{one} of 120 claims have fewer than {number} programs: all of theirs were run" for one in notes]
        manifest = json.loads((world / "data_store" / "dev_program_trace.manifest.json").read_text())
        assert [note for note in manifest["notes"] if "fewer" in note] == expected
        assert all(f"execute_programs: note: {one}\n" in capsys.readouterr().out for one in expected)


def test_a_number_of_programs_is_refused_for_whole_claims(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = ("--setting", "closed", "--llm", "scripted:s.jsonl", "--whole_claim")
    assert run(*whole, "--num_programs", "2") == 2
    message = "error: --num_programs changes nothing with --whole_claim: that is one program a claim\n"
    assert capsys.readouterr().err == message


@pytest.mark.parametrize("levels", [400, 900, 5000])
def test_programs_that_are_nested_too_deep(world: Path, levels: int, capsys: pytest.CaptureFixture[str]) -> None:
    programs = '["a", ' * levels + '"b"' + "]" * levels
    (world / "deep.json").write_text(f'{{"claim": "a", "programs": []}}\n{{"claim": "a", "programs": {programs}}}\n')
    assert run("-i", "deep.json") == 2
    error = capsys.readouterr().err
    assert error.startswith("error: deep.json, line 2: more than 200 lists or objects are nested")
    assert error.count("\n") == 1
