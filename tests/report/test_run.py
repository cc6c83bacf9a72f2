"""A run as it is read from its folder."""

from pathlib import Path

import msgspec
import pytest
from lxml import html  # type: ignore[import-untyped]
from msgspec.structs import replace

from src.errors import InputError
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.programs.predictions import prediction as of_programs
from src.programs.records import ClaimTrace
from src.records import Level, Prediction, RankedSentences, Sentence, Side, Value, Verdict
from src.report.claim_page import claim_page, view_of_run
from src.report.overview import notes
from src.report.run import Run, RunFolder, named_folder, read_run
from src.reranking.top_file import encode_ranked
from src.runner.fingerprint import fingerprint
from src.runner.manifest import manifest_path, new_manifest
from src.settings import StepSettings
from src.store import encode_lines, encode_list
from tests.report.runs import claim, prediction, write_run

R, S = Verdict.REFUTED, Verdict.SUPPORTED


def explained(one: Prediction, text: str, label: str = "") -> ExplainedClaim:
    return ExplainedClaim(one.claim_id, one.claim, label or one.pred_label, one.evidence, explanation=text)


def run_with(folder: Path, predictions: list[Prediction], debates: list[ExplainedClaim]) -> Run:
    write_run(folder, predictions)
    (folder / "dev_explanations.json").write_bytes(encode_lines(explained(one, "As drafted.") for one in predictions))
    (folder / "dev_debates.json").write_bytes(encode_lines(debates))
    return read_run(RunFolder(folder), "eels")


def test_what_was_debated_stands_for_the_draft(tmp_path: Path) -> None:
    predictions = [prediction(0), prediction(1)]
    run = run_with(tmp_path, predictions, [explained(predictions[1], "As debated.")])
    assert [run.explanations[one].explanation for one in (0, 1)] == ["As drafted.", "As debated."]
    assert run.outdated == {}


def test_what_explains_another_verdict_or_other_evidence_is_not_shown(tmp_path: Path) -> None:
    predictions = [prediction(0), prediction(1)]
    others = [explained(predictions[0], "So it is supported.", S), explained(prediction(1, R, "Other."), "Of others.")]
    run = run_with(tmp_path, predictions, others)
    assert {one.explanation for one in run.explanations.values()} == {"As drafted."}
    assert run.outdated == {"dev_debates.json": 2}
    assert "2 claims had an explanation of another verdict or other evidence" in notes(run)[-1].text
    parts = [part.text for sentence in view_of_run(run, predictions[0]).justification for part in sentence.parts]
    assert parts == ["As drafted."]


def test_a_claim_that_is_another_in_the_label_file_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, [prediction(0)])
    with pytest.raises(InputError, match=r"dev_veracity_prediction\.json, field claim: claim 0 has another text"):
        read_run(RunFolder(tmp_path), "eels", [claim(0, text="Storks eat frogs.")])


def test_a_run_of_no_claims_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, [])
    with pytest.raises(InputError, match="holds no predictions"):
        read_run(RunFolder(tmp_path), "eels")


@pytest.mark.parametrize("name", ["dev_flags.json", "dev_flags.jsonl"])
def test_findings_tell_which_explanations_were_checked(tmp_path: Path, name: str) -> None:
    predictions = [prediction(0), prediction(1), prediction(2)]
    drafts = [explained(one, "Eels swim.") for one in predictions[:2]]
    path = tmp_path / "dev_explanations.json"
    write_run(tmp_path, predictions)
    path.write_bytes(encode_lines(drafts))
    flags = tmp_path / name
    flags.write_bytes(encode_lines([Finding(1, 0, ErrorType.EXTRINSIC_ENTITY, "Eels", "nowhere")]))
    made = fingerprint("src.explanation.check_explanations", StepSettings(), {"explanations_file": path}, [0, 1])
    manifest_path(flags).write_bytes(msgspec.json.encode(new_manifest(made, StepSettings(), seconds={})))
    run = read_run(RunFolder(tmp_path), "eels")
    assert {claim_id: len(each) for claim_id, each in run.findings.items()} == {0: 0, 1: 1}
    path.write_bytes(encode_lines(drafts[:1]))
    assert read_run(RunFolder(tmp_path), "eels").findings == {}


def test_sentences_of_another_claim_are_refused(tmp_path: Path) -> None:
    write_run(tmp_path, [prediction(0)])
    ranked = RankedSentences(0, "Storks eat frogs.", 1, [Sentence("They do.", "https://storks.example/")])
    (tmp_path / "dev_top_k_sentences.json").write_bytes(encode_ranked(ranked))
    with pytest.raises(InputError, match=r"top_k_sentences\.json, field claim: claim 0 has another text in the pred"):
        read_run(RunFolder(tmp_path), "eels")


@pytest.mark.parametrize(("value", "made_by", "is_apart"), [
    (Value.FALSE, "", False),
    (Value.TRUE, "", True),
    (Value.FALSE, "src.prediction.veracity_prediction", True),
    (Value.FALSE, "src.programs.execute_programs --predictions", False),
])  # fmt: skip
def test_programs_that_did_not_find_the_verdict_are_marked(
    tmp_path: Path, value: Value, made_by: str, is_apart: bool
) -> None:
    folder = write_run(tmp_path, [prediction(0, R)])
    trace = ClaimTrace(0, prediction(0).claim, value, 1.0, 1, [])
    (tmp_path / "dev_program_trace.json").write_bytes(encode_lines([trace]))
    if made_by:
        made = fingerprint(made_by, StepSettings(), {}, [0])
        path = manifest_path(folder / "dev_veracity_prediction.json")
        path.write_bytes(msgspec.json.encode(new_manifest(made, StepSettings(), seconds={})))
    run = read_run(RunFolder(tmp_path), "eels")
    assert view_of_run(run, run.predictions[0]).are_programs_apart is is_apart


def test_the_claim_of_a_programs_run_is_undecided_and_shows_its_evidence(tmp_path: Path) -> None:
    trace = ClaimTrace(0, prediction(0).claim, Value.FALSE, 1.0, 1, [])
    write_run(tmp_path, [of_programs(trace, prediction(0).evidence)])
    (tmp_path / "dev_program_trace.json").write_bytes(encode_lines([trace]))
    run = read_run(RunFolder(tmp_path), "eels")
    page = html.document_fromstring(claim_page(view_of_run(run, run.predictions[0])))
    assert page.xpath("//title")[0].text_content().startswith("Undecided: ")
    assert [one.text_content() for one in page.xpath("//*[starts-with(@class, 'verdict')]")] == ["Undecided"]
    headings = [one.text_content() for one in page.xpath("//h2")]
    assert headings[:3] == ["Why", "Reliability", "Evidence"]
    assert "The steps of the program come out as Refuted. How often programs are right" in page.text_content()
    assert "They do so at night." in page.text_content()


def test_the_sides_of_pairs_are_those_of_the_prediction(tmp_path: Path) -> None:
    read = msgspec.structs.replace(prediction(0), level=Level.UNDECIDED, sides=[Side.AGAINST])
    write_run(tmp_path, [read, prediction(1)])
    run = read_run(RunFolder(tmp_path), "eels")
    with_sides, without = (view_of_run(run, one) for one in run.predictions)
    assert [pair.number for pair in with_sides.side("against")] == [1]
    assert with_sides.is_undecided
    assert not without.has_stances


def test_the_verdict_step_s_file_counts_where_the_justified_one_is_older(tmp_path: Path) -> None:
    predictions = [prediction(0, S), prediction(1, R)]
    before = [replace(prediction(0, R), justification="As it was."), replace(prediction(1, R), justification="As is.")]
    write_run(tmp_path, predictions)
    (tmp_path / "dev_justified_prediction.json").write_bytes(encode_list(before))
    run = read_run(RunFolder(tmp_path), "eels")
    assert [(one.pred_label, one.justification) for one in run.predictions] == [(S, None), (R, "As is.")]
    assert run.outdated == {"dev_justified_prediction.json": 1}
    (tmp_path / "dev_veracity_prediction.json").unlink()
    assert [one.pred_label for one in read_run(RunFolder(tmp_path), "eels").predictions] == [R, R]


def test_a_run_has_the_name_that_is_given_or_its_folder_s(tmp_path: Path) -> None:
    (tmp_path / "a=b").mkdir()
    assert named_folder(f"first={tmp_path}") == ("first", tmp_path)
    assert named_folder(str(tmp_path / "a=b")) == ("a=b", tmp_path / "a=b")
    assert named_folder("out/x/").name == "x"


@pytest.mark.parametrize("text", ["=x", "x="])
def test_half_a_name_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="neither NAME=FOLDER nor a folder"):
        named_folder(text)
