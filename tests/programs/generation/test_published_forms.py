"""Programs in all the forms of the paper's 32 listings, as a model may write them: each is run with `published`.

The claims are of our own making. As in the listings, 20 programs have questions, one of 20 labels is `predict`, one
text lacks its closing quote, one has two single quotes before it, and three drop a name or a date of their claim.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from src.claims import ClaimText
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.programs.functions import Answered, Call
from src.programs.generation import HEAD, Accept, Generator, notes_on
from src.programs.interpreter import execute
from src.programs.parsing.reader import read_program
from src.programs.records import ClaimPrograms, Function
from src.records import Value
from src.runner.outcome import Outcome

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


def test_a_text_that_is_no_program_is_kept_and_counted() -> None:
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
