"""A whole check ends at a signal, on each engine that writes questions."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.check.needed import need_models

pytestmark = pytest.mark.long

CLAIM, PAGES = "The old bridge has been closed to lorries.", "data_store/everyday/knowledge_store/0.json"


@pytest.mark.parametrize(
    ("llm", "number"), [("smollm2:transformers", signal.SIGINT), ("smollm2:llamacpp", signal.SIGTERM)]
)
def test_a_signal_ends_a_check_while_the_engine_is_at_work(
    llm: str, number: signal.Signals, project_root: Path
) -> None:
    need_models(project_root)
    command = [sys.executable, "-m", "src.check", CLAIM, "--knowledge_store", PAGES, "--llm", llm, "--samples", "40"]
    with subprocess.Popen(
        command, cwd=project_root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as check:
        assert check.stderr is not None
        seen = next((line for line in check.stderr if line == "check: questions\n"), "")
        check.send_signal(number)
        out, err = check.communicate(timeout=60)
    assert seen, "the check ended before it wrote questions"
    assert (check.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "stopped; the answer is not complete"
