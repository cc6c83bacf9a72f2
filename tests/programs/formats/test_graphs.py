"""One graph, however many claims and programs: boxes within boxes, every node by a name of its own."""

import re

import pytest

from src.programs.drawing import as_dot, as_mermaid
from tests.programs.formats.written import NASTY, hostile

LABEL = r'"(?:[^"\\]|\\.)*"'
MERMAID = re.compile(
    r'flowchart TD|    subgraph box\d+\["[^"\[\]{}`%<>]*(?:<br/>[^"\[\]{}`%<>]*)*"\]|    end|'
    r'    n\d+\(?\["[^"\[\]{}`%<>]*(?:<br/>[^"\[\]{}`%<>]*)*"\]\)?|    n\d+ --> n\d+'
)
DOT = re.compile(
    r"digraph programs \{|    node \[shape=box\];|    subgraph cluster_\d+ \{|    label=" + LABEL + r";|    \}|\}|"
    r"    n\d+ \[label=" + LABEL + r"(?:, penwidth=3)?\];|    n\d+ -> n\d+;"
)


@pytest.mark.parametrize(
    ("drawing", "line", "opens", "closes"),
    [(as_mermaid(hostile()), MERMAID, "    subgraph ", "    end"), (as_dot(hostile()), DOT, "    subgraph ", "    }")],
)
def test_one_document_of_lines_that_mean_what_they_say(
    drawing: str, line: re.Pattern[str], opens: str, closes: str
) -> None:
    lines = drawing.splitlines()
    assert [one for one in lines if not line.fullmatch(one)] == []
    assert sum(one.startswith(opens) for one in lines) == sum(one == closes for one in lines) == 4
    named = [one.split("[")[0].strip(" (") for one in lines if re.match(r" +n\d+ ?\(?\[", one)]
    assert len(named) == len(set(named)) == 6
    edges = [re.findall(r"n\d+", one) for one in lines if "> n" in one and "[" not in one]
    assert len(edges) == 4
    assert {name for edge in edges for name in edge} == set(named)


def test_of_several_claims_there_is_one_head() -> None:
    assert as_mermaid(hostile()).count("flowchart TD") == 1
    assert as_dot(hostile()).count("digraph ") == 1


def test_claims_votes_and_what_was_said_stand_in_the_boxes() -> None:
    dot = as_dot(hostile())
    assert '\\ntrue by 100% of 2 programs";' in dot
    assert 'label="program 2\\nline 3, ignored-line: ' in dot
    mermaid = as_mermaid(hostile())
    assert '<br/>true by 100#37; of 2 programs"]' in mermaid
    assert '["program 2<br/>line 3, ignored#45;line#58; ' in mermaid


def test_what_decides_is_marked() -> None:
    assert as_dot(hostile()).count(", penwidth=3]") == as_mermaid(hostile()).count('(["fact#95;1') == 2


def test_mermaids_numbers_are_the_characters() -> None:
    told = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), as_mermaid(hostile()))
    assert f"fact_1 = Verify({NASTY}) -> true<br/>{NASTY} (https://x.example/?a&b)" in told
