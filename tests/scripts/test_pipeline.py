"""The pipeline script: every step in turn, and how it ends; then in earnest on two claims of the sample."""

import json
import shutil
from pathlib import Path

import pytest

from src.records import VERDICTS
from src.runner.output import failures_path
from tests.runner.small_world import write_script
from tests.scripts.copied import Scripts, copy_scripts, value_of

MODULES = [
    "src.reranking.bm25_sentences",
    "src.reranking.question_generation_top_sentences",
    "src.reranking.rerank_questions",
    "src.prediction.veracity_prediction",
    "src.prediction.veracity_with_scraped_text",
    "src.prediction.validate_submission",
    "src.prediction.evaluate_veracity",
    "src.explanation.generate_explanations",
]
SCORES = "src.prediction.evaluate_veracity"


@pytest.fixture
def scripts(project_root: Path, tmp_path: Path) -> Scripts:
    return copy_scripts(project_root, tmp_path)


def modules(scripts: Scripts) -> list[str]:
    return [call[1] for call in scripts.calls()]


def test_every_step_reads_what_the_one_before_writes(scripts: Scripts) -> None:
    done = scripts.bash("pipeline.sh", "dev", "3", "9", "--top_k", "7", "--top_n", "2", "--llm", "a model")
    assert (done.returncode, done.stderr) == (0, "")
    assert modules(scripts) == MODULES
    ranking, questions, reranking, verdicts, submission, validation, scores, explanations = scripts.calls()
    store = str(scripts.root / "data_store")
    assert value_of("-k", ranking) == f"{store}/knowledge_store/dev"
    assert value_of("-c", ranking) == str(scripts.root / "data" / "dev.json")
    assert value_of("-i", questions) == value_of("-o", ranking) == f"{store}/dev_top_k_sentences.json"
    assert value_of("-i", reranking) == value_of("-o", questions)
    assert value_of("-i", verdicts) == value_of("-o", reranking)
    assert value_of("-i", submission) == value_of("-o", verdicts) == value_of("-i", scores)
    assert value_of("-i", explanations) == value_of("-o", verdicts)
    assert value_of("-o", explanations) == f"{store}/dev_explanations.json"
    assert value_of("--predictions", explanations) == f"{store}/dev_justified_prediction.json"
    assert validation[2] == value_of("-o", submission)
    assert value_of("--top_k", ranking) == value_of("--top_k", questions) == "7"
    assert value_of("--top_n", reranking) == "2"
    assert value_of("--llm", questions) == value_of("--llm", verdicts) == "a model"
    assert all((value_of("-s", call), value_of("-e", call)) == ("3", "9") for call in scripts.calls())


def test_other_places_are_seen_from_where_it_is_called(scripts: Scripts, tmp_path: Path) -> None:
    places = ["--claim_file", "my claims.json", "--knowledge_store_dir", "kb", "--reference_corpus", "r.json"]
    places += ["--output_dir", "o p", "--llm", "gguf:m.gguf"]
    (tmp_path / "m.gguf").write_bytes(b"")
    assert scripts.bash("pipeline.sh", "x", "0", "1", *places, cwd=tmp_path).returncode == 0
    ranking, questions, *_ = scripts.calls()
    assert value_of("-c", ranking) == f"{tmp_path}/my claims.json"
    assert value_of("-k", ranking) == f"{tmp_path}/kb"
    assert value_of("--reference_corpus", questions) == f"{tmp_path}/r.json"
    assert value_of("-o", questions) == f"{tmp_path}/o p/x_top_k_qa.json"
    assert value_of("--llm", questions) == f"gguf:{tmp_path}/m.gguf"


def test_the_test_split_has_no_scores(scripts: Scripts) -> None:
    assert scripts.bash("pipeline.sh", "test", "0", "5").returncode == 0
    assert scripts.bash("pipeline.sh", "dev", "0", "5", "--no_scores").returncode == 0
    assert modules(scripts) == [module for module in MODULES if module != SCORES] * 2


def test_flags_of_all_steps_are_passed_on(scripts: Scripts) -> None:
    assert scripts.bash("pipeline.sh", "dev", "0", "5", "--overwrite", "--quiet").returncode == 0
    assert all({"--overwrite", "--quiet"} <= set(call) for call in [*scripts.calls()[:5], scripts.calls()[-1]])


@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_dry_run_counts_questions_on_sentences_found_aside(scripts: Scripts, code: int) -> None:
    scripts.fail(MODULES[0], code)
    done = scripts.bash("pipeline.sh", "dev", "0", "5", "--hyde", "--dry_run")
    assert (done.returncode, done.stderr) == (code, "")
    assert modules(scripts) == [MODULES[0]] + [MODULES[0], MODULES[1]] * (code < 2)
    estimate, *rest = scripts.calls()
    assert {"--dry_run", "--hyde"} <= set(estimate)
    aside = Path(value_of("-o", estimate)).parent
    assert scripts.root not in aside.parents
    assert not aside.exists()
    if code < 2:
        ranking, questions = rest
        assert "--dry_run" not in ranking
        assert value_of("--retriever", ranking) == "bm25"
        assert "--dry_run" in questions
        assert value_of("-i", questions) == value_of("-o", ranking)


def test_hybrid_retrieval_unless_told_otherwise(scripts: Scripts) -> None:
    def ranking(*flags: str) -> list[str]:
        assert scripts.bash("pipeline.sh", "dev", "0", "5", *flags).returncode == 0
        return scripts.calls()[-len(MODULES)]

    assert value_of("--retriever", ranking()) == "hybrid"
    assert not {"--llm", "--hyde", "--encoder"} & set(ranking("--llm", "m"))
    assert value_of("--retriever", ranking("--retriever", "bm25")) == "bm25"
    asked = ranking("--hyde", "--llm", "m", "--dtype", "float32")
    assert "--hyde" in asked
    assert (value_of("--llm", asked), value_of("--dtype", asked)) == ("m", "float32")


def test_indexes_are_kept_where_it_is_told(scripts: Scripts, tmp_path: Path) -> None:
    assert scripts.bash("pipeline.sh", "x", "0", "1", "--index_dir", "my index", cwd=tmp_path).returncode == 0
    assert value_of("--index_dir", scripts.calls()[0]) == f"{tmp_path}/my index"
    assert scripts.bash("pipeline.sh", "x", "0", "1", "--no_index").returncode == 0
    assert "--no_index" in scripts.calls()[-len(MODULES)]


def test_how_to_ask_goes_to_the_questions_alone(scripts: Scripts, tmp_path: Path) -> None:
    how = ["--recipe", "trained", "--adapter", "my adapter", "--samples", "0"]
    assert scripts.bash("pipeline.sh", "x", "0", "1", *how, cwd=tmp_path).returncode == 0
    first, questions, *rest = scripts.calls()
    assert (value_of("--recipe", questions), value_of("--samples", questions)) == ("trained", "0")
    assert value_of("--adapter", questions) == f"{tmp_path}/my adapter"
    assert not {"--recipe", "--adapter", "--samples"} & {flag for call in [first, *rest] for flag in call}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--reranker", "nope"], "nope: no such checkpoint or folder, and none of the names trained published none"),
        (["--reranker", "trained"], "trained: pretrained_models/adapters/reranker is not there"),
        (["--verdict", "nope"], "nope: no such checkpoint or folder, and none of the names stacked"),
        (["--verdict", "none"], "none: no such checkpoint or folder, and none of the names stacked"),
        (["--verdict", "published"], "published: pretrained_models/bert_veracity.ckpt is not there"),
        (["--select", "nope"], "--select nope: not one of stance likeness"),
        (["--select", "stance", "--reranker", "none"], "--reranker changes nothing with --select stance"),
        (["--retriever", "nope"], "--retriever nope: not one of bm25 rank_bm25 hybrid"),
    ],
)
def test_wrong_names_are_one_line_before_any_step(
    scripts: Scripts, tmp_path: Path, flags: list[str], said: str
) -> None:
    done = scripts.bash("pipeline.sh", "dev", "0", "5", *flags, cwd=tmp_path)
    assert (done.returncode, scripts.calls()) == (2, [])
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_language_model_that_judges_in_their_place_is_said(scripts: Scripts) -> None:
    done = scripts.bash("pipeline.sh", "dev", "0", "5")
    assert "so that a language model judges: smollm2" in done.stdout
    place(scripts, "veracity")
    place(scripts, "reader")
    assert "note:" not in scripts.bash("pipeline.sh", "dev", "0", "5").stdout


def test_reasons_are_those_of_the_reader_and_else_of_a_template(scripts: Scripts) -> None:
    place(scripts, "veracity")
    without = scripts.bash("pipeline.sh", "dev", "0", "5")
    assert "note: pretrained_models/adapters/reader is not whole or not there" in without.stdout
    assert "--method" not in scripts.calls()[-1]
    place(scripts, "reader")
    assert "note:" not in scripts.bash("pipeline.sh", "dev", "0", "5").stdout
    assert value_of("--method", scripts.calls()[-1]) == "stance"


def place(scripts: Scripts, adapter: str) -> None:
    """Leave what says that an adapter is there."""
    trained = scripts.root / "pretrained_models" / "adapters" / adapter / "training.json"
    trained.parent.mkdir(parents=True)
    trained.touch()


def test_number_format_and_device_hold_for_all_models(scripts: Scripts, tmp_path: Path) -> None:
    how = ["--dtype", "float32", "--device", "cpu"]

    def reranking(*flags: str) -> list[str]:
        assert scripts.bash("pipeline.sh", "dev", "0", "5", *how, *flags, cwd=tmp_path).returncode == 0
        calls = scripts.calls()[-len(MODULES) :]
        assert all(set(how) <= set(calls[place]) for place in (1, 3))
        return calls[2]

    assert not set(how) & set(reranking())  # no model stands there
    assert not set(how) & set(reranking("--reranker", "none"))
    (tmp_path / "x.ckpt").touch()
    assert set(how) <= set(reranking("--reranker", "x.ckpt"))
    ours = scripts.root / "pretrained_models" / "adapters" / "reranker" / "training.json"
    ours.parent.mkdir(parents=True)
    ours.touch()
    assert set(how) <= set(reranking())


@pytest.mark.parametrize("model", ["bert_veracity.ckpt", "adapters/veracity/training.json"])
def test_a_trained_verdict_model_judges_whatever_asks(scripts: Scripts, model: str) -> None:
    path = scripts.root / "pretrained_models" / model
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")
    assert scripts.bash("pipeline.sh", "dev", "0", "5", "--llm", "a model").returncode == 0
    _, questions, _, verdicts, *_ = scripts.calls()
    assert value_of("--llm", questions) == "a model"
    assert "--llm" not in verdicts


def test_models_that_rank_and_judge_are_named(scripts: Scripts, tmp_path: Path) -> None:
    def ranks_and_judges(*flags: str) -> list[list[str]]:
        assert scripts.bash("pipeline.sh", "x", "0", "1", *flags, cwd=tmp_path).returncode == 0
        return scripts.calls()[-len(MODULES) :][2:4]

    (scripts.root / "pretrained_models").mkdir(exist_ok=True)
    (scripts.root / "pretrained_models" / "bert_veracity.ckpt").write_bytes(b"")
    for name in ("r.ckpt", "v"):
        (tmp_path / name).touch()
    ranking, judging = ranks_and_judges("--reranker", "r.ckpt", "--verdict", "v")
    assert value_of("--reranker", ranking) == f"{tmp_path}/r.ckpt"
    assert value_of("--verdict", judging) == f"{tmp_path}/v"
    ranking, judging = ranks_and_judges("--reranker", "none", "--verdict", "llm", "--llm", "m")
    assert value_of("--reranker", ranking) == "none"
    assert value_of("--llm", judging) == "m"
    assert "--verdict" not in judging


def test_models_may_be_named_as_in_their_tables(scripts: Scripts) -> None:
    for path in ("adapters/reranker", "adapters/stacked"):
        (scripts.root / "pretrained_models" / path).mkdir(parents=True)
    (scripts.root / "pretrained_models/adapters/stacked/stacker.json").touch()
    names = ["--reranker", "trained", "--verdict", "stacked", "--retriever", "rank_bm25"]
    assert scripts.bash("pipeline.sh", "x", "0", "1", *names).returncode == 0
    sentences, _, ranking, judging, *_, explanations = scripts.calls()
    assert value_of("--retriever", sentences) == "rank_bm25"
    assert value_of("--reranker", ranking) == "trained"
    assert value_of("--verdict", judging) == "stacked"
    assert value_of("--method", explanations) == "stance"
    (scripts.root / "mine").mkdir()
    (scripts.root / "mine" / "stacker.json").touch()
    for verdict, method in (("mine", "stance"), ("llm", "reasoning")):
        asked = scripts.bash("pipeline.sh", "x", "0", "1", "--verdict", verdict, cwd=scripts.root)
        assert asked.returncode == 0
        assert value_of("--method", scripts.calls()[-1]) == method
        assert "--entailment" not in scripts.calls()[-1]


def test_a_stacker_s_own_reader_reads_in_every_step(scripts: Scripts) -> None:
    own = scripts.root / "mine" / "reader"
    own.mkdir(parents=True)
    for path in (own / "training.json", own.parent / "stacker.json"):
        path.touch()
    flags = ["--verdict", "mine", "--select", "stance"]
    assert scripts.bash("pipeline.sh", "x", "0", "1", *flags, cwd=scripts.root).returncode == 0
    _, _, ranking, _, *_, explanations = scripts.calls()
    assert value_of("--entailment", ranking) == value_of("--entailment", explanations) == str(own)


def test_an_encoder_is_a_folder_where_it_is_called_or_a_name(scripts: Scripts, tmp_path: Path) -> None:
    (tmp_path / "my encoder").mkdir()
    for encoder, passed in (("my encoder", f"{tmp_path}/my encoder"), ("owner/name", "owner/name")):
        assert scripts.bash("pipeline.sh", "x", "0", "1", "--encoder", encoder, cwd=tmp_path).returncode == 0
        assert value_of("--encoder", scripts.calls()[-len(MODULES)]) == passed


@pytest.mark.parametrize("place", range(len(MODULES)))
@pytest.mark.parametrize(("code", "ends"), [(1, False), (2, True), (3, True), (130, True)])
def test_failed_claims_let_it_go_on_and_bad_input_ends_it(scripts: Scripts, place: int, code: int, ends: bool) -> None:
    scripts.fail(MODULES[place], code)
    assert scripts.bash("pipeline.sh", "dev", "0", "5").returncode == code
    assert modules(scripts) == (MODULES[: place + 1] if ends else MODULES)


@pytest.mark.parametrize(
    "arguments",
    [(), ("dev",), ("dev", "0"), ("dev", "zero", "5"), ("dev", "0", "-1"), ("dev", "0", "5", "--unknown"),
     ("dev", "0", "5", "extra"), ("dev", "0", "5", "--llm"), ("dev", "0", "5", "--encoder"),
     ("dev", "0", "5", "--overwrite", "--top_k")],
)  # fmt: skip
def test_usage(scripts: Scripts, arguments: tuple[str, ...]) -> None:
    done = scripts.bash("pipeline.sh", *arguments)
    assert done.returncode == 2
    assert "bash script/pipeline.sh SPLIT START END" in done.stderr
    assert scripts.calls() == []


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
    told = f"2 claims: {out / 'dev_veracity_prediction.json'} against {sample / 'claims.json'}\n"
    assert (done.returncode, done.stderr) == (0, told)
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
    assert bad.stderr.startswith("error: --start 0 --end 99: the claims are 0 to 11")
