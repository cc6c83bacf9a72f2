"""The step that writes questions, with a scripted model: its file, odd claims, resume, notes and refusals."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from transformers import AutoModelForCausalLM

from src.llm.adapter import read_adapter
from src.llm.protocol import ModelInfo
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.llm.weights import hash_of
from src.records import Answer, CandidateQuestions, Claim, Question, RankedSentences, Sentence
from src.reranking.question_generation_top_sentences import main
from src.reranking.questions import flags
from src.reranking.top_file import encode_ranked
from src.runner.manifest import manifest_path, read_manifest
from src.store import encode_line, encode_list, read_records
from tests.llm.adapters import make_adapter
from tests.runner.small_world import ODD_CLAIMS, World, failed, lines_of, outcome, write_script
from tests.tiny_models import make_causal

REFERENCE = [Claim("Ferry", questions=[Question("Did it sink?", [Answer("The ferry sank at noon")])])]


def ranked(*claims: str, sentences: Sequence[str] = ("The ferry\nsank.", "")) -> list[RankedSentences]:
    pages = [Sentence(sentence, f"https://{place}.example/") for place, sentence in enumerate(sentences)]
    return [RankedSentences(number, claim, 100, pages) for number, claim in enumerate(claims)]


def prepare(folder: Path, claims: Sequence[RankedSentences]) -> World:
    (folder / "top.json").write_bytes(b"".join(encode_ranked(claim) + b"\n" for claim in claims))
    (folder / "train.json").write_bytes(encode_list(REFERENCE))
    return World(folder)


def write(world: World, outputs: Sequence[str], *flags: str) -> int:
    paths = ["-i", str(world.folder / "top.json"), "--reference_corpus", str(world.folder / "train.json")]
    llm = write_script(world.folder / "script.jsonl", {"question_writer": outputs})
    return main([*paths, "-o", str(world.output), "--llm", llm, "--quiet", *flags])


def test_the_published_line(tmp_path: Path) -> None:
    world = prepare(tmp_path, ranked("A", "B"))
    assert write(world, ["Who sank?", "", "What? Else", "Where"]) == 0
    assert lines_of(world.output) == [
        b'{"claim_id": 0, "claim": "A", "bm25_qau": [["Who sank?", "The ferry sank.", "https://0.example/"], '
        b'["?", "", "https://1.example/"]]}\n',
        b'{"claim_id": 1, "claim": "B", "bm25_qau": [["What?", "The ferry sank.", "https://0.example/"], '
        b'["Where?", "", "https://1.example/"]]}\n',
    ]
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert (manifest.counts["prompts"], manifest.counts["unusable_questions"]) == (4, 1)
    assert manifest.model["engine"] == "scripted"
    assert (manifest.notes, manifest.failures) == ([], 0)
    assert not manifest.deterministic  # a script is read from its beginning by every start


@pytest.mark.parametrize("kind", ODD_CLAIMS)
def test_odd_claims_come_through_unchanged(tmp_path: Path, kind: str) -> None:
    text = ODD_CLAIMS[kind]
    world = prepare(tmp_path, ranked("plain", text, "", sentences=[text]))
    assert write(world, [text, text, ""]) == 0
    assert [record.claim for record in read_records(world.output, CandidateQuestions)] == ["plain", text, ""]
    first = read_records(world.output, CandidateQuestions)[0].bm25_qau[0]
    assert first.answer == text.replace("\n", " ")
    assert len(first.question) <= 251


def test_a_claim_without_sentences_stays_in_the_output(tmp_path: Path) -> None:
    world = prepare(tmp_path, [RankedSentences(0, "nothing found", 100, []), *ranked("x", "y")[1:]])
    assert write(world, ["a", "b"]) == 0
    assert lines_of(world.output)[0] == b'{"claim_id": 0, "claim": "nothing found", "bm25_qau": []}\n'


def test_the_model_failing_fails_its_claim_alone(tmp_path: Path) -> None:
    world = prepare(tmp_path, ranked("A", "B", "C"))
    assert write(world, ["a"] * 6) == 0
    good = outcome(world.output)
    assert write(world, ["a"] * 5, "--overwrite") == 1
    assert failed(world.output) == [2]
    assert lines_of(world.output)[:2] == good["result.json"].splitlines(keepends=True)[:2]
    assert lines_of(world.output)[2] == b'{"claim_id": 2, "claim": "C", "bm25_qau": []}\n'
    assert write(world, ["a"] * 6) == 0
    assert outcome(world.output) == good


def test_top_k_and_range(tmp_path: Path) -> None:
    world = prepare(tmp_path, ranked("A", "B", "C"))
    assert write(world, ["a"] * 2, "--top_k", "1", "-s", "1", "-e", "3") == 0
    records = read_records(world.output, CandidateQuestions)
    assert [(record.claim_id, len(record.bm25_qau)) for record in records] == [(1, 1), (2, 1)]


def test_an_output_from_before_a_flag_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = prepare(tmp_path, ranked("A"))
    assert write(world, ["a", "b"]) == 0
    made = read_manifest(world.output)
    assert made is not None
    for name in ("examples_by", "server_grammar"):
        del made.fingerprint.settings[name]
    manifest_path(world.output).write_bytes(encode_line(made))
    assert write(world, ["a", "b"], "--num_examples", "1") == 2
    assert "made otherwise (--num_examples 10 there, 1 here)" in capsys.readouterr().err
    assert write(world, ["a", "b"]) == 0


def test_a_choice_of_examples_without_examples_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = prepare(tmp_path, ranked("A"))
    by_claim = ("--examples_by", "claim")
    assert write(world, ["a", "b"], *by_claim, "--num_examples", "0") == 2
    assert "--examples_by claim changes nothing without examples; give --num_examples N" in capsys.readouterr().err
    assert write(world, ["a", "b"], *by_claim, "--num_examples", "1") == 0


def test_an_unknown_model_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = prepare(tmp_path, ranked("A"))
    assert write(world, [], "--llm", "no such model") == 2
    assert write(world, [], "--llm", f"scripted:{tmp_path / 'none.jsonl'}") == 2
    unknown, missing = capsys.readouterr().err.splitlines()
    assert "unknown model" in unknown
    assert "none.jsonl: not found" in missing
    assert not world.output.parent.exists()
    assert write(world, ["a", "b"]) == 0


def test_strict_refuses_and_without_it_the_manifest_has_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world = prepare(tmp_path, ranked("A"))
    plain = ScriptedModel([ScriptLine("question_writer", "a")] * 2, ModelInfo("plain", "plain", "plain"))
    monkeypatch.setattr(flags, "get_llm", lambda spec, options: plain)
    assert write(world, ["a"] * 2, "--recipe", "published", "--strict") == 2
    assert capsys.readouterr().err.startswith("error: 2 beams asked for")
    assert write(world, ["a"] * 2, "--recipe", "published") == 0
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert len(manifest.notes) == 2


def test_bad_inputs_exit_2_with_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = prepare(tmp_path, ranked("A"))
    (tmp_path / "top.json").write_bytes(b'{"claim_id": 0, "claim": "A", "top_9": [{"sentence": "s"}]}\n')
    assert write(world, []) == 2
    (tmp_path / "top.json").write_bytes(b"")
    assert write(world, []) == 2
    (tmp_path / "top.json").unlink()
    assert write(world, []) == 2
    shape, empty, missing = capsys.readouterr().err.splitlines()
    assert shape.endswith("top.json, line 1, field top_9[0].url: missing")
    assert "no claims" in empty
    assert "not found; it is written by: " in missing
    assert not world.output.parent.exists()


def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = prepare(tmp_path, ranked("A", "B", "C", "D", "E"))
    assert write(world, ["a"] * 9, "--dry_run") == 0
    assert "prompts  10" in capsys.readouterr().out
    assert write(world, [], "--dry_run") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not world.output.parent.exists()


def test_a_model_with_an_adapter_needs_no_corpus(tmp_path: Path) -> None:
    model = make_causal(tmp_path / "model")
    base = AutoModelForCausalLM.from_pretrained(model)
    adapter = make_adapter(tmp_path / "adapter", base, str(hash_of(model)))
    world = prepare(tmp_path, ranked("The river rose by 12 percent"))
    paths = ["-i", str(world.folder / "top.json"), "-o", str(world.output), "--reference_corpus", "absent.json"]
    flags = ["--llm", f"hf:{model}", "--adapter", str(adapter), "--device", "cpu", "--max_new_tokens", "9"]
    assert main([*paths, *flags, "--quiet"]) == 0
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert (manifest.arguments["recipe"], manifest.arguments["reference_corpus"]) == ("trained", None)
    assert manifest.model["details"]["adapter"] == str(adapter)
    assert manifest.model["details"]["adapter_sha256"] == read_adapter(adapter).sha256
    assert {"adapter", "adapter_config"} <= manifest.fingerprint.inputs.keys()
