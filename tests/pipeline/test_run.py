"""A run of the pipeline: order and errors of its stages, the dry run, and two claims of the sample data."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from src.errors import InputError
from src.pipeline import run as pipeline
from src.pipeline.__main__ import main
from src.pipeline.rank import refuse_unread_ranking
from src.records import VERDICTS
from src.runner.output import failures_path
from src.runner.shard_plan import ShardPlan, pin
from tests.runner.small_world import write_script
from tests.scripts.copied import Scripts

pytestmark = pytest.mark.long

STAGES = ["rank", "ask", "select", "judge", "submit", "explain", "validate", "score"]


class Recorder:
    """Replacement for the work of all stages: records their settings, and returns or raises what a test sets."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any]] = []
        self.codes: dict[str, int] = {}
        self.errors: dict[str, BaseException] = {}

    def job(self, stage: str) -> Any:
        return lambda settings: (stage, settings)

    def run(self, job: tuple[str, Any]) -> int:
        self.seen.append(job)
        if job[0] in self.errors:
            raise self.errors[job[0]]
        code = self.codes.get(job[0], 0)
        if code == 2:
            raise InputError("bad input")
        return code


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Recorder:
    monkeypatch.chdir(tmp_path)
    recorder = Recorder()
    for stage in [*STAGES[:5], "one_call"]:
        monkeypatch.setattr(pipeline, f"{stage}_job", recorder.job(stage))
    monkeypatch.setattr(pipeline, "run", recorder.run)
    monkeypatch.setattr("src.pipeline.run.gc.collect", lambda: 0)  # slow with the many objects of other tests
    for stage, function in (("search", "search_claims"), ("collect", "collect_files")):
        monkeypatch.setattr(pipeline, function, lambda settings, stage=stage: recorder.run((stage, settings)))
    for stage in STAGES[5:]:
        monkeypatch.setattr(pipeline, stage, lambda settings, *more, stage=stage: recorder.run((stage, settings)))
    return recorder


@pytest.mark.parametrize("place", range(len(STAGES)))
@pytest.mark.parametrize("code", [1, 2])
def test_failed_claims_let_it_go_on_and_bad_input_ends_it(
    stages: Recorder, place: int, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    stages.codes[STAGES[place]] = code
    assert main(["dev", "0", "5"]) == code
    assert [stage for stage, _ in stages.seen] == (STAGES[: place + 1] if code == 2 else STAGES)
    assert capsys.readouterr().err == ("error: bad input\n" if code == 2 else "")


def test_a_dry_run_counts_questions_on_sentences_found_aside(
    stages: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dev", "0", "5", "--hyde", "--dry_run"]) == 0
    (_, estimate), (_, quick), (_, questions) = stages.seen
    assert (estimate.dry_run, estimate.hybrid.hyde) == (True, True)
    assert (quick.dry_run, quick.retriever, quick.hybrid.hyde) == (False, "bm25", False)
    assert questions.dry_run
    assert questions.top_k_target_knowledge == quick.output
    assert not quick.output.parent.exists()
    assert "verdicts: one prompt a claim" in capsys.readouterr().out


def test_one_call_takes_the_place_of_three_stages(stages: Recorder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dev", "0", "5", "--strategy", "one_call"]) == 2
    assert not stages.seen  # data/train.json is missing
    assert "data/train.json: not found" in capsys.readouterr().err
    assert main(["dev", "0", "5", "--strategy", "one_call", "--num_examples", "0"]) == 0
    assert [stage for stage, _ in stages.seen] == ["rank", "one_call", *STAGES[4:]]
    stages.seen.clear()
    assert main(["dev", "0", "5", "--strategy", "one_call", "--dry_run"]) == 0
    assert [(stage, settings.dry_run) for stage, settings in stages.seen] == [
        ("rank", True),
        ("rank", False),
        ("one_call", True),
    ]
    assert stages.seen[2][1].top_k_sentences == stages.seen[1][1].output
    assert "verdicts:" not in capsys.readouterr().out


def test_a_search_comes_first_and_is_estimated_alone_until_the_pages_are_there(
    stages: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dev", "0", "5", "--search", "serper"]) == 0
    assert [stage for stage, _ in stages.seen] == ["search", "collect", *STAGES]
    stages.seen.clear()
    capsys.readouterr()
    assert main(["dev", "0", "5", "--search", "serper", "--dry_run"]) == 0
    assert [(stage, settings.dry_run) for stage, settings in stages.seen] == [("search", True)]
    assert "can be estimated once the pages are there" in capsys.readouterr().out


def test_a_shard_is_computed_to_files_of_its_range_and_not_scored(
    stages: Recorder, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("data").mkdir()
    Path("data/dev.json").write_text(json.dumps([{"claim": "Eels fly."}] * 25))
    assert main(["dev", "0", "25", "--output_dir", "o", "--shard", "1/2"]) == 0
    assert [stage for stage, _ in stages.seen] == STAGES[:6]
    assert {(settings.range.start, settings.range.end) for _, settings in stages.seen} == {(10, 25)}
    outputs = [settings.output.name for _, settings in stages.seen]
    assert outputs[0] == "dev_top_k_sentences.10-25.json"
    assert stages.seen[1][1].top_k_target_knowledge.name == outputs[0]
    assert {settings.range.plan for _, settings in stages.seen} == {ShardPlan((0, 10, 25))}
    assert not Path("o").exists()
    pin(Path("o/dev_veracity_prediction.json"), ShardPlan((0, 10, 25)))
    pin(Path("o/dev_top_k_sentences.json"), ShardPlan((0, 10, 25)))
    assert main(["dev", "0", "25", "--output_dir", "o", "--shard", "1/3"]) == 2
    assert "there are 2 shards of the claims 0 to 24, here 3 shards" in capsys.readouterr().err
    assert main(["dev", "0", "25", "--output_dir", "o", "--merge"]) == 2
    assert "o/dev_top_k_sentences.json: of 2 shards of the claims 0 to 24, these are missing: 0-1" in (
        capsys.readouterr().err
    )
    assert main(["dev", "0", "25", "--output_dir", "o", "--merge", "--dry_run"]) == 2


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (ZeroDivisionError("a bug"), 3)])
def test_an_interruption_and_a_bug_end_it(stages: Recorder, error: BaseException, code: int) -> None:
    stages.errors["ask"] = error
    assert main(["dev", "0", "5"]) == code
    assert [stage for stage, _ in stages.seen] == ["rank", "ask"]


def test_the_dry_run_s_quick_ranking_takes_no_flags_of_a_model(stages: Recorder) -> None:
    assert main(["dev", "0", "5", "--hyde", "--dtype", "float32", "--cache_dir", "c", "--dry_run"]) == 0
    refuse_unread_ranking(stages.seen[1][1])


@pytest.mark.parametrize(
    "arguments",
    [(), ("dev",), ("dev", "0"), ("dev", "zero", "5"), ("dev", "0", "5", "--unknown"), ("dev", "0", "5", "6")],
)
def test_usage(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    error = capsys.readouterr().err
    assert (ended.value.code, error.count("\n")) == (2, 1)
    assert error.startswith("error: ")


@pytest.mark.usefixtures("minilm")
def test_two_claims_from_pages_to_scores(project_root: Path, sample: Path, tmp_path: Path) -> None:
    out, store = tmp_path / "my output", tmp_path / "pages"
    shutil.copytree(sample / "knowledge_store", store)
    llm = write_script(tmp_path / "script.jsonl", {"question_writer": ["Who said it?"] * 8})
    flags = ["--claim_file", str(sample / "claims.json"), "--knowledge_store_dir", str(store),
             "--reference_corpus", str(sample / "reference.json"), "--output_dir", str(out), "--llm", llm,
             "--top_k", "4", "--top_n", "2"]  # fmt: skip
    scripts = Scripts(project_root)
    done = scripts.bash("pipeline.sh", "dev", "0", "2", *flags, cwd=tmp_path)
    message = f"2 claims: {out / 'dev_veracity_prediction.json'} against {sample / 'claims.json'}\n"
    assert (done.returncode, done.stderr) == (0, message)
    submission = json.loads((out / "dev_veracity_prediction_for_submission.json").read_bytes())
    assert [(claim["claim_id"], len(claim["evidence"])) for claim in submission] == [(0, 2), (1, 2)]
    assert {claim["pred_label"] for claim in submission} <= {verdict.value for verdict in VERDICTS}
    judged = json.loads((out / "dev_veracity_prediction.manifest.json").read_bytes())
    assert judged["model"]["name"] == "veracity"  # ours judges, whatever model wrote the questions
    assert all(pair["question"] == "Who said it?" for claim in submission for pair in claim["evidence"])
    assert not any("justification" in claim for claim in submission)
    justified = json.loads((out / "dev_justified_prediction.json").read_bytes())
    explained = [json.loads(line) for line in (out / "dev_explanations.json").read_text().splitlines()]
    assert [one["justification"] for one in justified] == [one["explanation"] for one in explained]
    assert all(one["cites"] and one["explanation"] for one in explained)
    assert "acc:" in done.stdout
    assert sorted(path.name for path in (tmp_path / "pages.index").iterdir()) == ["0.vectors", "1.vectors"]
    assert not any(failures_path(path).exists() for path in out.glob("*.json"))
    before = {path.name: path.read_bytes() for path in out.glob("*.json") if "manifest" not in path.name}

    again = scripts.bash("pipeline.sh", "dev", "0", "2", *flags, cwd=tmp_path)
    assert again.returncode == 0
    assert again.stdout.count("is already there, made by the same run") == 6
    assert {path.name: path.read_bytes() for path in out.glob("*.json") if "manifest" not in path.name} == before

    bad = scripts.bash("pipeline.sh", "dev", "0", "99", *flags, cwd=tmp_path)
    assert bad.returncode == 2
    assert bad.stderr.endswith("claims.json: --end 99: must be above 0 (--start) and at most 12\n")


@pytest.mark.usefixtures("minilm")
def test_one_call_for_each_of_two_claims_from_pages_to_scores(project_root: Path, sample: Path, tmp_path: Path) -> None:
    out, store = tmp_path / "out", tmp_path / "pages"
    shutil.copytree(sample / "knowledge_store", store)
    agreement = {"supported": 1, "refuted": 1, "not_enough_evidence": 5, "conflicting_evidence_or_cherrypicking": 1}
    reply = {
        "questions": [],
        "justification": [{"sentence": "Nothing shows it.", "sources": []}],
        "agreement": agreement,
    }
    llm = write_script(tmp_path / "script.jsonl", {"one_call": [json.dumps(reply), "no", "no"]})
    flags = ["--strategy", "one_call", "--claim_file", str(sample / "claims.json"), "--knowledge_store_dir", str(store),
             "--reference_corpus", str(sample / "reference.json"), "--output_dir", str(out), "--llm", llm]  # fmt: skip
    done = Scripts(project_root).bash("pipeline.sh", "dev", "0", "2", *flags, cwd=tmp_path)
    assert done.returncode == 1
    assert "one_call: 1 of 2 claims failed" in done.stderr
    judged = json.loads((out / "dev_veracity_prediction.json").read_bytes())
    assert [(one["pred_label"], one.get("level")) for one in judged] == [
        ("Not Enough Evidence", None),
        ("Not Enough Evidence", "undecided"),
    ]
    assert [one["justification"] for one in json.loads((out / "dev_justified_prediction.json").read_bytes())[:1]]
    assert "acc:" in done.stdout
    assert not (out / "dev_top_k_qa.json").exists()
