"""Steps as question-answer pairs of a submission."""

import pytest

from src.evaluation.averitec import NO_ANSWER
from src.programs.predictions import evidence_pairs, prediction
from src.programs.records import ClaimTrace, Function, ProgramTrace, StepEvidence, StepTrace
from src.records import Level, QAPair, Value, Verdict
from tests.programs.answers import C, F, T, U

NOLAN = StepEvidence("Nolan was born in London.", "https://a.example/", 3.0)
OTHER = StepEvidence("He comes from England.", "https://b.example/", 2.0)
THIRD = StepEvidence("A third one.", "https://c.example/", 1.0)
ASKED = StepTrace("answer_1", Function.QUESTION, 1, "Who directed Interstellar?", "Christopher Nolan", [OTHER, NOLAN])
BORN = StepTrace(
    "fact_2", Function.VERIFY, 3, "Christopher Nolan was born in Canada.", F, [NOLAN, OTHER, THIRD], True, [0]
)


def trace(*programs: ProgramTrace, value: Value = F) -> ClaimTrace:
    return ClaimTrace(4, "A claim.", value, 1.0, 3, list(programs))


def pairs(one: ClaimTrace, top_n: int = 10) -> list[QAPair]:
    (made,) = evidence_pairs([one], top_n)
    return made


def test_what_decides_comes_first() -> None:
    decided = trace(ProgramTrace(F, [ASKED, BORN], []))
    result = prediction(decided, pairs(decided))
    assert (result.claim_id, result.pred_label) == (4, Verdict.REFUTED)
    assert result.evidence == [
        QAPair("Was Christopher Nolan born in Canada?", "No. Nolan was born in London.", "https://a.example/"),
        QAPair("Was Christopher Nolan born in Canada?", "No. He comes from England.", "https://b.example/"),
        QAPair("Who directed Interstellar?", "Christopher Nolan. He comes from England.", "https://b.example/"),
    ]
    for top_n in (1, 2):
        assert pairs(trace(ProgramTrace(F, [ASKED, BORN], [])), top_n) == result.evidence[:top_n]


def test_sentences_of_one_page_are_one_pair() -> None:
    again = StepEvidence("He left it in 1980.", NOLAN.url, 2.0)
    step = StepTrace("fact_1", Function.VERIFY, 1, BORN.text, F, [NOLAN, again, OTHER])
    (pair,) = pairs(trace(ProgramTrace(F, [step], [])))
    assert (pair.answer, pair.url) == ("No. Nolan was born in London. He left it in 1980.", NOLAN.url)


def test_second_pages_push_no_deciding_step_out() -> None:
    steps = [
        StepTrace(f"fact_{at}", Function.VERIFY, at, text, F, [NOLAN, OTHER], True)
        for at, text in enumerate(("Karl was born in Canada.", "Ann sang.", "It rained."))
    ]
    shown_pairs = pairs(trace(ProgramTrace(F, steps, [])), 4)
    assert [pair.question for pair in shown_pairs[:3]] == [
        "Was Karl born in Canada?",
        "Did Ann sing?",
        "Did it rain?",
    ]
    assert (shown_pairs[3].question, shown_pairs[3].url) == (shown_pairs[0].question, OTHER.url)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (T, Verdict.SUPPORTED),
        (F, Verdict.REFUTED),
        (U, Verdict.NOT_ENOUGH_EVIDENCE),
        (C, Verdict.CONFLICTING),
    ],
)
def test_every_value_has_a_verdict(value: Value, verdict: Verdict) -> None:
    result = prediction(trace(value=value), [])
    assert (result.pred_label, result.level) == (verdict, Level.UNDECIDED)


def test_what_has_no_answer_stands_at_the_end() -> None:
    unknown = StepTrace("fact_1", Function.VERIFY, 1, "It is blue.", U, [NOLAN], True)
    silent = StepTrace("answer_2", Function.QUESTION, 2, "Which?", None)
    shown_pairs = pairs(trace(ProgramTrace(F, [unknown, silent, ASKED], [])))
    assert [pair.question for pair in shown_pairs] == ["Who directed Interstellar?", "Is it blue?", "Which?"]
    assert [(pair.answer, pair.url) for pair in shown_pairs[1:]] == [(NO_ANSWER, "")] * 2


def test_conflicting_sources_both_stand() -> None:
    step = StepTrace("fact_1", Function.VERIFY, 1, "It is so.", C, [NOLAN, OTHER, THIRD])
    assert [(one.answer, one.url) for one in pairs(trace(ProgramTrace(C, [step], []), value=C))] == [
        ("The sources disagree. Nolan was born in London.", "https://a.example/"),
        ("The sources disagree. He comes from England.", "https://b.example/"),
    ]


def test_only_programs_of_the_majority_and_no_question_twice() -> None:
    again = StepTrace("fact_9", Function.VERIFY, 1, "Christopher NOLAN was born in Canada", F, [NOLAN])
    lost = StepTrace("fact_1", Function.VERIFY, 1, "Something else.", T)
    shown_pairs = pairs(trace(ProgramTrace(F, [BORN], []), ProgramTrace(T, [lost], []), ProgramTrace(F, [again], [])))
    assert [pair.question for pair in shown_pairs] == 2 * ["Was Christopher Nolan born in Canada?"]  # of two pages


def test_a_program_without_a_label_gives_no_pair_where_another_voted() -> None:
    cut = StepTrace("fact_1", Function.VERIFY, 1, "Ann Moor eats lunch.", T)
    open_ = StepTrace("fact_1", Function.VERIFY, 1, "Ann Moor was born in Canada.", U)
    voted = ProgramTrace(U, [open_], [], "fact_1")
    unread = ProgramTrace(U, [cut], [])
    assert [pair.question for pair in pairs(trace(unread, voted, value=U))] == ["Was Ann Moor born in Canada?"]
    assert [pair.question for pair in pairs(trace(unread, value=U))] == ["Does Ann Moor eat lunch?"]


LONG = "The new stone bridge over the river in the old town of Arvidal was opened in 1910."


@pytest.mark.parametrize(
    ("other", "value", "count"),
    [
        (LONG.replace("1910", "1920"), F, 2), (LONG.replace("opened", "not opened"), F, 2),
        (LONG.replace("The new", "the NEW"), T, 1), (LONG.replace("new stone", "stone"), T, 1),
        ("The old town of Arvidal in the new stone bridge over the river was opened in 1910.", T, 2),
    ],
)  # fmt: skip
def test_only_steps_of_one_value_and_one_order_of_words_are_one(other: str, value: Value, count: int) -> None:
    steps = [StepTrace("a", Function.VERIFY, 1, LONG, T), StepTrace("b", Function.VERIFY, 2, other, value)]
    assert len(pairs(trace(ProgramTrace(F, steps, [])))) == count


@pytest.mark.parametrize("text", ["{answer_9} was born.", "It lasted {answer_2 - answer_1} years."])
def test_a_placeholder_is_no_question(text: str) -> None:
    stuck = StepTrace("fact_1", Function.VERIFY, 1, text, U)
    assert pairs(trace(ProgramTrace(F, [stuck, BORN], []))) == pairs(trace(ProgramTrace(F, [BORN], [])))


@pytest.mark.parametrize(
    ("text", "question"),
    [("A { b.", None), ("{answer_2 - answer_1} is old.", None), ("{", None),
     ("{1} (x) is tall.", "Is it true that 1 (x) is tall?"), ("Ann } is old.", "Is Ann old?")],
)  # fmt: skip
def test_no_brace_reaches_a_question(text: str, question: str | None) -> None:
    steps = [
        StepTrace("fact_1", Function.VERIFY, 1, text, T),
        StepTrace("a", Function.QUESTION, 2, f"{text} Who?", "x"),
    ]
    asked_questions = [pair.question for pair in pairs(trace(ProgramTrace(F, steps, [])))]
    assert asked_questions[:1] == ([] if question is None else [question])
    assert not any("{" in one or "}" in one for one in asked_questions)


@pytest.mark.parametrize("text", ["", " ", ".", "\u2014 ...", "1910."])
def test_a_step_without_a_letter_becomes_no_question(text: str) -> None:
    stuck = StepTrace("fact_2", Function.VERIFY, 1, text, U)
    assert pairs(trace(ProgramTrace(F, [stuck, BORN], []))) == pairs(trace(ProgramTrace(F, [BORN], [])))


def test_each_claim_has_its_own_questions() -> None:
    asked_so = StepTrace(
        "answer_1", Function.QUESTION, 1, BORN.text, "Yes", [NOLAN]
    )  # the words of a statement, as written
    made = evidence_pairs([trace(ProgramTrace(F, [one], [])) for one in (BORN, asked_so, ASKED, BORN)], 10)
    assert [one[0].question for one in made] == [
        "Was Christopher Nolan born in Canada?", BORN.text, ASKED.text, "Was Christopher Nolan born in Canada?",
    ]  # fmt: skip
