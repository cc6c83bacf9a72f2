"""The steps that plant errors and measure the checks on them."""

import json
from pathlib import Path

import pytest

from src.explanation import evaluate_checks, plant_errors
from tests.training.small_claims import write_claims

pytestmark = pytest.mark.long

POLITIHOP = "statement\truling\tannotated_label\tannotated_evidence\n"


@pytest.fixture
def claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = write_claims(tmp_path, 12)
    held = json.loads(path.read_text())
    for number, one in enumerate(held):
        one["justification"] = f"The town closed {number + 30} schools. It was a long winter."
    path.write_text(json.dumps(held))
    return path


def test_planted_and_measured(claims: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert plant_errors.main(["--averitec", str(claims), "-o", "p.jsonl", "--clean_file", "c.jsonl"]) == 0
    planted = [json.loads(line) for line in Path("p.jsonl").read_text().splitlines()]
    assert [one["claim_id"] for one in planted] == list(range(len(planted)))
    assert {one["twin"] for one in planted if one["of"] == 3} == {"The town closed 33 schools. It was a long winter."}
    assert {one["planted"]["kind"] for one in planted} >= {"extrinsic number", "overgeneralisation", "intrinsic event"}
    before = Path("p.jsonl").read_bytes()
    assert plant_errors.main(["--averitec", str(claims), "-o", "p.jsonl"]) == 0
    assert Path("p.jsonl").read_bytes() == before
    assert {"p.jsonl.manifest.json", "c.jsonl.manifest.json"} <= {path.name for path in Path().iterdir()}
    capsys.readouterr()
    measure = ["-i", "p.jsonl", "--clean", "gold=c.jsonl", "--tagger", "none", "--json", "s.json"]
    assert evaluate_checks.main(measure) == 0
    printed = capsys.readouterr().out
    assert "extrinsic number" in printed
    assert "gold" in printed
    result = json.loads(Path("s.json").read_text())
    numbers = next(one for one in result["recall"] if one["kind"] == "extrinsic number")
    assert numbers["of_type"]["n"] == 12
    assert result["clean"][0]["explanations"]["n"] == 12


@pytest.fixture
def measured(claims: Path) -> list[str]:
    """Plant three errors and return the flags to measure them."""
    few = ["--most", "3", "--kinds", "extrinsic_number", "--quiet"]
    assert plant_errors.main(["--averitec", str(claims), "-o", "p.jsonl", "--clean_file", "c.jsonl", *few]) == 0
    return ["-i", "p.jsonl", "--clean", "gold=c.jsonl", "--tagger", "none"]


def test_scores_replace_earlier_ones_with_a_manifest_and_without(measured: list[str]) -> None:
    manifest = Path("s.manifest.json")
    assert evaluate_checks.main([*measured, "--json", "s.json"]) == 0
    kept = json.loads(manifest.read_text())["fingerprint"]
    assert (kept["step"], sorted(kept["inputs"])) == (evaluate_checks.STEP, ["clean gold", "planted_file"])
    assert evaluate_checks.main([*measured, "--json", "s.json"]) == 0
    manifest.unlink()  # as those that are kept in bench/results
    assert evaluate_checks.main([*measured, "--json", "s.json"]) == 0
    assert manifest.exists()


@pytest.mark.parametrize("foreign", ['{"recall": 1}', "my notes", "[]"])
def test_scores_replace_no_other_file(measured: list[str], foreign: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.json").write_text(foreign)
    assert evaluate_checks.main([*measured, "--json", "s.json"]) == 2
    assert capsys.readouterr().err.strip() == (
        "error: s.json: is no earlier file of scores; name another file, or remove it"
    )
    assert Path("s.json").read_text() == foreign


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--clean", "gold=p.jsonl"], "--clean gold: two files have this name"),
        (["--json", "c.jsonl"], "c.jsonl: the file of scores would overwrite --clean gold"),
        (["--json", "p.jsonl.manifest.json"], "would overwrite a file that belongs to --planted_file"),
    ],
)
def test_nothing_that_is_measured_is_lost(
    measured: list[str], flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in Path().iterdir()}
    assert evaluate_checks.main([*measured, *flags]) == 2
    assert message in capsys.readouterr().err
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


@pytest.mark.parametrize(
    ("output", "clean", "message"),
    [
        ("x.jsonl", "x.jsonl", "x.jsonl: the output would overwrite --clean_file"),
        ("x.manifest.json", "x.json", "the output would overwrite a file that belongs to --clean_file"),
        ("x.json", "x.manifest.json", "the output would overwrite a file that belongs to --output_file"),
    ],
)
def test_copies_and_clean_ones_do_not_overwrite_each_other(
    claims: Path, output: str, clean: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plant_errors.main(["--averitec", str(claims), "-o", output, "--clean_file", clean]) == 2
    assert message in capsys.readouterr().err
    assert not list(Path().glob("x.*"))


def test_kinds_and_words_are_chosen(claims: Path) -> None:
    argv = ["--averitec", str(claims), "-o", "p.jsonl", "--kinds", "extrinsic_event", "--words", "train", "--most", "3"]
    assert plant_errors.main(argv) == 0
    kinds = [json.loads(line)["planted"]["kind"] for line in Path("p.jsonl").read_text().splitlines()]
    assert kinds == ["extrinsic event"] * 3


def test_sentences_of_rulings_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ruling = json.dumps(["Eels swim.", "Ann counted 40 eels in 1990.", "Snow fell on the hills of Lund."])
    row = ["Eels fly.", ruling, "false", json.dumps({"0": ["1", "2"], "1": ["1"]})]
    Path("t.tsv").write_text(POLITIHOP + "\t".join('"' + one.replace('"', '""') + '"' for one in row) + "\n")
    assert plant_errors.main(["--politihop", "t.tsv", "-o", "p.jsonl", "--clean_file", "c.jsonl"]) == 0
    (clean,) = [json.loads(line) for line in Path("c.jsonl").read_text().splitlines()]
    assert clean["explanation"] == "Ann counted 40 eels in 1990. Snow fell on the hills of Lund."


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--averitec", "none.json"], "none.json: not found"),
        (["--politihop", "t.tsv"], "t.tsv, line 1, field statement: missing"),
        (["-i", "blank.json"], "blank.json: holds no explanation to plant an error in"),
        (["-i", "blank.json", "-o", "blank.json"], "blank.json: the output would overwrite"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.tsv").write_text("a\tb\n")
    Path("blank.json").write_text(json.dumps({"claim": "Eels fly.", "label": "false", "source": "Eels swim."}) + "\n")
    assert plant_errors.main([*argv] if "-o" in argv else [*argv, "-o", "p.jsonl"]) == 2
    assert message in capsys.readouterr().err
    assert not Path("p.jsonl").exists()
