"""The step: one file a seed, that evaluate_programs scores; what is learned, repeated, kept and refused."""

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from src.claims import LabelledClaim
from src.errors import ModelError
from src.models.entailment import LABELS, TASK
from src.programs import evaluate_programs, few_shot
from src.programs.baselines import few_shot as whole_verdicts
from src.programs.baselines.evidence import sample_examples
from src.programs.baselines.few_shot import verdicts
from src.programs.program_files import read_traces
from src.programs.records import ClaimTrace
from src.records import Value
from src.reranking.corpus.corpus import Corpus
from src.training.few_shot import fine_tune
from tests.models.adapters import make_base, make_trained
from tests.tiny_models import make_longformer, make_t5

pytestmark = pytest.mark.long

CLAIMS = 40
TOLD = range(3, CLAIMS, 5)  # those that are predicted
EVIDENCE = ("The minister said that schools closed.", "Nobody paid for the photo.")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    make_trained(folder / "entailment", make_base(folder / "bert", "bert"), TASK, labels=LABELS)
    make_longformer(folder / "longformer")
    make_longformer(folder / "short", positions=96)
    make_t5(folder / "t5")
    return folder


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Claims that are true where their evidence says so in so many words."""
    monkeypatch.chdir(tmp_path)
    lines = [
        {"uid": f"k{n}", "claim": f"The council said that {n} schools closed.", "num_hops": 2 + n // 2 % 2,
         "label": ("SUPPORTED", "NOT_SUPPORTED")[n % 2],
         "evidence": f"Town {n}\t{EVIDENCE[n % 2]}"}
        for n in range(CLAIMS)
    ]  # fmt: skip
    Path("c.json").write_text(json.dumps(lines))
    Path("ids.txt").write_text("".join(f"k{n}\n" for n in TOLD))
    Path("tune.txt").write_text("".join(f"k{n}\n" for n in range(CLAIMS) if n not in TOLD))
    return tmp_path


def run(encoder: Path, *flags: str) -> int:
    return few_shot.main(["-c", "c.json", "--ids", "ids.txt", "--tune_ids", "tune.txt", "--encoder", str(encoder),
                          "--seeds", "2", "-o", "out", "--recipe", "ours", "--epochs", "1", "--max_length", "64",
                          *flags])  # fmt: skip


def traces(seed: int) -> list[ClaimTrace]:
    return read_traces(Path("out") / f"seed_{seed}.json")


def summary() -> Any:
    return json.loads(Path("out/summary.json").read_text())


def manifest(name: str) -> Any:
    return json.loads(Path(f"out/{name}.manifest.json").read_text())


def test_what_it_leaves_is_scored(
    world: Path, models: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")  # no cluster is there; the step runs here
    assert run(models / "bert") == 0
    assert "seed 1: 20 examples learned" in capsys.readouterr().out
    assert [one.claim_id for one in traces(0)] == list(TOLD)
    (step,) = traces(0)[0].programs[0].steps
    assert step.text == "The council said that 3 schools closed."
    assert [(one.url, one.sentence) for one in step.evidence] == [("Town 3", EVIDENCE[1])]
    assert 0.5 <= step.confidence <= 1
    files = ["out/seed_0.json", "out/seed_1.json"]
    assert evaluate_programs.main(["-i", *files, "--gold", "c.json", "--ids", "ids.txt", "-o", "scores.json"]) == 0
    scored = json.loads(Path("scores.json").read_text())["scores"]
    theirs = {group["group"]: [one["macro_f1"]["value"] for one in group["traces"]] for group in scored}
    ours = {group["group"]: group["seeds"] for group in summary()["scores"]}
    assert ours == {name: theirs[name] for name in ("2 hops", "3 hops", "all")}
    assert "every program verifies the claim as a whole" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("encoder", "how"),
    [
        ("bert", ["--train", "whole", "--learning_rate", "1e-3"]),
        ("longformer", ["--train", "whole", "--learning_rate", "1e-3"]),
        ("t5", ["--learning_rate", "1e-2"]),
    ],
)
def test_it_learns_from_the_evidence(world: Path, models: Path, encoder: str, how: list[str]) -> None:
    assert run(models / encoder, "--epochs", "20", *how) == 0  # its weights are random
    assert summary()["scores"][-1]["seeds"] == [1.0, 1.0]


def test_the_same_seed_gives_the_same_bytes(world: Path, models: Path) -> None:
    assert run(models / "entailment") == 0
    before = [Path(f"out/seed_{seed}.json").read_bytes() for seed in (0, 1)]
    assert before[0] != before[1]
    shutil.rmtree("out")
    assert run(models / "entailment", "--seeds", "1", "--seed", "1", "--json", "scores/one.json") == 0
    assert Path("out/seed_1.json").read_bytes() == before[1]
    assert json.loads(Path("scores/one.json").read_text())["seeds"] == [1]
    assert not Path("out/seed_0.json").exists()


def test_a_seed_that_is_done_is_not_trained_again(
    world: Path, models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    learned: list[int] = []

    def stopped(*args: Any, **more: Any) -> Any:
        learned.append(args[2].seed)
        if learned == [0, 1]:
            raise KeyboardInterrupt
        return fine_tune(*args, **more)

    monkeypatch.setattr(few_shot, "fine_tune", stopped)
    assert run(models / "bert") == 130
    assert {path.name for path in Path("out").glob("s*.json")} == {"seed_0.json", "seed_0.manifest.json"}
    assert run(models / "bert") == 0
    assert learned == [0, 1, 1]
    assert summary()["seeds"] == [0, 1]
    assert run(models / "bert", "--examples", "10") == 2
    assert "--examples 20 there, 10 here" in capsys.readouterr().err


def test_a_failed_claim_stops_neither_other_seeds_nor_the_summary(
    world: Path, models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[list[int]] = []

    def failing(batch: Sequence[LabelledClaim], *args: Any) -> Any:
        calls.append([one.claim_id for one in batch])
        if len(calls) <= 2 and 3 in calls[-1]:  # in seed 0, among others and alone
            raise ModelError("no number")
        return verdicts(batch, *args)

    monkeypatch.setattr(whole_verdicts, "verdicts", failing)
    assert run(models / "bert") == 1
    assert "1 of 8 claims failed" in capsys.readouterr().err
    assert [traces(seed)[0].value is Value.UNKNOWN for seed in (0, 1)] == [True, False]
    assert summary()["seeds"] == [0, 1]
    assert manifest("summary")["notes"] == ["1 claim failed in the step that made out/seed_0.json"]


def test_manifests_name_the_recipe_of_their_seed(world: Path, models: Path) -> None:
    assert run(models / "bert") == 0
    recipe = manifest("seed_1")["model"]["details"]["recipe"]
    assert "'seed': 1" in recipe
    assert f"'base': '{models / 'bert'}'" in recipe
    settings = manifest("seed_1")["fingerprint"]["settings"]
    names = ("epochs", "batch", "learning_rate", "rank", "max_length")
    assert [settings[name] for name in names] == [1.0, 4, 5e-4, 16, 64]
    expected = {"train": "lora", "learning_rate": 5e-4, "epochs": 1.0, "batch": 4, "max_length": 64}
    assert summary()["recipe"] == expected


def test_by_default_all_weights_are_trained_at_the_published_rate(world: Path, models: Path) -> None:
    assert few_shot.main(["-c", "c.json", "--ids", "ids.txt", "--tune_ids", "tune.txt", "--encoder",
                          str(models / "bert"), "--seeds", "1", "-o", "out"]) == 0  # fmt: skip
    recipe = {"train": "whole", "learning_rate": 2e-5, "epochs": 20.0, "batch": 8, "max_length": 512}
    assert summary()["recipe"] == recipe


def test_claims_that_were_cut_are_counted(world: Path, models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = json.loads(Path("c.json").read_text())
    for line in lines[: TOLD[3]]:
        line["evidence"] += " Nobody paid." * 20
    Path("c.json").write_text(json.dumps(lines))
    assert run(models / "bert") == 0
    output = capsys.readouterr().out
    assert "seed 0: 20 examples learned" in output
    assert output.count("are longer than the 64 word pieces that are read, and were cut") == 3  # both seeds, and all
    assert [manifest(f"seed_{seed}")["counts"]["cut"] for seed in (0, 1)] == [3, 3]
    assert summary()["cut"] == 3
    assert "3 of 8 claims are longer than the 64 word pieces" in output


def test_a_longformer_reads_what_others_cut(world: Path, models: Path) -> None:
    lines = json.loads(Path("c.json").read_text())
    for line in lines:
        line["evidence"] = "\n".join(f"Town {n}\t{' '.join(EVIDENCE)}" for n in range(8))  # about 170 pieces
    Path("c.json").write_text(json.dumps(lines))
    how = ["--seeds", "1", "--epochs", "1", "--examples", "4"]
    claims = ["-c", "c.json", "--ids", "ids.txt", "--tune_ids", "tune.txt"]
    assert few_shot.main([*claims, "--encoder", str(models / "short"), *how, "-o", "short"]) == 0
    assert few_shot.main([*claims, "--encoder", str(models / "longformer"), *how, "-o", "long"]) == 0
    read = {name: json.loads(Path(name, "summary.json").read_text()) for name in ("short", "long")}
    assert [(one["cut"], one["recipe"]["max_length"]) for one in read.values()] == [(8, 96), (0, 256)]


def test_without_cut_claims_cuts_are_not_mentioned(
    world: Path, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(models / "bert") == 0
    assert "cut" not in capsys.readouterr().out
    assert summary()["cut"] == 0


def test_a_dry_run_counts_the_training_and_writes_nothing(
    world: Path, models: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def slow(*args: Any, **more: Any) -> Any:
        learned = fine_tune(*args, **more)
        assert more == {"tried": True}
        learned.seconds = 5000.0
        return learned

    monkeypatch.setattr(few_shot, "fine_tune", slow)
    assert run(models / "bert", "--dry_run") == 0
    output = capsys.readouterr().out
    assert "few_shot: dry run, nothing written" in output
    assert "time     about 1 h 23 min" in output
    assert "in all   about 2 h 46 min for 2 such runs" in output
    assert not Path("out").exists()


def test_open_evidence_is_what_the_claim_finds_once_for_all_seeds(
    world: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    search = Corpus.bm25

    def noted(self: Corpus, queries: Sequence[str], k: int) -> Any:
        searched.extend(queries)
        return search(self, queries, k)

    monkeypatch.setattr(Corpus, "bm25", noted)
    pages = [{"title": f"Page {n}", "text": f"The council has {n} schools."} for n in range(CLAIMS)]
    Path("pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    assert run(models / "bert", "--setting", "open", "--corpus", "pages.jsonl") == 0
    evidence = traces(0)[1].programs[0].steps[0].evidence
    assert len(evidence) == 10
    assert evidence[0].url == "Page 8"
    assert len(set(searched)) == len(searched)


def claims(*values: Value) -> list[LabelledClaim]:
    return [LabelledClaim(n, str(n), f"{n}", value, None, (), ()) for n, value in enumerate(values)]


def test_examples_are_balanced_and_hang_on_the_seed() -> None:
    tune = claims(*[Value.TRUE] * 30, *[Value.FALSE] * 10)
    one, other = sample_examples(tune, 8, 0), sample_examples(tune, 8, 1)
    assert Counter(claim.value for claim in one) == {Value.TRUE: 4, Value.FALSE: 4}
    assert len({claim.claim_id for claim in one}) == 8
    assert one == sample_examples(tune, 8, 0)
    assert one != other


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--examples", "5"], "--examples 5: half of them are to be true, so the number must be even"),
        (["--examples", "40"], "16 claims with evidence are true, but --examples 40 takes 20 of them"),
        (["--tune_ids", "both.txt"], "both.txt: 1 of its claims are scored, too; name those to score with --ids"),
        (["--encoder", "empty"], "empty: no config.json in it, so no model"),
        (["--encoder", "minilmm"], "no model minilmm: known are"),
        (["--corpus", "c.json"], "--corpus goes with --setting open"),
        (["--retriever", "lucene"], "--retriever goes with --setting open"),
        (["--setting", "open"], "--setting open takes --corpus"),
        (["--seed", "4294967295"], "seeds are below 2 to the power of 32"),
        (["--json", "c.json"], "c.json: the summary would overwrite --claim_file"),
        (["--json", "out/seed_0.json"], "out/seed_0.json: such a name is that of a seed's files"),
        (["--json", "out/../out/seed_7"], "such a name is that of a seed's files"),
        (["--json", "empty"], "empty: the summary is a folder; name a file in it"),
        (["-o", "out.txt"], "out.txt"),
    ],
)
def test_what_is_refused(
    world: Path, models: Path, flags: Sequence[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("both.txt").write_text("k7\nk8\nk9\n")
    Path("empty").mkdir()
    Path("out.txt").write_text("")
    assert run(models / "bert", *flags) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not Path("out").exists()


def test_claims_without_labels_are_refused(world: Path, models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("c.json").write_text(json.dumps([{"uid": "k0", "claim": "It rained."}]))
    assert run(models / "bert") == 2
    assert "c.json, line 1, field label: missing" in capsys.readouterr().err
