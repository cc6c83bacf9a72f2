"""`bench.program_speed`: what is timed does the same work as a user's run, and lands in the file."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import program_speed
from bench.program_speed import OneByOne, answers, in_batches, in_order, main, program, recorded
from bench.turns import read_rows
from src.llm.protocol import Reply, Request
from src.programs.answerers.recorded_answers import KnownFirst, RecordedAnswers
from src.programs.execute_programs import MODEL_BATCH
from src.programs.functions import Answered, Call
from src.programs.interpreter import execute
from src.programs.records import ClaimPrograms
from src.records import Value

CLAIMS = [ClaimPrograms(number, "A claim.", [program(2 * number), program(2 * number + 1)]) for number in range(4)]


def test_the_reference_order_comes_to_the_same_values(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(answers(8), "utf-8")
    known = KnownFirst([RecordedAnswers(tmp_path / "a.jsonl")])
    values = [one.value.value for done in execute(CLAIMS, known) for one in done.trace.programs]
    assert values == in_order(CLAIMS, known) == ["true", "true", "false", "false"] * 2
    assert not known.missing


def test_recorded_answers_are_timed_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_speed, "RESULTS", tmp_path / "speed.json")
    recorded(2, 3)
    (row,) = read_rows(tmp_path / "speed.json").values()
    assert (row.unit, len(row.ours), row.reference) == ("programs/s", 2, [2000.0, 2000.0])
    assert min(row.ours) > 0


class Noting:
    """Answers every step, and notes which claims are asked together."""

    def __init__(self) -> None:
        self.together: list[set[int]] = []

    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        self.together.append({call.claim_id for call in calls})
        return [Answered(Value.TRUE) for _ in calls]


def test_claims_are_executed_in_the_batches_of_a_users_run() -> None:
    noting = Noting()
    claims = [ClaimPrograms(number, "A claim.", ['fact_1 = Verify("A claim.")']) for number in range(MODEL_BATCH + 3)]
    assert [done.trace.claim_id for done in in_batches(claims, noting)] == list(range(MODEL_BATCH + 3))
    assert noting.together == [set(range(MODEL_BATCH)), set(range(MODEL_BATCH, MODEL_BATCH + 3))]


class Forgetful:
    """Replies with what it was asked, and notes when it forgets."""

    def __init__(self) -> None:
        self.did: list[str] = []

    def forget(self) -> None:
        self.did.append("forget")

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.did += [one.prompt for one in requests]
        return [Reply(one.prompt.upper(), 1, 1, "stop") for one in requests]


def test_one_by_one_each_prompt_is_read_from_its_beginning() -> None:
    model = Forgetful()
    alone = OneByOne(model)  # type: ignore[arg-type]
    assert [reply.text for reply in alone.complete([Request("a"), Request("b")])] == ["A", "B"]
    assert model.did == ["forget", "a", "forget", "b"]
    assert alone.calls == 2


@pytest.mark.parametrize("flags", [[], ["-i", "p.json"], ["--gold", "g.json"]])
def test_a_model_takes_programs_and_gold(flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", *flags]) == 2
    assert capsys.readouterr().err == "error: model: takes programs and gold evidence: -i PROGRAMS --gold FILE\n"
