"""Models load in a background thread, part by part; a check imports and loads only what it needs."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from src.check.loading import Loading
from src.check.records import ProgressEvent, Stage
from src.check.run_context import RunContext
from src.errors import Cancelled, ModelError


class Parts:
    """Models whose part `second` is loaded when `allowed` is set; `broken` is a part that cannot be loaded."""

    def __init__(self, broken: str = "") -> None:
        self.allowed, self.broken, self.loaded = Event(), broken, list[str]()

    def load_part(self, name: str) -> None:
        if name == self.broken:
            raise ModelError(f"{name} is broken")
        if name == "second":
            assert self.allowed.wait(10)
        self.loaded.append(name)


def context_of(parts: Parts, events: list[ProgressEvent], cancelled: Event | None = None) -> RunContext:
    context = RunContext(events.append, cancelled.is_set if cancelled else lambda: False)
    context.loading = Loading(parts, ["first", "second", "third"])
    return context


def test_a_part_is_there_before_the_next_one_is_loaded() -> None:
    parts, events = Parts(), list[ProgressEvent]()
    context = context_of(parts, events)
    context.wait_for("first", "of another strategy")
    assert parts.loaded == ["first"]
    parts.allowed.set()
    context.wait_for("third")
    assert parts.loaded == ["first", "second", "third"]
    before = len(events)
    context.wait_for("second", "third")
    assert len(events) == before
    assert {one.stage for one in events} <= {Stage.MODELS}


def test_waiting_can_be_cancelled() -> None:
    parts, cancelled = Parts(), Event()
    context = context_of(parts, [], cancelled)
    context.wait_for("first")
    cancelled.set()
    with pytest.raises(Cancelled):
        context.wait_for("second")
    parts.allowed.set()


def test_an_error_is_raised_where_the_model_or_a_later_one_is_needed() -> None:
    loading = Loading(Parts(broken="second"), ["first", "second", "third"])
    loading.wait("first", lambda: None)
    for part in ("second", "third"):
        with pytest.raises(ModelError, match="second is broken"):
            loading.wait(part, lambda: None)


def test_an_error_ends_work_that_needs_no_model() -> None:
    parts, events = Parts(broken="second"), list[ProgressEvent]()
    context = context_of(parts, events)
    assert context.loading is not None
    with suppress(ModelError):
        context.loading.wait("second", lambda: None)
    with pytest.raises(ModelError, match="second is broken"), context.stage(Stage.PAGES):
        pass
    with pytest.raises(ModelError, match="second is broken"):
        context.counting(Stage.PAGES, 2)(1)
    assert events == []


CHECK = """
import sys
from pathlib import Path
from src.check import CheckRequest, Models, ModelSettings, Sources, check_claim
from src.reranking.questions.flags import WriterSettings
models = Models(ModelSettings(writer=WriterSettings(llm="smollm2:torch", samples=1)), are_kept=False)
store = Path("data_store/sample/knowledge_store/9.json")
claim = "The water of Hexley Bay turned red because of a leak at the Varn copper works."
checked = check_claim(CheckRequest(claim, Sources(knowledge_store=store)), models=models)
assert len(checked.prediction.evidence) == 5
assert all(pair.question.endswith("?") for pair in checked.prediction.evidence)
assert "writer" not in vars(models) and "writer" in checked.models
print(*sorted({"transformers", "huggingface_hub", "scipy", "sklearn", "peft"} & set(sys.modules)))
"""


@pytest.mark.long
def test_a_check_imports_no_library_that_it_does_without(project_root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CHECK], cwd=project_root, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("\n", 0), done.stderr


def test_who_waits_hears_how_many_models_are_loaded() -> None:
    parts, events = Parts(), list[ProgressEvent]()
    context = context_of(parts, events)

    def allow(event: ProgressEvent) -> None:
        events.append(event)
        if event.done:
            parts.allowed.set()

    context.tell = allow
    context.wait_for("second")
    assert (1, 3, "second") in [(one.done, one.total, one.text) for one in events]
    assert {one.stage for one in events} == {Stage.MODELS}
