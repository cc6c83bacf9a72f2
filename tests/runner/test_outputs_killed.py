"""Steps with several outputs, killed at any of their calls to the disk and started again with the same flags."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from src.explanation import annotate, generate_explanations, plant_errors
from src.prediction import evaluate_veracity
from src.programs import evaluate_programs, execute_programs
from src.programs.records import ClaimPrograms
from src.records import Value
from src.runner import merge
from src.store import encode_lines
from tests.explanation.annotation.explained import explained, written
from tests.programs.scoring.traces import traced
from tests.runner import letters_step
from tests.runner.faults import KILLS, killed_at
from tests.runner.small_world import write_world

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")]

EVIDENCE = [{"question": "Do eels fly?", "answer": "Eels swim.", "url": ""}]
PREDICTIONS = [{"claim_id": n, "claim": "Eels fly.", "pred_label": "Refuted", "evidence": EVIDENCE} for n in range(2)]
GOLD = [{"claim": "Eels fly.", "label": "Refuted", "justification": "The town closed 3 schools.",
         "questions": [{"question": "Do eels fly?", "answers": [{"answer": "Eels swim."}]}]}] * 2  # fmt: skip
HOVER = [{"uid": f"k{n}", "claim": f"Claim {n}.", "label": "SUPPORTED", "num_hops": 2, "supporting_facts": [["A", 0]]}
         for n in range(2)]  # fmt: skip
PROGRAM = 'fact_1 = Verify("A.")\nfact_2 = Verify("B.")\nlabel = Predict(fact_1 and fact_2)'


@dataclass(frozen=True)
class Step:
    """A step to test: `prepare` writes its inputs, `run` runs it and writes `outputs`."""

    run: Callable[[], int]
    outputs: tuple[str, ...]
    prepare: Callable[[], object] = lambda: None
    whens: tuple[str, ...] = KILLS


def prepare_shards() -> None:
    world = write_world(Path())
    for cut in (("0", "2"), ("2", "4")):
        shard = f"result.{'-'.join(cut)}.json"
        assert letters_step.main(["-c", str(world.claims), "-o", shard, "--quiet", "-s", cut[0], "-e", cut[1]]) == 0


def prepare_study() -> None:
    for name in ("a.json", "b.json"):
        written(Path(name), *(explained(n, f"Eels swim {n}. They fly {name}.") for n in range(9)))


STEPS = {
    "generate_explanations": Step(
        lambda: generate_explanations.main(["-i", "p.json", "-o", "e.json", "--predictions", "j.json", "--quiet"]),
        ("e.json", "j.json"),
    ),
    "generate_explanations --overwrite": Step(
        lambda: generate_explanations.main(
            ["-i", "p.json", "-o", "e.json", "--predictions", "j.json", "--quiet", "--overwrite"]
        ),
        ("e.json", "j.json"),
        whens=("after",),
    ),
    "execute_programs": Step(
        lambda: execute_programs.main(
            [
                "-i",
                "programs.json",
                "-o",
                "t.json",
                "--recorded_answers",
                "a.jsonl",
                "--predictions",
                "j.json",
                "--quiet",
            ]
        ),
        ("t.json", "j.json", "t.missing.jsonl"),
    ),
    "merge": Step(lambda: merge.main(["result.json", "-e", "4"]), ("result.json",), prepare_shards),
    "evaluate_veracity": Step(
        lambda: evaluate_veracity.main(["-i", "p.json", "--label_file", "gold.json", "--json", "s.json"]),
        ("s.json",),
        whens=("after",),
    ),
    "evaluate_programs": Step(
        lambda: evaluate_programs.main(
            ["-i", "traces.jsonl", "--gold", "hover.json", "-o", "s.json", "--markdown", "s.md"]
        ),
        ("s.json", "s.md"),
        whens=("after",),
    ),
    "plant_errors": Step(
        lambda: plant_errors.main(
            ["--averitec", "gold.json", "-o", "p.jsonl", "--clean_file", "c.jsonl", "--kinds", "extrinsic_number"]
        ),
        ("p.jsonl", "c.jsonl"),
        whens=("after",),
    ),
}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.json").write_text(json.dumps(PREDICTIONS))
    Path("gold.json").write_text(json.dumps(GOLD))
    Path("hover.json").write_text(json.dumps(HOVER))
    Path("traces.jsonl").write_bytes(encode_lines([traced(n, Value.TRUE) for n in range(2)]))
    Path("programs.json").write_bytes(encode_lines([ClaimPrograms(n, f"Claim {n}.", [PROGRAM]) for n in range(2)]))
    Path("a.jsonl").write_text('{"function": "Verify", "text": "A", "value": true}\n', encoding="utf-8")
    return tmp_path


def contents(known: set[Path]) -> dict[str, object]:
    """Return all files except the inputs, by name; manifests are parsed and their seconds removed."""
    files: dict[str, object] = {}
    for path in set(Path().iterdir()) - known:
        files[path.name] = path.read_bytes()
        if path.name.endswith(".manifest.json"):
            files[path.name] = json.loads(path.read_bytes()) | {"seconds": None}
    return files


@pytest.mark.parametrize(("name", "when"), [(name, when) for name, step in STEPS.items() for when in step.whens])
def test_killed_at_any_call_and_started_again(world: Path, name: str, when: str) -> None:
    step = STEPS[name]
    step.prepare()
    inputs = set(Path().iterdir())
    assert step.run() == 0
    expected = contents(inputs)
    assert expected.keys() >= set(step.outputs)
    for number in count():
        for path in set(Path().iterdir()) - inputs:
            path.unlink()
        killed = killed_at(number, when, step.run)
        assert step.run() == 0, f"killed {when} call {number}"
        assert contents(inputs) == expected, f"killed {when} call {number}"
        if not killed:
            break
    assert number >= 6


@pytest.mark.parametrize("when", KILLS)
def test_a_study_that_was_not_drawn_to_its_end_is_drawn_again(world: Path, when: str) -> None:
    prepare_study()
    flags = ["-i", "a.json", "b.json", "--sample", "4", "--study", "study.json", "--seed", "3"]
    assert annotate.main(flags) == 0
    expected = Path("study.json").read_bytes()
    for number in count():
        Path("study.json").unlink()
        Path("study.manifest.json").unlink()
        killed = killed_at(number, when, lambda: annotate.main(flags))
        is_drawn = Path("study.json").exists()
        assert annotate.main(flags) == (2 if is_drawn else 0)  # one that is there may have been rated
        assert Path("study.json").read_bytes() == expected
        assert Path("study.manifest.json").exists()
        if not killed:
            break
