"""The step over small runs: its pages, without labels or manifests too, and its errors."""

import json
import re
from pathlib import Path

import pytest

from src.prediction import evaluate_ev2r, evaluate_veracity
from src.records import Verdict
from src.report import build_report
from src.runner.output import Failure
from src.store import encode_lines
from tests.report.runs import HOSTILE, claim, prediction, twelve, write_claims, write_run

S, R, N, C = Verdict
MANIFEST = {"fingerprint": {"step": "src.x", "settings": {}, "inputs": {}, "first": 0, "last": 11, "claims": 12},
            "arguments": {}, "counts": {"prompts": 3, "new_tokens": 1234}, "notes": ["one page <b> has no date"],
            "deterministic": False, "model": {"name": "small", "details": {}}, "seconds": {"work": 61.0},
            "source_sha256": "", "revision": "abc", "python": "3", "packages": {}}  # fmt: skip


def build(*flags: str | int | Path) -> int:
    return build_report.main(list(map(str, flags)))


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def refused(capsys: pytest.CaptureFixture[str], *flags: str | int | Path) -> str:
    """The one line of an error that ends with exit code 2."""
    assert build(*flags) == 2
    output = capsys.readouterr()
    assert output.out == ""
    (line,) = output.err.splitlines()
    return line


def test_a_run_becomes_pages_that_link_to_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, labels = twelve(tmp_path)
    assert build("--run", run, "--label_file", labels, "--compare", f"again={run}") == 0
    report = run / "report"
    assert capsys.readouterr().out.splitlines()[-1] == f"report: 12 claims -> {report / 'index.html'}"
    pages = sorted(str(path.relative_to(report)) for path in report.rglob("*.html"))
    assert pages == sorted(["index.html", "claims.html", "compare.html", *(f"claim/{n}.html" for n in range(12))])
    for page in report.rglob("*.html"):
        for address in re.findall(r'<a[^>]* href="([^"#]+)[^"]*"', text(page)):
            assert address.startswith("http") or (page.parent / address).is_file(), (page, address)


def test_scores_by_a_judge_are_beside_meteor_with_the_judge_s_name(tmp_path: Path) -> None:
    run, labels = twelve(tmp_path)
    predictions = run / "dev_veracity_prediction.json"
    fact = {"fact": "Eels swim.", "verdict": "supported"}
    answer = json.dumps({"predicted": [fact], "reference": [fact, fact | {"verdict": "contradicted"}]})
    lines = [{"role": role, "output": answer} for role in ("ev2r_questions", "ev2r_evidence") for _ in range(12)]
    (tmp_path / "script.jsonl").write_text("\n".join(map(json.dumps, lines)))
    flags = ["-i", str(predictions), "--label_file", str(labels), "--judge", f"scripted:{tmp_path / 'script.jsonl'}"]
    assert evaluate_ev2r.main([*flags, "--json", str(run / "dev_ev2r.json")]) == 0
    build("--run", run, "--label_file", labels)
    page = text(run / "report" / "index.html")
    assert f"Scored by scripted:{tmp_path / 'script.jsonl'}: 12 of 12 claims." in page
    assert re.search(r"Evidence recall</th><td[^>]*>0.500</td><td[^>]*>\[0.500, 0.500\]", page)
    assert "Q+A: questions with answers" in page
    (run / "dev_ev2r.json").rename(run / "dev_ev2r.json.away")
    assert evaluate_veracity.main([*flags, "--ev2r", "--json", str(run / "dev_scores.json")]) == 0
    build("--run", run, "--label_file", labels)
    assert "12 of 12 claims." in text(run / "report" / "index.html")
    predictions.write_bytes(predictions.read_bytes() + b"\n")
    build("--run", run, "--label_file", labels)
    assert "Not shown: dev_scores.json has the scores of other predictions." in text(run / "report" / "index.html")
    build("--run", run, "--label_file", labels, "--end", "5")
    assert "Not shown" in text(run / "report" / "index.html")


def test_labels_bring_scores_and_without_them_one_line_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, labels = twelve(tmp_path)
    build("--run", run, "--label_file", labels)
    with_labels = text(run / "report" / "index.html")
    for title in (
        "Verdicts against labels",
        "Calibration of the probabilities",
        "Score against the threshold",
        "By claim type",
    ):
        assert title in with_labels
    assert "Published figures are not shown: they are of all 500 claims of dev, this run has 12." in with_labels
    build("--run", run, "--split", "dev", "--label_file", write_claims(tmp_path / "none.json", [claim(0, None)]))
    assert "nothing is scored" in capsys.readouterr().out
    without = text(run / "report" / "index.html")
    assert "need labels: not every claim of this run has one" in without
    assert "Verdicts against labels" not in without
    assert "data-gold" not in text(run / "report" / "claims.html")


def test_a_range_of_the_claims_is_shown_alone(tmp_path: Path) -> None:
    run, labels = twelve(tmp_path)
    assert build("--run", run, "--label_file", labels, "-s", 3, "-e", 5, "-o", tmp_path / "r") == 0
    assert sorted(path.name for path in (tmp_path / "r" / "claim").iterdir()) == ["3.html", "4.html"]
    assert "2 (3-4)" in text(tmp_path / "r" / "index.html")


def test_the_same_run_gives_the_same_pages(tmp_path: Path) -> None:
    run, labels = twelve(tmp_path)
    for name in ("one", "two"):
        build("--run", run, "--label_file", labels, "-o", tmp_path / name)
    pages = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.html"))
    assert pages
    assert all((tmp_path / "one" / page).read_bytes() == (tmp_path / "two" / page).read_bytes() for page in pages)


def test_manifests_failures_and_notes_are_shown(tmp_path: Path) -> None:
    run, labels = twelve(tmp_path)
    made = MANIFEST | {"fingerprint": {**MANIFEST["fingerprint"], "step": "src.prediction.x"}}  # type: ignore[dict-item]
    (run / "dev_veracity_prediction.manifest.json").write_text(json.dumps(made))
    failure = Failure(5, "src.prediction.x", "ModelError", f"no answer {HOSTILE}", "")
    (run / "dev_veracity_prediction.failures.jsonl").write_bytes(encode_lines([failure]))
    assert build("--run", run, "--label_file", labels) == 0
    page = text(run / "report" / "index.html")
    failed = '<a href="claim/5.html">Claim 5</a>: ModelError: no answer &lt;script&gt;'
    texts = ("Model of verdicts", "small", "1 min 01 s", "1,234", "one page &lt;b&gt; has no date", "not deterministic")
    for shown in (*texts, failed):
        assert shown in page
    assert text(run / "report" / "claims.html").count('data-failed="yes"') == 1


def test_hostile_texts_are_inert_on_every_page(tmp_path: Path) -> None:
    bad = prediction(0, R, HOSTILE, text=HOSTILE)
    bad.evidence[0].url = "javascript:alert(1)"
    run = write_run(tmp_path / "<b>run", [bad, prediction(1)])
    other = write_run(tmp_path / "other", [prediction(0, S, text=HOSTILE), prediction(1)])
    labels = write_claims(tmp_path / "l.json", [claim(0, text=HOSTILE, types=[HOSTILE]), claim(1)])
    assert build("--run", run, "--label_file", labels, "--compare", f"{HOSTILE.replace('=', ':')}={other}") == 0
    pages = [*(run / "report").rglob("*.html")]
    assert len(pages) == 5
    for page in pages:
        html = text(page)
        assert "<script>alert" not in html
        assert "<img" not in html
        assert "<b>run" not in html
        assert not re.search(r'(?:href|src)="\s*javascript:', html)
        assert " style=" not in html
        assert re.search(r"http-equiv=.Content-Security-Policy", html)


def test_predictions_alone_are_enough(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [prediction(n) for n in range(3)], split="mine")
    assert build("--run", run) == 0
    page = text(run / "report" / "index.html")
    assert "There is no manifest beside" in page
    assert "<p>None.</p>" in page


def test_a_claim_without_evidence_and_an_unlabelled_type_are_shown(tmp_path: Path) -> None:
    empty = prediction(0)
    empty.evidence.clear()
    run = write_run(tmp_path / "run", [empty])
    assert build("--run", run, "--label_file", write_claims(tmp_path / "l.json", [claim(0, types=[])])) == 0
    assert "By claim type" not in text(run / "report" / "index.html")


def test_an_earlier_report_is_replaced_and_nothing_else_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, labels = twelve(tmp_path)
    report = tmp_path / "r"
    assert build("--run", run, "--label_file", labels, "-o", report) == 0
    assert build("--run", run, "--label_file", labels, "-e", 2, "-o", report) == 0
    assert len(list((report / "claim").iterdir())) == 2
    capsys.readouterr()
    before = sorted(run.iterdir())
    assert "is not empty, and no earlier report" in refused(capsys, "--run", run, "-o", run)
    assert sorted(run.iterdir()) == before


def test_a_failing_build_leaves_the_earlier_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, labels = twelve(tmp_path)
    build("--run", run, "--label_file", labels)
    before = text(run / "report" / "index.html")
    other = write_run(tmp_path / "other", [prediction(40)])
    capsys.readouterr()
    assert "has no claim of" in refused(capsys, "--run", run, "--label_file", labels, "--compare", other)
    assert text(run / "report" / "index.html") == before
    assert not [path for path in run.iterdir() if path.name.startswith(".")]


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, labels = twelve(tmp_path)
    assert "is no folder" in refused(capsys, "--run", tmp_path / "none")
    assert "not found" in refused(capsys, "--run", run, "--label_file", tmp_path / "none.json")
    assert "--end 99: must be above 3" in refused(capsys, "--run", run, "--label_file", labels, "-s", 3, "-e", 99)
    wrong = write_claims(tmp_path / "wrong.json", [claim(0, text="Storks eat frogs.")])
    assert "claim 0 has another text" in refused(capsys, "--run", run, "--label_file", wrong)
    assert "neither NAME=FOLDER" in refused(capsys, "--run", run, "--compare", "=x")
    assert "two runs are called 'run'" in refused(capsys, "--run", run, "--compare", run)


def test_a_page_of_the_list_is_small(tmp_path: Path) -> None:
    """A claim takes less than a kilobyte in the list, style and script aside."""
    run = write_run(tmp_path / "run", [prediction(n) for n in range(200)])
    labels = write_claims(tmp_path / "l.json", [claim(n) for n in range(200)])
    build("--run", run, "--label_file", labels)
    sizes = {path.name: path.stat().st_size for path in (run / "report").glob("*.html")}
    assert sizes["claims.html"] < 40_000 + 200 * 1000
    assert sizes["index.html"] < 100_000
