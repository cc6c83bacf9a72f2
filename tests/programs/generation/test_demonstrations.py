"""What is shipped needs no repair, and no demonstration is a claim that is to be checked."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.programs.generation import SHIPPED, left_out, read_demonstrations, refuse_overlap
from src.programs.records import ClaimPrograms, Function
from src.records import Value
from tests.programs.answers import T, Tables, traced


@pytest.mark.parametrize("name", list(SHIPPED))
def test_twenty_are_shipped(name: str) -> None:
    found = read_demonstrations(SHIPPED[name])
    assert len({one.claim for one in found}) == 20
    asks = [any(step.function is Function.QUESTION for step in one.program.steps) for one in found]
    assert 12 <= sum(asks) < 20 if name == "multi_hop" else not any(asks)


@pytest.mark.parametrize("name", list(SHIPPED))
def test_none_drops_a_name_of_its_claim(name: str) -> None:
    for one in read_demonstrations(SHIPPED[name]):
        assert left_out(one.claim, [step.text for step in one.program.steps]) == []


@pytest.mark.parametrize("name", list(SHIPPED))
def test_as_written_they_run(name: str) -> None:
    """With every fact as its claim needs it, the claim is true."""

    class Needed(Tables):
        def answer(self, calls):  # type: ignore[no-untyped-def]
            for call in calls:
                self.answers = {**self.answers, call.text: "it"}
                self.facts = {**self.facts, call.text.removesuffix("."): T}
            return super().answer(calls)

    for number, one in enumerate(read_demonstrations(SHIPPED[name])):
        (trace,) = traced([ClaimPrograms(number, one.claim, [one.written().partition("\n")[2]])], Needed({}, {}))
        (program,) = trace.programs
        assert program.diagnostics == []
        assert program.label is not None
        assert trace.value is (Value.FALSE if "not " in program.label else T)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def program():\n", "no line begins with '# The claim is that'"),
        ("\n# The claim is that A.\ndef program():\n    fact_1 = Verify('A.')\n", "line 4, missing-predict: "),
        ("# The claim is that A.\n    fact_1 = Verify('A\0.')\n    label = Predict(fact_1)", "line 2: holds a NUL"),
        ("# The claim is that A.\n    fact_1 = Verify('A.')\n    label = predict(fact_1)", "line 3, function-case: "),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "d.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message.replace(", missing", ": missing").replace(", function", ": function")):
        read_demonstrations(tmp_path / "d.txt")


def test_a_claim_that_is_shown_is_refused() -> None:
    found = read_demonstrations(SHIPPED["clauses"])
    refuse_overlap(found, [(0, "Another claim.")], "clauses")
    with pytest.raises(InputError, match="clauses: demonstration 2 is claim 7, which is to be checked"):
        refuse_overlap(found, [(7, "MARIA Sibylla Merian travelled to suriname")], "clauses")
