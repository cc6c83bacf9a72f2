"""The results file, the tables made from it, and the loss curve."""

import threading
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from src.models.trained import TRAINED, Trained
from src.training.output_folder import CARD, loss_curve, model_card
from src.training.results import Result, append_result, read_results
from src.training.run_folder import History, Loss, Score
from src.training.show_results import columns, main, table
from src.training.write_card import main as write_card


def _result(run: str = "r", seed: int = 0, *, recipe: str = "plain", rank: int = 16, **scores: float) -> Result:
    return Result(
        run=run,
        task="reranker",
        recipe=recipe,
        base="minilm",
        seed=seed,
        share=1.0,
        settings={"rank": rank, "seed": seed, "name": recipe},
        data={"train.json": "ab"},
        revision=None,
        device="cpu",
        examples=10,
        steps=20,
        planned_steps=20,
        best_step=20 - seed,
        ended="all steps done",
        seconds=90.0,
        final_seconds=1.0,
        scores=scores or {"MRR": 0.5},
        baselines={"chance: MRR": 0.1},
    )


def test_a_run_stands_there_once(tmp_path: Path) -> None:
    path = tmp_path / "made" / "results.jsonl"
    for run in ("a", "b", "a"):
        append_result(_result(run), path)
    assert [result.run for result in read_results(path)] == ["a", "b"]


def test_a_half_written_line_goes(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    append_result(_result("a"), path)
    with path.open("ab") as file:
        file.write(b'{"run": "b", "task": "rer')
    append_result(_result("b"), path)
    assert [result.run for result in read_results(path)] == ["a", "b"]


def test_a_whole_line_without_its_end_stays(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    append_result(_result("a"), path)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    append_result(_result("b"), path)
    append_result(_result("b"), path)
    assert [result.run for result in read_results(path)] == ["a", "b"]


def test_baselines_are_above_the_rows_that_they_belong_to() -> None:
    rows = [_result("a"), _result("b", recipe="same", rank=2), _result("c", recipe="other", rank=4)]
    rows[2] = msgspec.structs.replace(rows[2], baselines={"chance: MRR": 0.2})
    names = [line.split(" | ")[0] for line in table("reranker", rows, ["MRR"]).splitlines()[4:]]
    assert names == ["| baseline: chance", "| plain", "| same", "| baseline: chance", "| other"]


def test_rows_with_one_name_show_the_settings_that_differ() -> None:
    rows = [_result("a"), _result("b", 1), _result("c", rank=2), _result("d", recipe="other", rank=4)]
    names = [line.split(" | ")[0] for line in table("reranker", rows, ["MRR"]).splitlines()[5:]]
    first = rows[0].settings["rank"]
    assert names == [f"| plain: rank {first}", "| plain: rank 2", "| other"]


def test_details_are_shown_with_the_flag() -> None:
    scores = {"gold macro-F1": 0.5, "gold F1 Refuted": 0.5, "gold ECE": 0.5, "log-loss before temperature": 0.5}
    others = {"worth, decided": 0.5, "worth": 0.5}
    runs = [msgspec.structs.replace(_result("a"), scores=own) for own in (scores, others)]
    assert columns(runs, details=False) == ["gold macro-F1", "worth"]
    assert columns(runs, details=True) == [*scores, *others]


def test_many_at_once(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    threads = [threading.Thread(target=append_result, args=(_result(f"run {n}"), path)) for n in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {result.run for result in read_results(path)} == {f"run {n}" for n in range(20)}


def test_one_row_for_each_recipe_with_the_spread_of_its_seeds() -> None:
    results = [
        _result("a", 0, MRR=0.5),
        _result("b", 1, MRR=0.7),
        _result("c", 0, recipe="small", rank=4, MRR=0.4, extra=0.25),
        _result("d", 0, MRR=0.6),  # the first recipe's seed 0 again: counts instead of the earlier one
    ]
    assert table("reranker", results, columns(results, details=False)).splitlines() == [
        "### reranker",
        "",
        "| recipe | base | share | seeds | best step | minutes | MRR | extra |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "| baseline: chance | - | - | - | - | - | 0.100 | - |",
        "| plain | minilm | 1 | 0 1 | 20 19 | 1.5 | 0.650 (0.600 to 0.700) | - |",
        "| small | minilm | 1 | 0 | 20 | 1.5 | 0.400 | 0.250 |",
    ]


def test_the_step_shows_every_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.jsonl"
    append_result(_result("a"), path)
    append_result(msgspec.structs.replace(_result("b"), task="veracity"), path)
    assert main(["--results", str(path)]) == 0
    output = capsys.readouterr().out
    assert output.index("### reranker") < output.index("### veracity")
    assert main(["--results", str(path), "--task", "veracity"]) == 0
    assert "### reranker" not in capsys.readouterr().out
    assert main(["--results", str(path), "--task", "poetry"]) == 2
    assert "no run of the task poetry, there are reranker, veracity" in capsys.readouterr().err
    assert main(["--results", str(path), "--scores", "MRR", "luck"]) == 2
    assert "no run has the score luck, there are MRR" in capsys.readouterr().err
    assert main(["--results", str(tmp_path / "away.jsonl")]) == 2
    assert "it is written by: the steps src.training.train_*" in capsys.readouterr().err


def _trained(seed: int) -> Trained:
    settings = {"rank": 16, "seed": seed, "name": "plain"}
    return Trained("reranker", "minilm", None, "claim_pairs", 256, seed, settings, {"train.json": "ab"}, {"MRR": 0.5})


def test_the_card_shows_every_run_of_its_recipe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, folder = tmp_path / "results.jsonl", tmp_path / "made"
    folder.mkdir()
    (folder / TRAINED).write_bytes(msgspec.json.encode(_trained(1)))
    for run, seed, value in (("a", 0, 0.5), ("b", 1, 0.7), ("c", 0, 0.6)):
        append_result(_result(run, seed, MRR=value), path)
    append_result(_result("other", 2, rank=4, MRR=0.1), path)
    assert write_card([str(folder), "--results", str(path)]) == 0
    assert capsys.readouterr().out == f"{folder / CARD}: runs of seed 0, 1, 0\n"
    card = (folder / CARD).read_text("utf-8")
    assert "This one is seed 1." in card
    assert "|  | run 1 | run 2 | run 3 | mean | standard deviation |" in card
    assert "| seed | 0 | 1 | 0 |  |  |" in card
    assert "| best step | 20 | 19 | 20 |  |  |" in card
    assert "| MRR | 0.5000 | 0.7000 | 0.6000 | 0.6500 | 0.0707 |" in card
    assert "0.1000" not in card
    assert "mean of their log-probabilities" not in card
    (folder / "seed_4").mkdir()
    (folder / "seed_4" / TRAINED).write_bytes(msgspec.json.encode(_trained(4)))
    assert write_card([str(folder), "--results", str(path)]) == 0
    assert "Other runs of the same training are in `seed_4`" in (folder / CARD).read_text("utf-8")


def test_a_card_without_other_runs_has_no_table_of_them() -> None:
    assert "run 1" not in model_card(_trained(0), [_result()])


def test_the_curve_shows_both_lines_and_the_best_score() -> None:
    history = History(
        [Loss(step, 2 - step / 100, 1.0) for step in range(10, 110, 10)],
        [Score(50, {"MRR": 0.4}, 1.0), Score(100, {"MRR": 0.3}, 1.0)],
        "MRR",
    )
    drawn = ElementTree.fromstring(loss_curve("a < b", history))
    names = [part.tag.rpartition("}")[2] for part in drawn]
    assert names.count("polyline") == 2
    assert names.count("circle") == 1
    texts = [part.text for part in drawn if part.tag.endswith("text")]
    assert {"a < b", "training loss", "held out: MRR", "step 0", "step 100", "0.4", "0.3", "1.9"} <= set(texts)
    for line in drawn:
        for point in (line.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert 64 <= x <= 576
            assert 36 <= y <= 280
