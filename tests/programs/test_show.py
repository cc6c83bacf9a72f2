"""Trees of programs as text, HTML, Mermaid and dot: every step once, and no text that breaks the format."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from src.programs import show
from src.programs.drawing import STAR, DrawnClaim, as_dot, as_html, as_mermaid, as_text, drawn
from src.programs.records import ClaimTrace, Diagnostic, DiagnosticKind, Function, ProgramTrace, StepEvidence, StepTrace
from src.programs.show import FORMATS
from src.records import Value
from src.runner.output import Failure, failures_path
from src.store import encode_lines
from tests.programs.answers import F, T, ran

NASTY = """<script>"x\\"; ]) } end subgraph a --> b %%{init: {}}%% // /* #35; &amp; `Höje` \\n"""


def hostile(text: str = NASTY) -> list[DrawnClaim]:
    """Two claims; the first has two programs of two steps, of which one decides, the second none."""
    step = StepTrace(
        "fact_1", Function.VERIFY, 1, text, "true", [StepEvidence(text, "https://x.example/?a&b", 1.0)], True
    )
    question = StepTrace("answer_1", Function.QUESTION, 2, text, None)
    diagnostics = [Diagnostic(DiagnosticKind.IGNORED_LINE, 3, text)]
    program = ProgramTrace(Value.TRUE, [step, question], diagnostics, "fact_1")
    traces = [
        ClaimTrace(0, text, Value.TRUE, 1.0, 0, [program] * 2),
        ClaimTrace(1, "B.", Value.UNKNOWN, 0.0, 0, []),
    ]
    return list(map(drawn, traces))


def test_no_text_breaks_a_line() -> None:
    assert hostile("a\n\n b\r\n\tc\u2028d") == hostile("a b c d")


PROGRAM = (
    'answer_1 = Question("Who?")\nfact_1 = Verify("{answer_1} is old.")\nfact_2 = Verify("A.")\n'
    'fact_3 = Verify("{answer_1} sings.")\nVerify("B.")\nlabel = predict(fact_1 and fact_3 and fact_2)'
)


def test_a_claim_with_its_program() -> None:
    trace = ran(PROGRAM, answers={"Who?": "<i>Ann</i>"}, A=T, B=F)[0]
    assert as_text([drawn(trace)]).splitlines() == [
        "[0] A claim.",
        "unknown",
        "program 1",
        "unknown: Predict(fact_1 and fact_3 and fact_2)",
        "├─ * fact_1 = Verify(<i>Ann</i> is old.) -> unknown",
        "│  └─ answer_1 = Question(Who?) -> <i>Ann</i>",
        "├─ * fact_3 = Verify(<i>Ann</i> sings.) -> unknown",
        "│  └─ answer_1 = Question(Who?) -> <i>Ann</i> (see above)",
        "├─ fact_2 = Verify(A.) -> true",
        "└─ Verify(B.) -> false",
        "line 5, unassigned-call: the value of this Verify is assigned to no variable",
        "line 6, function-case: predict is written Predict",
        STAR,
    ]


def test_evidence_stands_below_its_step() -> None:
    step = StepTrace(
        "fact_1", Function.VERIFY, 1, "A.", "true", [StepEvidence("It is so.", "https://x.example/", 1.0)], True
    )
    trace = ClaimTrace(0, "A.", Value.TRUE, 1.0, 0, [ProgramTrace(Value.TRUE, [step], [], "fact_1")])
    assert as_text([drawn(trace)]).splitlines()[-2:] == ["      It is so. (https://x.example/)", STAR]


def test_many_uses_of_one_answer_stay_a_small_tree() -> None:
    lines = [
        'answer_0 = Question("Q")',
        *[f'answer_{n} = Question("{{answer_{n - 1}}} {{answer_{n - 2}}}")' for n in range(2, 30)],
    ]
    lines[1:1] = ['answer_1 = Question("R")']
    trace = ran("\n".join([*lines, "label = Predict(answer_29)"]), answers={"Q": "q", "R": "r"})[0]
    assert len(as_text([drawn(trace)]).splitlines()) < 91


def test_a_whole_claim_program_is_named_and_diagnostics_are_in_line_order() -> None:
    program = 'fact_1 = Verify("a claim")\nlabel = predict(fact_1)\nfact_2 = sum("x")'
    (shown,) = drawn(ran(program)[0]).programs
    assert shown.name == "program 1, the claim as a whole"
    assert [one.split(",")[0] for one in shown.diagnostics] == ["line 2", "line 3"]


EMPTY = {"meta"}


class Seen(HTMLParser):
    """What is open, and the texts with the elements that they stand in."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.metas: list[dict[str, str | None]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "meta":
            self.metas.append(dict(attrs))
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self.open[-1], data))


def test_a_page_with_its_charset_in_light_and_dark() -> None:
    page = as_html(hostile())
    assert page.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert page.count("<html") == page.count("</html>") == page.count("<title>") == 1
    assert "color-scheme: light dark" in page
    assert "Höje" in page


def test_the_page_loads_and_runs_nothing_but_its_own_style() -> None:
    page = as_html(hostile())
    (policy,) = (meta["content"] for meta in Seen(page).metas if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    style = page.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert set(policy.split("; ")) >= {
        "default-src 'none'", f"style-src 'sha256-{digest}'", "script-src 'none'", "base-uri 'none'",
        "form-action 'none'",
    }  # fmt: skip
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_what_others_wrote_is_text() -> None:
    seen = Seen(as_html(hostile()))
    assert seen.open == []
    assert ("h2", f"[0] {NASTY}") in seen.texts
    assert seen.texts.count(("strong", f"fact_1 = Verify({NASTY}) -> true")) == 2
    assert seen.texts.count(("blockquote", f"{NASTY} (https://x.example/?a&b)")) == 2
    assert seen.texts.count(("li", f"answer_1 = Question({NASTY}) -> no answer")) == 2
    assert seen.texts.count(("p", f"line 3, ignored-line: {NASTY}")) == 2
    assert "script" not in {place for place, _ in seen.texts}


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


def test_boxes_contain_claims_votes_and_diagnostics() -> None:
    dot = as_dot(hostile())
    assert '\\ntrue by 100% of 2 programs";' in dot
    assert 'label="program 2\\nline 3, ignored-line: ' in dot
    mermaid = as_mermaid(hostile())
    assert '<br/>true by 100#37; of 2 programs"]' in mermaid
    assert '["program 2<br/>line 3, ignored#45;line#58; ' in mermaid


def test_what_decides_is_marked() -> None:
    assert as_dot(hostile()).count(", penwidth=3]") == as_mermaid(hostile()).count('(["fact#95;1') == 2


def test_mermaids_numbers_are_the_characters() -> None:
    text = re.sub(r"#(\d+);", lambda match: chr(int(match[1])), as_mermaid(hostile()))
    assert f"fact_1 = Verify({NASTY}) -> true<br/>{NASTY} (https://x.example/?a&b)" in text


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    one = ran('fact_1 = Verify("A.")\nlabel = predict(fact_1)', A=T)[0]
    (tmp_path / "t.json").write_bytes(encode_lines([one]))
    return tmp_path / "t.json"


@pytest.mark.parametrize("form", list(FORMATS))
def test_each_format_shows_claim_vote_step_and_repair(
    form: str, trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert show.main([str(trace), "--format", form]) == 0
    shown = capsys.readouterr().out
    for word in ("A claim.", "true", "program 1", "fact", "line 2, function", " Predict"):
        assert word in shown
    assert "by 100" not in shown  # one program has no vote


@pytest.mark.parametrize("form", list(FORMATS))
def test_no_claim_commands_the_terminal(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = ran('fact_1 = Verify("A.")\nlabel = predict(fact_1)', A=T)[0]
    path = tmp_path / "t.json"
    path.write_bytes(encode_lines([msgspec.structs.replace(one, claim="A \x1b[2Jclaim\x00 \u202efo\u2066\x9b.")]))
    assert show.main([str(path), "--format", form]) == 0
    shown = capsys.readouterr().out
    assert "claim" in shown
    assert not set("\x1b\x00\x9b\u202e\u2066") & set(shown)


def test_one_claim_of_several(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert show.main([str(trace), "--claim", "0"]) == 0
    assert show.main([str(trace), "--claim", "1"]) == 2
    assert "no claim 1; its claims: " in capsys.readouterr().err
    trace.write_bytes(b"")
    assert show.main([str(trace)]) == 2
    assert capsys.readouterr().err == f"error: {trace}: contains no claims\n"


def test_a_folder_is_refused_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert show.main([str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"error: {tmp_path}: is a folder; name a file in it\n"
    assert show.main([str(tmp_path / "t.json")]) == 2
    assert capsys.readouterr().err.endswith("t.json: not found; it is written by: src.programs.execute_programs\n")


def test_why_a_claim_failed_is_shown(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    failure = Failure(0, "execute_programs", "StoreError", "no file\nfor claim 0", "")
    failures_path(trace).write_bytes(encode_lines([failure]))
    assert show.main([str(trace)]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "true; failed: no file for claim 0"
