"""Demonstrations, names that a program may not drop, the grammar, and programs in the forms of the paper's 32 listings.

The claims in `published_forms.txt` are of our own making. As in the listings, 20 programs have questions, one of 20
labels is `predict`, one text lacks its closing quote, one has two single quotes before it, and three drop a name or a
date of their claim.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import characters, integers, lists, sampled_from, text, tuples

from src.claims import ClaimText
from src.errors import InputError
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.programs.functions import Answered, Call
from src.programs.generation import (
    GRAMMAR,
    HEAD,
    SHIPPED,
    Accept,
    Generator,
    as_code,
    left_out,
    notes_on,
    read_demonstrations,
    refuse_overlap,
)
from src.programs.interpreter import execute
from src.programs.parsing.expression import canonical
from src.programs.parsing.reader import read_program
from src.programs.records import ClaimPrograms, DiagnosticKind, Function
from src.records import Value
from src.runner.outcome import Outcome
from tests.programs.answers import T, Tables, traced
from tests.programs.gbnf import as_regex


@pytest.mark.parametrize("name", list(SHIPPED))
def test_twenty_are_shipped(name: str) -> None:
    demonstrations = read_demonstrations(SHIPPED[name])
    assert len({one.claim for one in demonstrations}) == 20
    asks = [any(step.function is Function.QUESTION for step in one.program.steps) for one in demonstrations]
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
        ("# The claim is that A.\n    fact_1 = Verify('A\0.')\n    label = Predict(fact_1)", "line 2: contains a NUL"),
        ("# The claim is that A.\n    fact_1 = Verify('A.')\n    label = predict(fact_1)", "line 3, function-case: "),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "d.txt").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message.replace(", missing", ": missing").replace(", function", ": function")):
        read_demonstrations(tmp_path / "d.txt")


def test_a_claim_that_is_shown_is_refused() -> None:
    demonstrations = read_demonstrations(SHIPPED["clauses"])
    refuse_overlap(demonstrations, [(0, "Another claim.")], "clauses")
    with pytest.raises(InputError, match="clauses: demonstration 2 is claim 7, which is to be checked"):
        refuse_overlap(demonstrations, [(7, "MARIA Sibylla Merian travelled to suriname")], "clauses")


@pytest.mark.parametrize(
    ("claim", "texts", "lost"),
    [
        ("Ada Moor sang in Lund in 1990.", ["Ada Moor sang.", "She sang in Lund in 1990."], []),
        ("Ada Moor sang in Lund in 1990.", ["Who sang in 1990?", "{answer_1} is Moor."], ["Ada", "Lund"]),
        ("The singer of X-1 lives. It is Ben O'Hara.", ["x 1", "ben", "O'Hara"], []),
        ("The singer and The Band met.", ["the singer met"], ["Band"]),
        ("Neither ANNA nor anna-b sang.", ["anna sang"], []),
        ("Ada Moor sang. Ben too. 1990 was dry! BBC said so.", ["x"], ["Ada", "Moor", "1990", "BBC"]),
        ("It cost 1,000,000 in the 3rd year.", ["It cost 1000000 in the 3rd year."], []),
        ("The Swedish singer of the U.S. tour", ["a singer from Sweden"], []),
        ("ADA MOOR SANG.", ["x"], []),
        ("it rained", [], []),
        ("", [], []),
    ],
)
def test_names_and_numbers_that_no_step_has(claim: str, texts: list[str], lost: list[str]) -> None:
    assert left_out(claim, texts) == lost


PATTERN = re.compile(as_regex(GRAMMAR, depth=2))
GOOD = '    answer_1 = Question("Who built it?")\n    fact_1 = Verify("{answer_1} was Danish.")\n'
OF_VARIABLES = {DiagnosticKind(kind) for kind in (
    "undefined-variable", "unresolved-variable", "fact-in-text", "forward-reference", "answer-used-as-fact",
    "duplicate-variable", "renamed-duplicate",
)}  # fmt: skip


@pytest.mark.parametrize("name", SHIPPED)
def test_a_model_may_write_what_it_is_shown(name: str) -> None:
    for shown in read_demonstrations(SHIPPED[name]):
        code = as_code(canonical(shown.program))
        for written in (code, f"```python\n{code}\n```", code.removeprefix("def program():"), canonical(shown.program)):
            assert PATTERN.fullmatch(written), written


@pytest.mark.parametrize(
    "label",
    ["fact_1", "not fact_1", "fact_1 and not (fact_2 or answer_1) and fact_12", "(fact_1 or (fact_2 and fact_3))"],
)
def test_labels(label: str) -> None:
    assert PATTERN.fullmatch(f"{GOOD}    label = Predict({label})")


@pytest.mark.parametrize(
    "written",
    [
        "Here is the program:\n    label = Predict(fact_1)",
        "    label = Predict(fact_1)",
        f"{GOOD}    label = Predict(fact_1)\n    return label",
        f"{GOOD}    label = Predict(fact_1 == answer_1)",
        f"{GOOD}    label = Predict((fact_1)",
        f"{GOOD}    label = Predict(True)",
        GOOD,
        f"{GOOD * 7}    label = Predict(fact_1)",
        '    fact_1 = Verify("a {b}")\n    label = Predict(fact_1)',
        '    fact_1 = Verify("a "b" c")\n    label = Predict(fact_1)',
        '    fact_1 = Verify(f"a")\n    label = Predict(fact_1)',
        '    fact_1 = Verify("")\n    label = Predict(fact_1)',
        '    for answer_1 in Question("Who?"):\n    label = Predict(answer_1)',
    ],
)
def test_nothing_else_may_be_written(written: str) -> None:
    assert not PATTERN.fullmatch(written)


NUMBER = integers(1, 13)
SAID = text(characters(codec="utf-8", exclude_characters='"\\{}\n\r'), min_size=1, max_size=30)


@given(lists(tuples(sampled_from(["answer_{} = Question", "fact_{} = Verify"]), NUMBER, SAID), min_size=1, max_size=12))
def test_what_may_be_written_is_read_as_it_stands(steps: list[tuple[str, int, str]]) -> None:
    lines = [f'    {call.format(number)}("{words}{{answer_{number}}}")\n' for call, number, words in steps]
    written = "".join([*lines, "    label = Predict(fact_1)"])
    assert PATTERN.fullmatch(written)
    program = read_program(written)
    assert (len(program.steps), program.label is not None) == (len(steps), True)
    assert {one.kind for one in program.diagnostics} <= OF_VARIABLES


BLOCKS = Path(__file__).with_name("published_forms.txt").read_text(encoding="utf-8").split(HEAD)[1:]
FORMS = [(head, code) for head, _, code in (block.partition("\n") for block in BLOCKS)]


class AllTrue:
    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        return [Answered(Value.TRUE if call.function is Function.VERIFY else "Ann") for call in calls]


def generated(accept: Accept) -> list[Outcome[ClaimPrograms]]:
    lines = [ScriptLine("program", code) for _, code in FORMS]
    lines += [ScriptLine("program_repair", code) for _, code in FORMS for _ in range(2)]
    claims = [ClaimText(number, claim) for number, (claim, _) in enumerate(FORMS)]
    return Generator(ScriptedModel(lines), [], accept=accept).generate(claims)


def test_they_are_of_the_listings_kinds() -> None:
    assert len(FORMS) == 32
    text = "".join(code for _, code in FORMS)
    assert (text.count("Question("), text.count("Verify("), text.count("Predict("), text.count("predict(")) == (
        17, 62, 31, 1,
    )  # fmt: skip
    assert len(re.findall(r"""\(f\\?["']""", text)) == 12


def test_all_of_them_run_as_they_are_written() -> None:
    outcomes = generated(Accept.PUBLISHED)
    assert [one.record.programs for one in outcomes] == [[code.strip("\n")] for _, code in FORMS]
    assert [one.counts["model_calls"] for one in outcomes] == [1] * 32
    assert not any(one.record.fallback for one in outcomes)
    traces = [done.trace for done in execute([one.record for one in outcomes], AllTrue())]
    assert [trace.value for trace in traces] == [Value.TRUE] * 32
    assert [len(trace.programs[0].steps) for trace in traces] == [code.count(" = ") - 1 for _, code in FORMS]


def test_the_careful_way_verifies_the_whole_claim_of_those_that_drop_a_name() -> None:
    careful = {
        claim: one.record.fallback == [True] for (claim, _), one in zip(FORMS, generated(Accept.CAREFUL), strict=True)
    }
    for dropped in ("Chilean", "East Asia", "June 1933"):
        assert [careful[claim] for claim in careful if dropped in claim] == [True]


def test_a_text_that_is_no_program_is_written_and_counted() -> None:
    model = ScriptedModel([ScriptLine("program", "I cannot help with that.")])
    (outcome,) = Generator(model, [], accept=Accept.PUBLISHED).generate([ClaimText(0, "It rains.")])
    assert outcome.record.programs == ["I cannot help with that."]
    assert read_program(outcome.record.programs[0]).label is None
    assert notes_on(outcome.counts) == ["1 of 1 programs have no label that can be read: their value is unknown"]


@pytest.mark.parametrize(("accept", "most"), [(Accept.PUBLISHED, 1024), (Accept.CAREFUL, 512)])
def test_how_long_a_program_may_be(accept: Accept, most: int) -> None:
    model = ScriptedModel([ScriptLine("program", FORMS[0][1])])
    Generator(model, [], accept=accept).generate([ClaimText(0, FORMS[0][0])])
    assert model.asked[0].max_new_tokens == most
