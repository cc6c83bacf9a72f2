"""Models by name: which engine runs them, what is missing, and the measured choice of an engine."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from src.errors import InputError, MissingExtra
from src.llm import BACKENDS, Options, Request
from src.llm.bundled import ENGINES, MEASURED, choose, fastest, load, remembered, suitable
from src.llm.gguf_files import COPY
from src.llm.measure import AT_ONCE, SHORT_RUN, machine, prompts, short_run
from src.llm.protocol import Reply
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.llm.weights import QWEN, SMOLLM2


def test_the_error_of_an_absent_model_has_the_command(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"run: bash script/setup.sh, or python -m src.llm.fetch smollm2$"):
        load("smollm2", "", Options(), tmp_path)


def test_unknown_engine_lists_the_known_ones(pretrained: Path) -> None:
    with pytest.raises(InputError, match=r"unknown engine 'cuda'; known are: torch, transformers, .*llamacpp"):
        load("smollm2:cuda", "cuda", Options(), pretrained)


def test_the_help_names_the_engines() -> None:
    engines = ("torch", "transformers", "llamacpp")
    assert all(f"smollm2:{name}" in BACKENDS["smollm2"].form and name in ENGINES for name in engines)


@pytest.mark.parametrize("options", [Options(dtype="float16"), Options(device="cuda")])
def test_a_named_engine_that_cannot_run_is_refused(
    options: Options, pretrained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("src.llm.bundled.find_device", lambda wanted=None: wanted or "cpu")
    with pytest.raises(InputError, match="smollm2:torch runs on a CPU, in float32 or bfloat16"):
        load("smollm2:torch", "torch", options, pretrained)


@pytest.mark.parametrize("dtype", [None, "float32"])
def test_the_named_engine_is_the_one_that_runs(
    dtype: str | None, pretrained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("src.llm.bundled.find_device", lambda wanted=None: wanted or "cuda")
    info = load("smollm2:torch", "torch", Options(dtype=dtype), pretrained).info
    assert (info.engine, info.details["device"]) == ("torch", "cpu")
    assert info.details["other_requests"] == "transformers"


TIMED = dict.fromkeys(MEASURED, 2.0)


@pytest.mark.parametrize(
    ("content", "engine"),
    [
        ({"engine": "llamacpp", "machine": machine(), "prompts_per_second": TIMED}, "llamacpp"),
        ({"engine": "llamacpp", "machine": machine(), "prompts_per_second": {"llamacpp": 2.0}}, "torch"),
        ({"engine": "llamacpp", "machine": "another", "prompts_per_second": TIMED}, "torch"),
        ({"engine": "vllm", "machine": machine(), "prompts_per_second": TIMED}, "torch"),
        ({"engine": 3}, "torch"),
        (None, "torch"),
    ],
)
def test_remembered_engine_holds_for_this_machine(tmp_path: Path, content: object, engine: str) -> None:
    if content is not None:
        (tmp_path / "engine.json").write_text(json.dumps(content))
    assert remembered(tmp_path) == engine
    assert engine in ENGINES


@pytest.mark.parametrize(("other", "engine"), [(1.4, "torch"), (1.5, "llamacpp")])
def test_an_engine_must_be_worth_loading(other: float, engine: str) -> None:
    assert suitable(dict.fromkeys(MEASURED, 1.0) | {"llamacpp": other}) == engine


@pytest.mark.parametrize(("again", "engine"), [(1.9, "torch"), (1.2, "llamacpp")])
def test_an_engine_that_wins_is_timed_again(
    again: float, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [dict.fromkeys(MEASURED, 1.0) | {"llamacpp": 2.0}, {"torch": again, "llamacpp": 1.0}]
    timed: list[set[str]] = []

    def run(engines: Mapping[str, object], gain: float) -> dict[str, float]:
        timed.append(set(engines))
        return results[len(timed) - 1]

    monkeypatch.setattr("src.llm.bundled.short_run", run)
    (tmp_path / SMOLLM2.folder).mkdir()
    choice = choose(tmp_path)
    assert timed == [set(MEASURED), {"torch", "llamacpp"}]
    assert (choice.engine, remembered(tmp_path / SMOLLM2.folder)) == (engine, engine)
    assert choice.prompts_per_second == results[0] | {"torch": again}


def test_transformers_answers(pretrained: Path) -> None:
    if not (pretrained / "smollm2" / "transformers").is_dir():
        pytest.skip("the copy for transformers is not there; run: python -m src.llm.fetch smollm2")
    model = load("smollm2:transformers", "transformers", Options(device="cpu"), pretrained)
    capital = Request("The capital of France is", max_new_tokens=4, stop=("\n",))
    chat = Request("Say hello.", chat=True, choices=("Hello", "zebra crossing"))
    named, scored = model.complete([capital, chat])
    assert "Paris" in named.text
    assert scored.text == "Hello"
    assert (model.info.name, model.info.context) == ("SmolLM2-135M-Instruct", 8192)
    assert str(model.info.sha256).startswith("b179c952")


def test_prompts_differ_and_are_the_same_every_time() -> None:
    assert len(set(prompts(96))) == 96
    assert prompts(3) == prompts(5)[:3]


def test_short_run_times_every_engine() -> None:
    script = [ScriptLine("model", "yes")] * (2 * SHORT_RUN)
    speeds = short_run({"one": lambda: ScriptedModel(script), "two": lambda: ScriptedModel(script)}, 1.0)
    assert set(speeds) == {"one", "two"}
    assert min(speeds.values()) > 0


def test_what_an_engine_does_once_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("src.llm.measure.time.perf_counter", lambda: now[0])

    class Slow(ScriptedModel):
        first, later = 0.0, 1.0

        def complete(self, requests: Sequence[Request]) -> list[Reply]:
            now[0] += self.first + self.later
            self.first = 0.0
            return super().complete(requests)

    class Late(Slow):
        first, later = 9.0, 0.5

    script = [ScriptLine("model", "yes")] * (2 * SHORT_RUN)
    speeds = short_run({"slow": lambda: Slow(script), "late": lambda: Late(script)}, 1.5)
    assert speeds == {"slow": AT_ONCE, "late": 2 * AT_ONCE}


@pytest.mark.parametrize(("gain", "timed"), [(1.5, 1), (0.5, 2), (0.1, 3)])
def test_an_engine_is_stopped_when_it_is_surely_too_slow(
    gain: float, timed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, calls = [0.0], []

    class Timed(ScriptedModel):
        def __init__(self, spent: float) -> None:
            super().__init__([ScriptLine("model", "yes")] * (2 * SHORT_RUN))
            self.spent = spent

        def complete(self, requests: Sequence[Request]) -> list[Reply]:
            now[0] += self.spent
            calls.append(self.spent)
            return super().complete(requests)

    monkeypatch.setattr("src.llm.measure.time.perf_counter", lambda: now[0])
    speeds = short_run({"first": lambda: Timed(1.0), "other": lambda: Timed(4.0)}, gain)
    assert calls == [1.0] * 4 + [4.0] * (1 + timed)
    assert speeds == {"first": AT_ONCE, "other": AT_ONCE / 4}


NAME = QWEN.name


@pytest.fixture
def fetched(tmp_path: Path) -> Path:
    """Return a models folder in which the GGUF file has the right name but no content."""
    file = tmp_path / QWEN.folder / QWEN.files[0].path
    file.parent.mkdir()
    file.write_bytes(b"")
    return tmp_path


def test_other_engines_are_refused(fetched: Path) -> None:
    with pytest.raises(InputError, match="unknown engine 'vllm'; known is: transformers"):
        load(f"{NAME}:vllm", "vllm", Options(), fetched)


def test_errors_of_missing_parts_have_the_command(fetched: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=f"src.llm.fetch {NAME} --unpack"):
        load(f"{NAME}:transformers", "transformers", Options(), fetched)
    with pytest.raises(MissingExtra, match=f"is not here; run: python -m src.llm.fetch {NAME} --unpack "):
        load(NAME, "", Options(), tmp_path / "empty")


@pytest.mark.parametrize("computes", [True, False])
def test_transformers_is_faster_where_the_model_is_unpacked_and_the_device_computes_in_bfloat16(
    computes: bool, fetched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("src.llm.bundled.computes_bfloat16", lambda device: computes)
    assert fastest(NAME, fetched) == NAME
    (fetched / QWEN.folder / COPY).mkdir()
    assert fastest(NAME, fetched) == (f"{NAME}:transformers" if computes else NAME)
    assert fastest("hf:somewhere", fetched) == "hf:somewhere"
