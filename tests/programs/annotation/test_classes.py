"""Sampled wrong predictions, what is shown of them, and Table 2 by people with its agreement."""

from collections import Counter
from pathlib import Path

import pytest

from src.errors import InputError
from src.evaluation.tables import as_text
from src.programs.annotation.classes import (
    Classification,
    People,
    hashes,
    people,
    read_classifications,
    sample_errors,
    shown,
)
from src.programs.records import ClaimTrace
from src.programs.scoring.error_classes import ErrorClass, conduct
from src.programs.scoring.tables import NOBODY, error_sections
from src.records import Value
from src.store import encode_lines
from tests.programs.annotation.wrong import MARKUP, trace, world
from tests.programs.answers import F, T
from tests.programs.scoring.traces import gold, traced, verified


def test_wrong_predictions_are_drawn_by_hops_and_by_seed() -> None:
    golds, traces = world(40)
    errors = sample_errors(golds, traces, 6, 1, {})
    assert Counter(one.hops for one in errors) == {2: 6, 3: 6}
    assert all(one.right != one.predicted for one in errors)
    assert [one.claim_id for one in errors] == sorted(one.claim_id for one in errors)
    assert errors == sample_errors(golds, traces, 6, 1, {})
    assert errors != sample_errors(golds, traces, 6, 2, {})
    assert len(sample_errors(golds, traces, 100, 1, {})) == 20


def test_claims_without_hops_are_one_group() -> None:
    golds, traces = world(40, hops=[None])
    assert len(sample_errors(golds, traces, 6, 1, {})) == 6


def test_the_program_that_is_shown_is_the_first_that_voted_for_the_label() -> None:
    one = traced(0, T, verified("No.", F))
    one.programs[0].value = F
    one.programs += traced(0, T, verified("Yes.", T)).programs * 2
    (error,) = sample_errors([gold(0, F)], [one], 9, 0, {(0, 1): "as written", (0, 0): "another"})
    assert (error.program, error.steps[0].call, error.written) == (1, "fact_1 = Verify(Yes.)", "as written")
    assert sample_errors([gold(0, F)], [ClaimTrace(0, "Claim 0.", Value.TRUE, 0.0, 0, [])], 9, 0, {}) == []


def test_a_step_is_shown_with_its_value_and_evidence() -> None:
    error = shown(gold(0, F, hops=2, passages=["Lund is old."]), trace(0), 0)
    assert [(one.call, one.value, one.evidence) for one in error.steps] == [
        ("answer_1 = Question(Which town?)", MARKUP, ["Lund: A sentence."]),
        ("fact_1 = Verify(Town 0 is old.)", "false", []),
    ]
    assert (error.label, error.value, error.gold) == ("Predict(fact_1)", "true", ["Lund is old."])
    assert shown(gold(0, F, titles=["Ystad"]), trace(0), 0).gold == ["Ystad"]


def test_the_text_as_written_is_no_part_of_the_hash_and_all_else_is() -> None:
    golds, traces = world(2)
    first = hashes(golds, traces)[0, 0]
    assert shown(golds[0], traces[0], 0, "as written").hash == first
    traces[0].programs[0].steps[0].value = "Malmo"
    assert hashes(golds, traces)[0, 0] != first


GOLDS, TRACES = world(12)
HASHES = hashes(GOLDS, TRACES)
TOKEN, STRUCTURE, EXECUTION = ErrorClass.TOKEN, ErrorClass.STRUCTURE, ErrorClass.EXECUTION


def classed(name: str, *classes: ErrorClass) -> list[Classification]:
    """Return classes of the first wrong predictions, in order."""
    return [
        Classification(name, *of, HASHES[of], error_class) for of, error_class in zip(HASHES, classes, strict=False)
    ]


def judged(*lines: list[Classification]) -> People:
    return people(GOLDS, TRACES, [one for some in lines for one in some], Path("c.jsonl"))


def table_lines(result: People | None) -> list[str]:
    errors = conduct(GOLDS, TRACES).errors
    assert errors is not None
    return [" ".join(line.split()) for line in as_text(error_sections(errors, result))]


def test_classes_of_two_annotators_have_half_each() -> None:
    result = judged(classed("ann", TOKEN, STRUCTURE, EXECUTION), classed("bob", TOKEN, EXECUTION))
    two, three = result.groups["2 hops"], result.groups["3 hops"]
    assert (two.programs, two.by_two, three.programs, three.by_two) == (2, 1, 1, 1)
    assert {kind: share for kind, share in two.shares.items() if share} == {TOKEN: 0.5, EXECUTION: 0.5}
    assert {kind: share for kind, share in three.shares.items() if share} == {STRUCTURE: 0.5, EXECUTION: 0.5}
    assert result.groups["all"].programs == 3
    assert "people: ann, bob; 2 of 3 programs by two or more; automatic: by rule, over all wrong claims" in table_lines(
        result
    )


def test_two_annotators_agree_beyond_chance_and_with_the_rules() -> None:
    result = judged(classed("ann", TOKEN, STRUCTURE, EXECUTION, TOKEN), classed("bob", TOKEN, EXECUTION, EXECUTION))
    first, with_rule, _ = result.pairs
    assert (first.annotators, first.programs) == (["ann", "bob"], 3)
    assert first.same == pytest.approx(2 / 3)
    assert first.kappa == pytest.approx(0.5)  # chance: 1/3 * 1/3 + 0 + 1/3 * 2/3
    assert (with_rule.annotators, with_rule.programs) == (["ann", "(by rule)"], 4)


def test_without_annotators_the_table_has_a_note_and_marks_automatic_classes() -> None:
    for result in (None, judged()):
        lines = table_lines(result)
        assert lines[-1] == NOBODY
        assert "annotated by nobody yet" in lines[-1]
        assert "2 hops: paper 2 hops: automatic" in lines[1]
        assert "people" not in lines[1]


def test_the_table_has_the_papers_rows() -> None:
    lines = table_lines(judged(classed("ann", TOKEN, TOKEN, TOKEN)))
    assert lines[1].startswith("2 hops: paper 2 hops: people 2 hops: automatic 3 hops: paper")
    assert lines[2] == "claims 100 2 3 100 1 3 3 6"
    assert [line.split()[0] for line in lines[3:8]] == ["syntax", "semantic", "-", "-", "-"]
    assert lines[4].startswith("semantic 29 100 ")
    assert lines[8].startswith("incorrect execution 71 0 ")
    assert lines[5].startswith("- token 8 100 ")


def test_classes_of_what_is_not_wrong_here_are_counted() -> None:
    result = judged([Classification("ann", 1, 0, "9f86", TOKEN)], classed("ann", TOKEN))
    assert (result.elsewhere, result.groups["all"].programs) == (1, 1)


def test_the_last_class_counts_and_a_program_that_changed_is_refused() -> None:
    path = Path("c.jsonl")
    data = encode_lines([*classed("ann", TOKEN, TOKEN), *classed("ann", STRUCTURE)])
    assert [one.error_class for one in read_classifications(data, path, HASHES)] == [STRUCTURE, TOKEN]
    assert b'"class": "structure"' in data
    with pytest.raises(InputError, match=r"c\.jsonl, line 1, field shown: program 0 of claim 0 has changed since ann"):
        read_classifications(data, path, {(0, 0): "e3b0"})
    with pytest.raises(InputError, match=r"c\.jsonl, line 1, field class: 'logic' is none of syntax, token"):
        read_classifications(data.replace(b"token", b"logic"), path, HASHES)
