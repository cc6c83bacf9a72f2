"""One table of names for each flag: every name is offered wherever the flag is, and no other name is taken."""

import argparse
import re
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from src.check import Models, ModelSettings, __main__
from src.check.models import DRAWN
from src.check.records import Strategy
from src.errors import InputError
from src.models.reranker import RERANKERS
from src.pipeline import __main__ as pipeline
from src.prediction import veracity_prediction
from src.prediction.verdicts import LLM, VERDICT_MODELS
from src.report import serve
from src.reranking import bm25_sentences, rerank_questions
from src.reranking.questions.flags import WriterSettings, resolved
from src.reranking.retrievers import RETRIEVERS
from src.reranking.select import Select

TABLES = {
    "--retriever": [*RETRIEVERS],
    "--select": [*map(str, Select)],
    "--reranker": [*RERANKERS],
    "--verdict": [*VERDICT_MODELS, LLM],
}
STEPS = {
    "--retriever": lambda: bm25_sentences.main.parser,
    "--select": lambda: rerank_questions.main.parser,
    "--reranker": lambda: rerank_questions.main.parser,
    "--verdict": lambda: veracity_prediction.main.parser,
}


def offered(flags: argparse.ArgumentParser, flag: str) -> Collection[str]:
    """Return the names that a parser knows: the choices of the flag, or what its help begins with."""
    (action,) = [one for one in flags._actions if flag in one.option_strings]
    if action.choices is not None:
        return [*map(str, action.choices)]
    return re.findall(r"\w+", str(action.help).partition("(")[0].removeprefix("with --select likeness: "))


@pytest.mark.parametrize("flag", TABLES)
@pytest.mark.parametrize("entry", ["step", "check", "serve", "pipeline"])
def test_every_name_is_offered_by_every_parser(flag: str, entry: str) -> None:
    parsers: dict[str, Callable[[], argparse.ArgumentParser]] = {
        "step": STEPS[flag],
        "check": lambda: __main__.main.parser,
        "serve": lambda: serve.main.parser,
        "pipeline": lambda: pipeline.main.parser,
    }
    assert sorted(offered(parsers[entry](), flag)) == sorted(TABLES[flag])


@pytest.mark.parametrize("flag", ["--retriever", "--select"])
@pytest.mark.parametrize("entry", ["step", "check", "serve"])
def test_a_name_of_no_table_is_one_line(flag: str, entry: str, capsys: pytest.CaptureFixture[str]) -> None:
    parsers = {"step": STEPS[flag], "check": lambda: __main__.main.parser, "serve": lambda: serve.main.parser}
    claim = ["Eels swim."] if entry == "check" else []
    with pytest.raises(SystemExit) as ended:
        parsers[entry]().parse_args([*claim, flag, "nope"])
    printed = capsys.readouterr().err
    assert ended.value.code == 2
    assert printed.startswith(f"error: argument {flag}: invalid choice: 'nope'")
    assert printed.count("\n") == 1


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--reranker", "nope", "--select", "likeness"], "nope: no such checkpoint or folder, and none of the names"),
        (["--reranker", "none"], "--reranker changes nothing with --select stance"),
        (["--verdict", "nope"], "--verdict nope: no such checkpoint or folder, and none of the names stacked, careful"),
        (["--verdict", "a/folder"], "--verdict a/folder: no such checkpoint or folder, and none of the names"),
        (["--verdict", "published"], "--verdict published: pretrained_models/bert_veracity.ckpt is not there"),
    ],
)
def test_a_wrong_reranker_or_verdict_model_is_one_line(
    flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match=message):
        Models(serve.main.parse(flags).models)
    assert serve.main(flags) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_an_unknown_name_of_a_model_is_refused_with_the_known_names() -> None:
    with pytest.raises(InputError, match=r"'nope' is not a retriever; known are: "):
        Models(ModelSettings(retriever="nope"))
    with pytest.raises(InputError, match="none of the names stacked, careful, trained, published, llm"):
        Models(ModelSettings(verdict="nope"))


@pytest.mark.parametrize(
    ("writer", "drawn"),
    [
        (WriterSettings(), DRAWN),
        (WriterSettings(samples=11), 11),
        (WriterSettings(samples=0), 0),
        (WriterSettings(recipe="greedy"), 0),
    ],
)
def test_a_check_draws_fewer_questions_than_the_steps(writer: WriterSettings, drawn: int) -> None:
    chosen = Models(ModelSettings(writer=writer)).chosen
    assert chosen.recipe.samples == chosen.settings.samples == drawn
    assert resolved(WriterSettings()).recipe.samples > DRAWN


@pytest.mark.parametrize(
    "flags",
    [["--verdict", "llm"], ["--retriever", "bm25"], ["--select", "likeness"], ["--top_k", "3"], ["--samples", "0"]],
)
def test_what_programs_do_not_read_is_refused(flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(["Eels swim.", "--knowledge_store", "none.json", "--strategy", "programs", *flags]) == 2
    assert capsys.readouterr().err == f"error: {flags[0]} changes nothing with --strategy programs\n"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            ["--knowledge_store", "a.json", "--deadline", "5"],
            "--deadline changes nothing with --knowledge_store: no page is fetched",
        ),
        (["--urls", "a.txt", "--most_urls", "5"], "--most_urls changes nothing without --search"),
    ],
)
def test_what_no_fetching_reads_is_refused(flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(["Eels swim.", *flags]) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


@pytest.mark.parametrize(("former", "name"), [("Asked", "CheckRequest"), ("Told", "ProgressEvent")])
def test_former_names_of_python_go_on_working_with_a_warning(former: str, name: str) -> None:
    import src.check

    with pytest.warns(DeprecationWarning, match=f"src.check.{former} is called {name} now"):
        renamed = getattr(src.check, former)
    assert renamed is getattr(src.check, name)
    with pytest.raises(AttributeError):
        _ = src.check.Nothing


def test_the_former_flag_of_the_strategy_goes_on_working() -> None:
    assert __main__.main.parse(["Eels swim.", "--road", "programs"]).strategy == "programs"


def test_the_language_model_that_a_strategy_lacks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = Models(ModelSettings(writer=WriterSettings(llm=""))).lacking
    of_hub = Models(ModelSettings(writer=WriterSettings(llm="hf:no/such-model"))).lacking
    monkeypatch.chdir(tmp_path)
    assert "qwen2.5-coder-1.5b is not here; run: " in lacking(Strategy.ONE_CALL, Select.STANCE)
    assert "smollm2 is not here; run: " in lacking(Strategy.QUESTIONS, Select.STANCE)
    assert lacking(Strategy.PROGRAMS, Select.STANCE) == ""
    assert of_hub(Strategy.ONE_CALL, Select.STANCE, ask_hub=False) == ""
