"""The step with models that answer: settings, retrieval, failures in the middle."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from src.models.entailment import LABELS, TASK
from src.programs import execute_programs
from src.programs.program_files import read_traces
from src.programs.records import ClaimPrograms, ClaimTrace
from src.store import encode_lines
from tests.models.adapters import make_base, make_trained
from tests.programs.answers import F, T, U

CHAIN = (
    'answer_1 = Question("Who built the mill?")\nfact_1 = Verify("{answer_1} sang.")\n'
    'fact_2 = Verify("It rained.")\nlabel = Predict(fact_1 and not fact_2)'
)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.json").write_bytes(encode_lines([ClaimPrograms(n, f"Claim {n}.", [CHAIN, CHAIN]) for n in range(2)]))
    gold = [{"claim": "Claim 0.", "evidence": "Mill\tAnn built it.\nAnn\tShe sang."}, {"claim": "Claim 1."}]
    Path("gold.json").write_text(json.dumps(gold))
    pages = [{"title": "Mill", "text": "Ann built the mill."}, {"title": "Ann", "text": "Ann sang."},
             {"title": "Snow", "text": "Snow built up in the north."}, {"title": "Sea", "text": "Salt."}]  # fmt: skip
    Path("corpus.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    return tmp_path


def script(*lines: tuple[str, object]) -> str:
    Path("s.jsonl").write_text("".join(json.dumps({"role": role, "output": output}) + "\n" for role, output in lines))
    return "scripted:s.jsonl"


def run(*flags: str) -> int:
    return execute_programs.main(["-i", "p.json", "-o", "t.json", *flags])


def traces() -> list[ClaimTrace]:
    return read_traces(Path("t.json"))


def test_gold_evidence_for_every_step(world: Path) -> None:
    llm = script(("question", "Ann"), ("verify", "False"), ("verify", "True"))
    assert run("--setting", "gold", "--gold", "gold.json", "--llm", llm) == 0
    first, second = traces()
    assert [(step.text, step.value) for step in first.programs[0].steps] == [
        ("Who built the mill?", "Ann"), ("Ann sang.", "true"), ("It rained.", "false"),
    ]  # fmt: skip
    assert (first.value, first.vote_share, first.model_calls) == (T, 1.0, 3)
    assert [one.url for one in first.programs[0].steps[0].evidence] == ["Mill", "Ann"]
    assert (second.value, second.model_calls) == (U, 0)


def test_open_evidence_is_found_anew_for_each_step(world: Path) -> None:
    llm = script(*(("question", "Ann"), ("verify", "True")) * 4)
    assert run("--setting", "open", "--corpus", "corpus.jsonl", "--step_top_k", "1", "--llm", llm) == 0
    mill, sang, rained = traces()[0].programs[0].steps
    assert [[one.url for one in step.evidence] for step in (mill, sang, rained)] == [["Mill"], ["Ann"], []]
    assert (sang.value, rained.value) == ("true", "unknown")
    assert run("--setting", "open", "--corpus", "corpus.jsonl", "--one_step", "--llm", llm, "--overwrite") == 0
    assert all(step.evidence == [] for step in traces()[0].programs[0].steps)


def test_a_dry_run_keeps_no_index(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    llm = script(*([("question", "Ann"), ("verify", "True"), ("verify", "True")] * 4))
    before = {path.name for path in world.iterdir()}
    assert run("--setting", "open", "--corpus", "corpus.jsonl", "--llm", llm, "--dry_run") == 0
    assert "nothing written" in capsys.readouterr().out
    assert {path.name for path in world.iterdir()} == before


def test_linked_finds_what_the_hits_name(world: Path) -> None:
    """Step 1 finds the mill; its page names Ann, whose page has no word of the question."""
    flags = ["--setting", "open", "--corpus", "corpus.jsonl", "--llm"]
    titles = []
    for retriever in ("bm25", "linked"):
        llm = script(*(("question", "Ann"), ("verify", "True")) * 4)
        run(*flags, llm, "--retriever", retriever, "--overwrite")
        titles.append([one.url for one in traces()[0].programs[0].steps[0].evidence])
    assert titles == [["Mill", "Snow"], ["Mill", "Ann", "Snow"]]


def test_a_model_may_read_fewer_passages_than_are_found(world: Path) -> None:
    llm = script(*(("question", "Ann"), ("verify", "True")) * 4)
    flags = ["--setting", "open", "--corpus", "corpus.jsonl", "--llm", llm]
    assert run(*flags, "--read_top_k", "1") == 0
    assert len(traces()[0].programs[0].steps[0].evidence) == 2
    few = total_prompt_tokens()
    assert run(*flags, "--overwrite") == 0
    assert few < total_prompt_tokens()


def settings() -> dict[str, object]:
    values: dict[str, object] = json.loads(Path("t.manifest.json").read_text())["fingerprint"]["settings"]
    return values


def total_prompt_tokens() -> int:
    counts: dict[str, int] = json.loads(Path("t.manifest.json").read_text())["counts"]
    return counts["prompt_tokens"]


def test_closed_book_and_the_claim_as_a_whole(world: Path) -> None:
    llm = script(("verify", [-2.0, -1.0]), ("verify", [-1.0, -2.0]))
    assert run("--setting", "closed", "--llm", llm, "--whole_claim") == 0
    assert [(trace.value, [step.text for step in trace.programs[0].steps]) for trace in traces()] == [
        (F, ["Claim 0."]), (T, ["Claim 1."]),
    ]  # fmt: skip


def test_a_failing_model_leaves_its_step_unknown_and_the_claim_among_the_failures(world: Path) -> None:
    llm = script(("question", "Ann"), ("question", ""), *[("verify", "True")] * 3)
    code = run("--setting", "closed", "--llm", llm)
    assert code == 1
    first, second = traces()
    assert first.value is F
    assert [step.value for step in second.programs[0].steps] == [None, "unknown", "true"]
    (failure,) = [json.loads(line) for line in Path("t.failures.jsonl").read_text().splitlines()]
    assert (failure["claim_id"], failure["error"]) == (1, "ModelError")
    assert failure["message"] == "Question Who built the mill?: the model returned nothing"
    again = script(("question", "Ben"), ("verify", "True"), ("verify", "False"))
    assert run("--setting", "closed", "--llm", again, "--trace", "t.json", "-o", "u.json") == 0
    assert [trace.value for trace in read_traces(Path("u.json"))] == [F, F]


def test_unknown_steps_of_a_trace_are_not_executed_again(world: Path) -> None:
    unsure = ["--setting", "closed", "--unsure", "0.4", "--llm"]
    llm = script(("question", "unknown"), ("verify", [-1.0, -1.1]), ("question", "Ann"), *[("verify", "True")] * 2)
    assert run(*unsure, llm) == 0
    assert [[step.value for step in one.programs[0].steps] for one in traces()] == [
        [None, "unknown", "unknown"], ["Ann", "true", "true"],
    ]  # fmt: skip
    Path("p.json").write_text(Path("p.json").read_text().replace("It rained.", "It snowed."))
    assert run(*unsure, script(*[("verify", "False")] * 2), "--trace", "t.json", "-o", "u.json") == 0
    rerun = read_traces(Path("u.json"))
    assert [[step.value for step in one.programs[0].steps] for one in rerun] == [
        [None, "unknown", "false"], ["Ann", "true", "false"],
    ]  # fmt: skip
    assert [one.model_calls for one in rerun] == [1, 1]


def test_steps_without_a_recorded_answer_are_sent_to_the_model(world: Path) -> None:
    Path("a.jsonl").write_text('{"function": "Question", "text": "Who built the mill?", "value": "Ann"}')
    assert run("--recorded_answers", "a.jsonl") == 0
    llm = script(*[("verify", "False")] * 4)
    assert run("--setting", "closed", "--llm", llm, "--trace", "t.json", "-o", "u.json") == 0
    assert [one.value for one in read_traces(Path("u.json"))] == [F, F]


def test_a_trace_with_another_setting_is_reported(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    llm = script(("question", "Ann"), *[("verify", "False")] * 2)
    gold = ["--setting", "gold", "--gold", "gold.json", "--llm", llm]
    assert run(*gold) == 0
    again = ["--trace", "t.json", "-o", "u.json", "--overwrite"]
    assert run(*gold, *again) == 0
    assert "answered" not in capsys.readouterr().out
    open_ = ["--setting", "open", "--corpus", "corpus.jsonl", "--llm", llm]
    assert run(*open_, *again) == 0
    out = capsys.readouterr().out
    assert "note: t.json was answered otherwise (" in out
    assert "--setting gold there, open here" in out
    Path("gold.json").write_text(Path("gold.json").read_text().replace("sang", "sings"))
    assert run(*gold, *again) == 0
    assert "(another --gold); its steps are taken as they are" in capsys.readouterr().out
    Path("t.manifest.json").unlink()
    assert run(*gold, *again) == 0
    assert "(nothing says how); its steps" in capsys.readouterr().out


def test_an_entailment_model_answers(world: Path) -> None:
    make_trained(world / "made", make_base(world / "base", "bert"), TASK, labels=LABELS)
    flags = ["--setting", "gold", "--gold", "gold.json", "--entailment", "made"]
    assert run(*flags, "--threshold", "0.01", "--margin", "0") == 0
    certain = traces()[0].programs[0].steps[2]
    assert certain.value in ("true", "false")
    assert certain.evidence
    assert run(*flags, "--overwrite") == 0
    assert [settings()[name] for name in ("threshold", "margin", "alone")] == [0.25, -1.0, False]
    more = ["--setting", "open", "--corpus", "corpus.jsonl", "--entailment", "made"]
    assert run(*more, "--alone", "--overwrite") == 0
    assert [settings()[name] for name in ("threshold", "margin", "alone")] == [0.5, 0.1, True]
    assert run(*flags, "--threshold", "0.999", "--overwrite") == 0
    assert [step.value for step in traces()[0].programs[0].steps] == [None, "unknown", "unknown"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--llm", "smollm2"], "--llm goes with a --setting"),
        (["--recorded_answers", "s.jsonl", "--one_step"], "--one_step goes with a --setting"),
        (["--setting", "gold", "--gold", "gold.json", "--entailment", "made", "--unsure", "0.1"], "goes with --llm"),
        (["--setting", "gold", "--gold", "corpus.jsonl", "--llm", "smollm2"], "field claim: missing"),
        (["--setting", "gold", "--gold", "gold.json"], "either --llm or --entailment answers"),
        (["--setting", "gold", "--llm", "smollm2"], "--setting gold takes --gold; given: none"),
        (["--setting", "open", "--llm", "smollm2"], "--setting open takes --corpus or --knowledge_store_dir"),
        (["--setting", "closed", "--llm", "smollm2", "--gold", "gold.json"], "takes no evidence; given: --gold"),
        (
            ["--setting", "open", "--llm", "smollm2", "--gold", "g.json", "--knowledge_store_dir", "k"],
            "--setting open takes --corpus or --knowledge_store_dir; given: --gold and --knowledge_store_dir",
        ),
        (["--setting", "closed", "--entailment", "made"], "knows nothing by itself"),
        (["--setting", "gold", "--gold", "gold.json", "--llm", "x", "--one_step"], "--one_step goes with"),
        (["--setting", "open", "-k", "s", "--llm", "x", "--retriever", "hybrid"], "hybrid goes with --corpus"),
        (["--setting", "open", "-k", "s", "--llm", "x", "--retriever", "linked"], "linked goes with --corpus"),
        (["--setting", "gold", "--gold", "none.json", "--llm", "smollm2"], "none.json: not found"),
        (["--setting", "gold", "--gold", "gold.json", "--entailment", "none"], "none"),
    ],
)  # fmt: skip
def test_what_does_not_go_together(
    world: Path, flags: Sequence[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*flags) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "flags", [("--threshold", "7"), ("--threshold", "nan"), ("--margin=-3",), ("--unsure", "inf"), ("--margin", "x")]
)
def test_shares_are_from_0_to_1(flags: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(*flags)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: argument {flags[0].partition('=')[0]}: ")


def test_claims_with_gaps_in_their_ids_are_one_batch(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    programs = [
        ClaimPrograms(5 + 17 * n, "A claim.", ['fact_1 = Verify("A.")\nlabel = Predict(fact_1)']) for n in range(9)
    ]
    Path("p.json").write_bytes(encode_lines(programs))
    llm = script(*[("verify", "True")] * 9)
    assert run("--setting", "closed", "--llm", llm) == 0
    assert "cuts such a batch" not in capsys.readouterr().out
    assert run("--setting", "closed", "--llm", llm, "-s", "22", "-o", "u.json") == 0
    assert "a range that starts at 22 cuts such a batch" in capsys.readouterr().out


def test_published_prompts_take_the_verdict_that_the_model_writes(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = ("question", "Ann"), ("verify", "it's impossible to say"), ("verify", "Yes.")
    assert run("--setting", "gold", "--gold", "gold.json", "--prompts", "published", "--llm", script(*written)) == 0
    first, _ = traces()
    assert [step.value for step in first.programs[0].steps] == ["Ann", "true", "unknown"]
    assert "1 verdict that the model wrote: neither true nor false, taken as unknown" in capsys.readouterr().out


def test_published_prompts_read_replies_that_begin_on_a_new_line(world: Path) -> None:
    written = ("question", "\nAnn\nQ: Who?"), ("verify", "\n"), ("verify", "\n\nTrue\nQ: Is it")
    assert run("--setting", "gold", "--gold", "gold.json", "--prompts", "published", "--llm", script(*written)) == 0
    first, _ = traces()
    assert [step.value for step in first.programs[0].steps] == ["Ann", "true", "unknown"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--prompts", "published", "--threshold", ".4"], "--threshold changes nothing with --prompts published"),
        (["--prompts", "chat", "--no-chat"], "--chat is the old name of --prompts chat"),
    ],
)
def test_prompts_that_do_not_go_together(
    world: Path, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--setting", "closed", "--llm", script(), *flags) == 2
    assert message in capsys.readouterr().err


def test_lucene_retrieves_for_each_step_and_once_for_the_claim(world: Path) -> None:
    pages = ("--setting", "open", "--corpus", "corpus.jsonl", "--retriever", "lucene")
    llm = script(*[("question", "Ann"), ("verify", "True"), ("verify", "False")] * 2)
    assert run(*pages, "--llm", llm) == 0
    question, fact, _ = traces()[0].programs[0].steps
    assert [one.url for one in question.evidence] == ["Mill", "Snow"]
    assert [one.url for one in fact.evidence] == ["Ann", "Mill"]
    Path("p.json").write_bytes(encode_lines([ClaimPrograms(0, "Ann sang by the sea.", [CHAIN])]))
    assert (
        run(*pages, "--one_step", "--overwrite", "--llm", script(("question", "Ann"), *[("verify", "True")] * 2)) == 0
    )
    assert {tuple(one.url for one in step.evidence) for step in traces()[0].programs[0].steps} == {
        ("Ann", "Sea", "Mill")
    }
