"""The plan of a run: files that fit together, choices of models, and settings that are refused."""

import json
from pathlib import Path

import pytest

from src.errors import InputError
from src.pipeline.__main__ import main
from src.pipeline.explain import ExplainSettings
from src.pipeline.plan import Plan, plan_of
from src.reranking.select import Select
from src.settings import values_of
from tests.pipeline.plans import questions


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty project, and work in it; it has a folder from which the pipeline is called."""
    called = tmp_path / "root" / "here"
    called.mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "root")
    return tmp_path / "root"


def plan(*flags: str, split: str = "dev") -> Plan:
    return plan_of(main.parse(["--called_from", str(Path("here").absolute()), split, "3", "9", *flags]))


def place(adapter: str, file: str = "training.json") -> Path:
    """Create the file by which an adapter is found, and return the adapter's folder."""
    trained = Path("pretrained_models/adapters") / adapter / file
    trained.parent.mkdir(parents=True, exist_ok=True)
    trained.touch()
    return trained.parent


def explanations(made: Plan) -> ExplainSettings:
    assert made.explain is not None
    return made.explain


def test_every_stage_reads_what_the_one_before_writes() -> None:
    made = plan("--top_k", "7", "--top_n", "2", "--llm", "a model", "--overwrite", "--quiet")
    store = Path("data_store")
    assert (made.rank.knowledge_store_dir, made.rank.claim_file) == (
        store / "knowledge_store/dev",
        Path("data/dev.json"),
    )
    assert questions(made).ask.top_k_target_knowledge == made.rank.output == store / "dev_top_k_sentences.json"
    assert questions(made).select.top_k_qa_file == questions(made).ask.output
    assert questions(made).judge.claim_with_evidence_file == questions(made).select.output
    assert made.score is not None
    assert made.validate is not None
    explained = explanations(made)
    predicted = questions(made).judge.output
    assert made.submit.veracity_prediction_file == made.score.prediction_file == explained.claims_file == predicted
    assert (explained.output, made.justified.predictions) == (
        store / "dev_explanations.json",
        store / "dev_justified_prediction.json",
    )
    assert made.validate.file == made.submit.output
    assert (made.rank.top_k, questions(made).ask.top_k, questions(made).select.top_n) == (7, 7, 2)
    assert (questions(made).ask.writer.llm, questions(made).judge.llm) == ("a model", "a model")
    stages = [made.rank, questions(made).ask, questions(made).select, questions(made).judge, made.submit, explained]
    assert all((one.overwrite, one.quiet) == (True, True) for one in stages)
    ranges = [
        made.rank,
        questions(made).ask,
        questions(made).select,
        questions(made).judge,
        made.submit,
        explained,
        made.validate,
        made.score,
    ]
    assert all(values_of(one)["start"] == 3 and values_of(one)["end"] == 9 for one in ranges)


def test_other_places_are_seen_from_where_it_is_called(root: Path) -> None:
    (root / "here" / "m.gguf").touch()
    (root / "here" / "my encoder").mkdir()
    made = plan("--claim_file", "my claims.json", "--knowledge_store_dir", "kb", "--reference_corpus", "r.json",
                "--output_dir", "o p", "--llm", "gguf:m.gguf", "--encoder", "my encoder", "--index_dir", "index",
                split="x")  # fmt: skip
    here = root / "here"
    assert (made.rank.claim_file, made.rank.knowledge_store_dir) == (here / "my claims.json", here / "kb")
    assert questions(made).ask.reference_corpus == here / "r.json"
    assert questions(made).ask.output == here / "o p" / "x_top_k_qa.json"
    assert questions(made).ask.writer.llm == f"gguf:{here}/m.gguf"
    assert (made.rank.hybrid.encoder, made.rank.index_dir) == (str(here / "my encoder"), here / "index")
    assert plan("--encoder", "owner/name").rank.hybrid.encoder == "owner/name"


def test_the_test_split_has_no_scores() -> None:
    assert plan(split="test").score is None
    assert plan("--no_scores").score is None


def test_hybrid_retrieval_by_default() -> None:
    usual = plan("--llm", "m").rank
    assert (usual.retriever, usual.llm, usual.hybrid.hyde) == ("hybrid", None, False)
    assert plan("--retriever", "bm25").rank.retriever == "bm25"
    helped = plan("--hyde", "--llm", "m", "--dtype", "float32").rank
    assert (helped.hybrid.hyde, helped.llm, helped.engine.dtype) == (True, "m", "float32")


def test_how_to_ask_goes_to_the_questions_alone(root: Path) -> None:
    made = plan("--recipe", "trained", "--adapter", "my adapter", "--samples", "0")
    writer = questions(made).ask.writer
    assert (writer.recipe, writer.samples, writer.adapter) == ("trained", 0, root / "here" / "my adapter")
    assert questions(made).judge.engine.adapter is None


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--reranker", "nope"], "nope: no such checkpoint or folder, and none of the names trained, published, none"),
        (["--reranker", "trained"], "trained: pretrained_models/adapters/reranker is not there"),
        (["--verdict", "nope"], "nope: no such checkpoint or folder, and none of the names stacked, "),
        (["--verdict", "none"], "none: no such checkpoint or folder, and none of the names stacked, "),
        (["--verdict", "published"], "published: pretrained_models/bert_veracity.ckpt is not there"),
        (["--select", "stance", "--reranker", "none"], "--reranker changes nothing with --select stance"),
    ],
)
def test_wrong_names_are_refused_before_any_work(flags: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(*flags)


def test_a_language_model_judges_where_no_verdict_model_is(root: Path) -> None:
    alone = plan("--llm", "m")
    assert (questions(alone).judge.llm, questions(alone).judge.verdict) == ("m", None)
    assert "so that a language model judges, near chance: m" in alone.notes[0]
    place("veracity")
    place("reader")
    ours = plan("--llm", "m")
    assert (questions(ours).judge.llm, ours.notes, questions(ours).ask.writer.llm) == (None, [], "m")
    by_name = plan("--llm", "m", "--verdict", "llm")
    assert (questions(by_name).judge.llm, explanations(by_name).method) == ("m", "reasoning")


def test_a_published_verdict_model_judges_whatever_asks() -> None:
    Path("pretrained_models").mkdir()
    Path("pretrained_models/bert_veracity.ckpt").touch()
    assert questions(plan("--llm", "m")).judge.llm is None


def test_reasons_are_those_of_the_reader_and_else_of_a_template() -> None:
    place("veracity")
    without = plan()
    assert "pretrained_models/adapters/reader is not there" in without.notes[0]
    assert explanations(without).method == "template"
    place("reader")
    assert (plan().notes, explanations(plan()).method) == ([], "stance")


def test_number_format_and_device_hold_for_all_models(root: Path) -> None:
    def formats(*flags: str) -> list[tuple[str | None, str | None]]:
        made = plan("--dtype", "float32", "--device", "cpu", *flags)
        engines = (questions(made).ask.writer.engine, questions(made).select, questions(made).judge.engine)
        return [(one.dtype, one.device) for one in engines]

    how = ("float32", "cpu")
    assert formats() == formats("--reranker", "none") == [how, (None, None), how]  # the cosine ranks
    (root / "here" / "x.ckpt").touch()
    assert formats("--reranker", "x.ckpt") == [how, how, how]
    place("reranker")
    assert formats() == [how, how, how]


def test_models_that_rank_and_judge_are_named(root: Path) -> None:
    for name in ("r.ckpt", "v"):
        (root / "here" / name).touch()
    made = plan("--reranker", "r.ckpt", "--verdict", "v")
    assert (questions(made).select.best_checkpoint, questions(made).judge.verdict) == (
        root / "here/r.ckpt",
        str(root / "here/v"),
    )
    place("reranker")
    place("stacked", "stacker.json")
    (root / "here" / "stacked").mkdir()  # a name is a name first
    named = plan("--reranker", "trained", "--verdict", "stacked", "--retriever", "rank_bm25")
    assert (questions(named).select.best_checkpoint, questions(named).judge.verdict) == (Path("trained"), "stacked")
    assert (named.rank.retriever, explanations(named).method) == ("rank_bm25", "stance")


def test_a_stacker_s_own_reader_reads_in_every_stage(root: Path) -> None:
    own = root / "here" / "mine" / "reader"
    own.mkdir(parents=True)
    for path in (own / "training.json", own.parent / "stacker.json"):
        path.touch()
    made = plan("--verdict", "mine", "--select", "stance")
    assert (questions(made).select.select, questions(made).select.entailment) == (Select.STANCE, own)
    assert explanations(made).entailment == own


def test_search_and_scraping_come_first_where_a_provider_is_named(root: Path) -> None:
    made = plan("--search", "serper", "--exclude_urls", "bad.txt", "--timeout", "7", "--output_dir", "out")
    here = root / "here"
    assert made.search is not None
    assert made.collect is not None
    assert (made.search.provider, made.search.output) == ("serper", here / "out/dev_store")
    assert (made.collect.tsv_input_file, made.collect.json_output_dir) == (
        made.search.output,
        made.rank.knowledge_store_dir,
    )
    assert made.rank.knowledge_store_dir == here / "out/knowledge_store/dev"
    assert made.search.leakage.exclude_urls == made.collect.leakage.exclude_urls == here / "bad.txt"
    assert made.search.engine.timeout == 7
    assert (plan().search, plan().collect) == (None, None)


def test_search_with_bm25_refuses_urls_before_ranking() -> None:
    made = plan("--search", "serper", "--retriever", "bm25", "--exclude_urls", "bad.txt")
    assert made.rank.hybrid.exclude_urls is None
    assert made.collect is not None
    assert made.collect.leakage.exclude_urls is not None
    with pytest.raises(InputError, match="--exclude_urls works with --retriever hybrid only"):
        plan("--retriever", "bm25", "--exclude_urls", "bad.txt")


def test_an_empty_name_is_no_name() -> None:
    place("veracity")
    assert questions(plan("--verdict", "")).judge.verdict is None
    assert plan("--reranker", "").notes == plan().notes


def test_float16_is_refused_where_a_model_reranks() -> None:
    assert questions(plan("--dtype", "float16")).select.dtype is None  # the cosine ranks
    place("reranker")
    with pytest.raises(InputError, match="--dtype float16: evidence is selected in float32 or bfloat16"):
        plan("--dtype", "float16")


def test_one_call_takes_the_place_of_three_stages() -> None:
    made = plan("--strategy", "one_call", "--llm", "openai:m", "--samples", "3", "--top_n", "4")
    assert made.questions is None
    assert made.one_call is not None
    assert (made.rank.hybrid.passages, made.rank.top_k) == (True, made.one_call.sources) == (True, 10)
    assert made.one_call.top_k_sentences == made.rank.output
    assert made.submit.veracity_prediction_file == explanations(made).claims_file == made.one_call.output
    assert (made.one_call.llm, made.one_call.samples, made.one_call.top_n) == ("openai:m", 3, 4)
    assert (made.one_call.num_examples, made.one_call.max_new_tokens) == (10, 2_000)
    assert explanations(made).method == "reasoning"
    assert made.one_call.output in made.outputs()
    assert len(made.outputs()) == 4
    plain = plan("--strategy", "one_call", "--retriever", "bm25", "--top_k", "5")
    assert (plain.rank.hybrid.passages, plain.rank.top_k) == (False, 5)


@pytest.mark.parametrize(
    "flags", [["--published"], ["--verdict", "stacked"], ["--select", "stance"], ["--recipe", "greedy"], ["--chat"]]
)
def test_what_one_call_does_not_read_is_refused(flags: list[str]) -> None:
    with pytest.raises(InputError, match=f"{flags[0]} changes nothing with --strategy one_call"):
        plan("--strategy", "one_call", *flags)


def test_no_reply_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="at least 1"):
        plan("--strategy", "one_call", "--samples", "0")


def test_settings_of_one_call_go_to_its_stage(root: Path) -> None:
    levels = {"limits": {}, "least": 0.1, "alpha": 0.1, "claims": 10}
    numbers = {"sources": 10, "num_examples": 10, "samples": 1, "top_n": 10}
    fitted = {"model": "m", "sha256": None, "prompt": "x", "settings": numbers, "temperature": 1.0,
              "biases": [0, 0, 0, 0], "levels": levels}  # fmt: skip
    (root / "here" / "c.json").write_text(json.dumps(fitted))
    made = plan("--strategy", "one_call", "--evidence", "statements", "--calibration", "c.json")
    assert made.one_call is not None
    assert (made.one_call.evidence, made.one_call.calibration) == ("statements", root / "here" / "c.json")
    with pytest.raises(InputError, match="was fitted for --top_n 10, not for 3"):
        plan("--strategy", "one_call", "--calibration", "c.json", "--top_n", "3")
    with pytest.raises(InputError, match="--evidence goes with --strategy one_call"):
        plan("--evidence", "statements")


def test_an_adapter_for_other_numbers_of_sources_is_refused_before_the_first_stage(tmp_path: Path) -> None:
    options = {"sources": 5, "top_n": 4}
    trained = {
        "task": "one_call", "base": "b", "base_sha256": None, "layout": "", "max_length": 9, "seed": 0,
        "recipe": {"options": options}, "data": {}, "scores": {},
    }  # fmt: skip
    (tmp_path / "training.json").write_text(json.dumps(trained))
    flags = ["--strategy", "one_call", "--llm", "gguf:m.gguf", "--adapter", str(tmp_path)]
    with pytest.raises(InputError, match="was trained with --sources 5 --top_n 4 --num_examples 0"):
        plan(*flags)
    made = plan(*flags, "--top_k", "5", "--top_n", "4", "--num_examples", "0")
    assert made.one_call is not None
    assert made.one_call.adapter == tmp_path
    with pytest.raises(InputError, match="was trained to write pairs, not statements"):
        plan(*flags, "--top_k", "5", "--top_n", "4", "--num_examples", "0", "--evidence", "statements")
    with pytest.raises(InputError, match="the model openai:m takes no adapter"):
        plan("--strategy", "one_call", "--llm", "openai:m", "--adapter", str(tmp_path))
