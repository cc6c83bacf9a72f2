"""A check as ClaimReview and as BibTeX, predictions as a table, and what the steps refuse."""

import csv
import io
import json
import re
from datetime import date
from pathlib import Path

import jsonschema
import msgspec
import pytest

from src.check.records import CheckedClaim
from src.errors import InputError
from src.records import Level, Prediction, QAPair, Verdict
from src.report import export_check, export_csv
from src.report.exports.bibliography import archived, bibliography
from src.report.exports.claim_review import Publication, claim_review
from src.retrieval.scraping.page_log import PageLog
from src.store import encode_lines
from tests.check.test_text import checked

SCHEMA = json.loads(Path(__file__).with_name("claim_review.schema.json").read_text())
PUBLICATION = Publication("The Desk", "https://desk.example/eels", date(2026, 2, 3))
REVIEWED = ["--claim_review", "x.jsonld", "--publisher", "D", "--review_url", "https://d.example"]


def leveled(verdict: Verdict, level: Level | None) -> CheckedClaim:
    made = checked()
    made.prediction.pred_label, made.prediction.level = verdict, level
    return made


@pytest.mark.parametrize(
    ("verdict", "level", "value", "name"),
    [
        (Verdict.REFUTED, Level.FIRM, 1, "Refuted"),
        (Verdict.REFUTED, Level.LEANING, 2, "Leaning to Refuted"),
        (Verdict.SUPPORTED, Level.FIRM, 5, "Supported"),
        (Verdict.SUPPORTED, Level.LEANING, 4, "Leaning to Supported"),
        (Verdict.CONFLICTING, Level.FIRM, 3, "Conflicting Evidence/Cherrypicking"),
        (Verdict.NOT_ENOUGH_EVIDENCE, Level.FIRM, -1, "Not Enough Evidence"),
    ],
)
def test_a_review_is_valid_and_rates_as_the_check(verdict: Verdict, level: Level, value: int, name: str) -> None:
    review = json.loads(claim_review(leveled(verdict, level), PUBLICATION))
    jsonschema.Draft202012Validator(SCHEMA, format_checker=jsonschema.FormatChecker()).validate(review)
    assert (review["reviewRating"]["ratingValue"], review["reviewRating"]["alternateName"]) == (value, name)
    assert review["itemReviewed"] == {
        "@type": "Claim", "author": {"@type": "Person", "name": "Ann"}, "datePublished": "2020-02-01"
    }  # fmt: skip
    assert [one["url"] for one in review["citation"]] == [f"https://a.example/{n}" for n in (1, 2, 3)]


@pytest.mark.parametrize("level", [Level.UNDECIDED, None])
def test_what_has_no_reliable_verdict_needs_the_publishers_own(level: Level | None) -> None:
    made = leveled(Verdict.REFUTED, level)
    with pytest.raises(InputError, match="give the publisher's own --rating"):
        claim_review(made, PUBLICATION)
    own = msgspec.structs.replace(PUBLICATION, rating="Half true")
    assert "reviewBody" not in json.loads(claim_review(leveled(Verdict.REFUTED, Level.FIRM), own))
    assert json.loads(claim_review(made, own))["reviewRating"]["ratingValue"] == -1
    rated = json.loads(claim_review(made, msgspec.structs.replace(own, value=3)))
    assert (rated["reviewRating"]["ratingValue"], rated["reviewRating"]["alternateName"]) == (3, "Half true")
    jsonschema.validate(rated, SCHEMA)


def test_a_claim_of_nobody_without_web_pages_is_valid_too() -> None:
    made = leveled(Verdict.REFUTED, Level.FIRM)
    made.claim.speaker = made.claim.claim_date = None
    made.prediction.evidence = [QAPair("Q?", "A.", "text:1")]
    review = json.loads(claim_review(made, PUBLICATION))
    jsonschema.validate(review, SCHEMA)
    assert "citation" not in review


def test_a_bibliography_has_access_date_and_a_link_to_the_archive() -> None:
    made = checked(pairs=[
        QAPair("Q?", "A.", "https://www.a.example/eels_{far}?x=1&y=50%"),
        QAPair("Q?", "B.", "text:1"),
        QAPair("Q?", "C.", "https://www.a.example/eels_{far}?x=1&y=50%"),
    ])  # fmt: skip
    made.pages = [PageLog(row=0, url="https://www.a.example/eels_{far}?x=1&y=50%", date="2020-01-30",
                          fetched_at="2026-01-31T08:09:10.5Z")]  # fmt: skip
    assert bibliography(made) == (
        "@misc{a-example-1,\n"
        "  title = {https://www.a.example/eels\\_\\textbraceleft{}far\\textbraceright{}?x=1\\&y=50\\%},\n"
        "  organization = {a.example},\n"
        "  url = {https://www.a.example/eels_%7Bfar%7D?x=1&y=50%},\n"
        "  urldate = {2026-01-31},\n"
        "  date = {2020-01-30},\n"
        "  note = {Evidence 1, 3. Archived copy: \\url{https://web.archive.org/web/20260131080910/"
        "https://www.a.example/eels_\\%7Bfar\\%7D?x=1&y=50\\%}},\n"
        "}\n\n"
        "@misc{text-1-2,\n"
        "  title = {text:1},\n"
        "  organization = {text:1},\n"
        "  urldate = {2026-02-01},\n"
        "  note = {Evidence 2},\n"
        "}\n"
    )


def test_no_text_of_a_page_ends_the_script_element_or_a_field() -> None:
    made = leveled(Verdict.REFUTED, Level.FIRM)
    made.explained.explanation = "</script><script>x=1</script> & more"
    written = claim_review(made, PUBLICATION)
    assert not set(b"<>&") & set(written)
    assert json.loads(written)["reviewBody"] == made.explained.explanation
    evil = checked(pairs=[QAPair("Q?", "A.", "file:a}, url={http:evil},x={{.pdf")])
    assert bibliography(evil).count("{") == bibliography(evil).count("}")
    assert "http:evil}," not in bibliography(evil)


def test_only_web_pages_are_archived() -> None:
    assert archived("https://web.archive.org/web/2020/https://a.example/", "2026-01-31T08:09:10Z") == (
        "https://web.archive.org/web/2020/https://a.example/"
    )
    assert archived("file:report.pdf", "2026-01-31T08:09:10Z") == ""
    assert archived("https://a.example/", "") == "https://web.archive.org/web/2/https://a.example/"


def test_the_address_of_a_page_may_begin_with_capitals() -> None:
    made = leveled(Verdict.REFUTED, Level.FIRM)
    made.prediction.evidence = [QAPair("Q?", "A.", "HTTP://a.example/eels"), QAPair("Q?", "B.", "httpx:eels")]
    review = json.loads(claim_review(made, PUBLICATION))
    assert [one["url"] for one in review["citation"]] == ["HTTP://a.example/eels"]
    written = bibliography(made)
    assert "  url = {HTTP://a.example/eels}," in written
    assert "https://web.archive.org/web/2/HTTP://a.example/eels" in written
    assert written.count("  url = ") == written.count("Archived copy") == 1


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "check.json"
    path.write_bytes(msgspec.json.encode(leveled(Verdict.REFUTED, Level.FIRM)))
    return path


def test_a_record_is_exported_in_every_form(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: record.with_name(f"eels.{name}") for name in ("jsonld", "bib", "html")}
    flags = ["--claim_review", str(files["jsonld"]), "--bibliography", str(files["bib"]), "--page", str(files["html"]),
             "--publisher", "The Desk", "--review_url", "https://desk.example/eels", "--day", "2026-02-03",
             "--as_checked"]  # fmt: skip
    assert export_check.main([str(record), *flags]) == 0
    jsonschema.validate(json.loads(files["jsonld"].read_bytes()), SCHEMA)
    assert len(re.findall("^@misc", files["bib"].read_text(), re.MULTILINE)) == 3
    assert "<h1>Eels swim.</h1>" in files["html"].read_text()
    assert capsys.readouterr().out.count(": written") == 3


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "name a file: --claim_review, --bibliography or --page"),
        (["--claim_review", "x.jsonld"], "--claim_review needs --publisher and --review_url"),
        (["--bibliography", "x.bib", "--publisher", "D"], "--publisher goes with --claim_review"),
        (
            [
                "--claim_review",
                "x.jsonld",
                "--publisher",
                "D",
                "--review_url",
                "https://d.example",
                "--rating",
                "False",
            ],
            "needs either both --rating and --rating_value, or --as_checked alone",
        ),
        ([*REVIEWED, "--rating_value", "5"], "needs either both --rating and --rating_value"),
        ([*REVIEWED, "--as_checked", "--rating", "Mostly false"], "needs either both --rating and --rating_value"),
        ([*REVIEWED, "--as_checked", "--rating_value", "5"], "needs either both --rating and --rating_value"),
        ([*REVIEWED, "--as_checked", "--rating", "False", "--rating_value", "1"], "or --as_checked alone"),
        (
            ["--claim_review", "x.jsonld", "--publisher", "D", "--review_url", "desk.example", "--as_checked"],
            "is no http or https",
        ),
        (
            [
                "--claim_review",
                "x.jsonld",
                "--publisher",
                "D",
                "--review_url",
                "https://d.example",
                "--day",
                "today",
                "--as_checked",
            ],
            "--day 'today' is no day",
        ),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_written(
    flags: list[str], message: str, record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(record.parent)
    assert export_check.main([str(record), *flags]) == 2
    assert message in capsys.readouterr().err
    assert [path.name for path in record.parent.iterdir()] == ["check.json"]


def test_an_answer_of_the_api_is_read_too(record: Path) -> None:
    answer = record.with_name("answer.json")
    answer.write_bytes(b'{"id": "x", "status": "done", "result": ' + record.read_bytes() + b"}")
    assert export_check.main([str(answer), "--page", str(record.with_name("eels.html"))]) == 0
    flags = ["--page", str(record.with_name("same")), "--bibliography", str(record.with_name("same"))]
    assert export_check.main([str(answer), *flags]) == 2


def test_another_file_is_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.json").write_text('{"claim": 3}')
    assert export_check.main([str(tmp_path / "x.json"), "--page", str(tmp_path / "x.html")]) == 2
    assert "x.json: is no record of a check" in capsys.readouterr().err


def test_predictions_are_a_table_that_no_spreadsheet_computes(tmp_path: Path) -> None:
    first = msgspec.json.decode(msgspec.json.encode(leveled(Verdict.REFUTED, Level.FIRM).prediction), type=Prediction)
    first.evidence[0].answer = '=HYPERLINK("https://evil.example")'
    second = msgspec.structs.replace(
        first, claim_id=1, claim='Eels, "fly".', evidence=[], probabilities=None, level=None
    )
    (tmp_path / "predictions.json").write_bytes(encode_lines([first, second]))
    claims = [{"claim": "Eels swim.", "label": "Refuted"}, {"claim": 'Eels, "fly".', "label": "Supported"}]
    (tmp_path / "claims.json").write_text(json.dumps(claims))
    flags = ["-i", str(tmp_path / "predictions.json"), "-o", str(tmp_path / "table.csv")]
    assert export_csv.main([*flags, "--label_file", str(tmp_path / "claims.json"), "--pairs", "2"]) == 0
    with (tmp_path / "table.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["claim_id"], row["claim"], row["label"], row["verdict"], row["level"]) for row in rows] == [
        ("0", "Eels swim.", "Refuted", "Refuted", "firm"),
        ("1", 'Eels, "fly".', "Supported", "Refuted", ""),
    ]
    assert (rows[0]["Refuted"], rows[1]["Refuted"]) == ("0.7100", "")
    assert rows[0]["answer_1"].startswith("'=HYPERLINK")
    assert {"url_2"} <= rows[0].keys()
    undecided = msgspec.structs.replace(first, level=Level.UNDECIDED)
    (row,) = csv.DictReader(io.StringIO(export_csv.table([undecided], None, 1)))
    assert (row["verdict"], row["likeliest"]) == ("", "Refuted")
    assert "url_3" not in rows[0]
    assert export_csv.main(flags) == 0
    assert "label" not in (tmp_path / "table.csv").read_text("utf-8-sig").splitlines()[0].split(",")


def test_labels_of_other_claims_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "predictions.json").write_bytes(encode_lines([checked().prediction]))
    (tmp_path / "claims.json").write_text(json.dumps([{"claim": "Eels fly.", "label": "Refuted"}]))
    flags = ["-i", str(tmp_path / "predictions.json"), "-o", str(tmp_path / "table.csv")]
    assert export_csv.main([*flags, "--label_file", str(tmp_path / "claims.json")]) == 2
    assert "of other text than in the predictions" in capsys.readouterr().err
    assert not (tmp_path / "table.csv").exists()
