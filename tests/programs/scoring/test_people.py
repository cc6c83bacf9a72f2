"""Table 2 by people: parts of classes, agreement, and what is said where nobody annotated."""

from pathlib import Path

import pytest

from src.errors import InputError
from src.evaluation.tables import as_text
from src.programs.annotation.classes import Classed, People, hashes, people, read_classed
from src.programs.scoring.error_classes import ErrorClass, conduct
from src.programs.scoring.tables import NOBODY, error_sections
from src.store import encode_lines
from tests.programs.annotation.wrong import world

GOLDS, TRACES = world(12)
HASHES = hashes(GOLDS, TRACES)
TOKEN, STRUCTURE, EXECUTION = ErrorClass.TOKEN, ErrorClass.STRUCTURE, ErrorClass.EXECUTION


def classed(name: str, *classes: ErrorClass) -> list[Classed]:
    """Return classes of the first wrong predictions, in order."""
    return [Classed(name, *of, HASHES[of], said) for of, said in zip(HASHES, classes, strict=False)]


def found(*lines: list[Classed]) -> People:
    return people(GOLDS, TRACES, [one for some in lines for one in some], Path("c.jsonl"))


def told(result: People | None) -> list[str]:
    errors = conduct(GOLDS, TRACES).errors
    assert errors is not None
    return [" ".join(line.split()) for line in as_text(error_sections(errors, result))]


def test_classes_of_two_annotators_have_half_each() -> None:
    result = found(classed("ann", TOKEN, STRUCTURE, EXECUTION), classed("bob", TOKEN, EXECUTION))
    two, three = result.groups["2 hops"], result.groups["3 hops"]
    assert (two.programs, two.by_two, three.programs, three.by_two) == (2, 1, 1, 1)
    assert {kind: share for kind, share in two.shares.items() if share} == {TOKEN: 0.5, EXECUTION: 0.5}
    assert {kind: share for kind, share in three.shares.items() if share} == {STRUCTURE: 0.5, EXECUTION: 0.5}
    assert result.groups["all"].programs == 3
    assert "people: ann, bob; 2 of 3 programs by two or more; automatic: by rule, over all wrong claims" in told(result)


def test_two_annotators_agree_beyond_chance_and_with_the_rules() -> None:
    result = found(classed("ann", TOKEN, STRUCTURE, EXECUTION, TOKEN), classed("bob", TOKEN, EXECUTION, EXECUTION))
    first, with_rule, _ = result.pairs
    assert (first.annotators, first.programs) == (["ann", "bob"], 3)
    assert first.same == pytest.approx(2 / 3)
    assert first.kappa == pytest.approx(0.5)  # chance: 1/3 * 1/3 + 0 + 1/3 * 2/3
    assert (with_rule.annotators, with_rule.programs) == (["ann", "(by rule)"], 4)


def test_where_nobody_annotated_the_table_says_so_and_marks_what_is_automatic() -> None:
    for result in (None, found()):
        lines = told(result)
        assert lines[-1] == NOBODY
        assert "annotated by nobody yet" in lines[-1]
        assert "2 hops: paper 2 hops: automatic" in lines[1]
        assert "people" not in lines[1]


def test_the_table_has_the_papers_rows() -> None:
    lines = told(found(classed("ann", TOKEN, TOKEN, TOKEN)))
    assert lines[1].startswith("2 hops: paper 2 hops: people 2 hops: automatic 3 hops: paper")
    assert lines[2] == "claims 100 2 3 100 1 3 3 6"
    assert [line.split()[0] for line in lines[3:8]] == ["syntax", "semantic", "-", "-", "-"]
    assert lines[4].startswith("semantic 29 100 ")
    assert lines[8].startswith("incorrect execution 71 0 ")
    assert lines[5].startswith("- token 8 100 ")


def test_classes_of_what_is_not_wrong_here_are_counted() -> None:
    result = found([Classed("ann", 1, 0, "9f86", TOKEN)], classed("ann", TOKEN))
    assert (result.elsewhere, result.groups["all"].programs) == (1, 1)


def test_the_last_class_counts_and_a_program_that_changed_is_refused() -> None:
    path = Path("c.jsonl")
    data = encode_lines([*classed("ann", TOKEN, TOKEN), *classed("ann", STRUCTURE)])
    assert [one.error_class for one in read_classed(data, path, HASHES)] == [STRUCTURE, TOKEN]
    assert b'"class": "structure"' in data
    with pytest.raises(
        InputError, match=r"c\.jsonl, line 1, field shown: program 0 of claim 0 was another one when ann"
    ):
        read_classed(data, path, {(0, 0): "e3b0"})
    with pytest.raises(InputError, match=r"c\.jsonl, line 1, field class: 'logic' is none of syntax, token"):
        read_classed(data.replace(b"token", b"logic"), path, HASHES)
