"""Execution of programs: the calls, their order, the values, and the votes."""

import pytest

from src.errors import ModelError
from src.programs.functions import as_value
from src.programs.interpreter import Ballot, published_vote, vote
from src.programs.records import ClaimPrograms, Function, StepTrace
from src.records import Value
from tests.programs.answers import C, F, T, Tables, U, kinds, ran, traced, value

AND = 'fact_1 = Verify("A.")\nfact_2 = Verify("B.")\nlabel = Predict(fact_1 and fact_2)'


def with_label(label: str) -> str:
    return f'fact_1 = Verify("A.")\nfact_2 = Verify("B.")\nfact_3 = Verify("D.")\nlabel = Predict({label})'


@pytest.mark.parametrize(
    ("label", "a", "b", "d", "expected"),
    [
        ("fact_1 and fact_2", T, F, U, F),
        ("fact_1 and not fact_2", T, T, U, F),
        ("not (fact_1 and fact_2)", T, F, U, T),
        ("not (fact_1 and fact_2)", T, T, U, F),
        ("fact_1 or fact_2", F, F, U, F),
        ("fact_1 or fact_2 and fact_3", T, F, F, T),
        ("fact_1 and fact_2", U, F, T, F),
        ("fact_1 and fact_2", U, T, T, U),
        ("fact_1 and fact_2", C, T, T, C),
        ("fact_1 and fact_2", C, F, T, F),
        ("fact_1 or fact_2", C, T, T, T),
        ("fact_1 or fact_2", C, U, T, C),
        ("not fact_1", C, T, T, C),
        ("not not not fact_1", T, T, T, F),
        ("not " * 60 + "fact_1", T, T, T, T),
        ("fact_9", T, T, T, U),
    ],
)
def test_the_label_is_evaluated(label: str, a: Value, b: Value, d: Value, expected: Value) -> None:
    assert value(with_label(label), A=a, B=b, D=d) is expected


def test_answers_are_filled_in_whatever_the_case_of_their_names() -> None:
    program = (
        'Answer_1 = Question("Who directed Interstellar?")\n'
        'fact_1 = Verify("James Cameron directed Titanic.")\n'
        'fact_2 = Verify("{ANSWER_1} was born in Canada.")\n'
        "label = Predict(fact_1 and fact_2)"
    )
    tables = Tables(
        {"James Cameron directed Titanic": T, "Christopher Nolan was born in Canada": F},
        {"Who directed Interstellar?": "Christopher Nolan"},
    )
    (trace,) = traced([ClaimPrograms(7, "A claim.", [program])], tables)
    assert (trace.claim_id, trace.value, trace.vote_share, trace.model_calls) == (7, F, 1.0, 3)
    assert tables.texts == [
        "Who directed Interstellar?",
        "James Cameron directed Titanic.",
        "Christopher Nolan was born in Canada.",
    ]
    assert trace.programs[0].steps == [
        StepTrace("answer_1", Function.QUESTION, 1, "Who directed Interstellar?", "Christopher Nolan"),
        StepTrace("fact_1", Function.VERIFY, 2, "James Cameron directed Titanic.", T),
        StepTrace("fact_2", Function.VERIFY, 3, "Christopher Nolan was born in Canada.", F, decisive=True, uses=[0]),
    ]
    assert trace.programs[0].label == "fact_1 and fact_2"


@pytest.mark.parametrize(("answer", "verified"), [(" ", []), ("", []), ("Ann\n B.", ["Ann B. is tall."])])
def test_an_answer_is_one_line_or_none(answer: str, verified: list[str]) -> None:
    program = 'answer_1 = Question("Q")\nfact_1 = Verify("{answer_1} is tall.")\nlabel = Predict(fact_1)'
    assert ran(program, answers={"Q": answer})[1] == ["Q", *verified]


def test_a_text_is_filled_in_once() -> None:
    program = (
        'answer_1 = Question("Q1")\nanswer_2 = Question("Q2")\n'
        'fact_1 = Verify("{answer_1} is tall.")\nlabel = Predict(fact_1)'
    )
    _, texts = ran(program, answers={"Q1": "{answer_2}", "Q2": "INJ"})
    assert texts == ["Q1", "Q2", "{answer_2} is tall."]


@pytest.mark.parametrize(
    "braces",
    ["{answer_1}", "{{answer_1}}", "{ Answer_1 }", "{answer_1.strip()}", "{answer_1 .title() .lower()}", "{answer_1!r}",
     "{answer_1:s}", "{answer_1:>10,.2f}", "{answer_1!s:^8}"],
)  # fmt: skip
def test_how_an_answer_is_written_into_a_text_does_not_matter(braces: str) -> None:
    program = f'answer_1 = Question("Q?")\nfact_1 = Verify("It began in {braces}.")\nlabel = Predict(fact_1)'
    trace, texts = ran(program, answers={"Q?": "1904"})
    assert (texts, kinds(trace)) == (["Q?", "It began in 1904."], [])


@pytest.mark.parametrize(
    "braces",
    ["{answer_2 - answer_1}", "{answer_1 + 1}", "{answer_1[0]}", "{answer_1 or answer_2}", "{answer_1.split()}",
     "{answer_1.replace('a', 'b')}", "{answer_1=}", "{answer_1: the year}", "{len(answer_1)}", "{answer_1 is old}",
     "{answer_1, answer_2}", "{answer_1} and {answer_1 + 1}", "{answer_1"],
)  # fmt: skip
def test_a_step_with_an_expression_in_its_text_makes_no_call(braces: str) -> None:
    questions = 'answer_1 = Question("P?")\nanswer_2 = Question("Q?")\n'
    program = f'{questions}fact_1 = Verify(f"It lasted {braces} years.")\nlabel = Predict(fact_1)'
    trace, texts = ran(program, answers={"P?": "1904", "Q?": "1910"})
    assert (trace.value, texts) == (U, ["P?", "Q?"])
    assert kinds(trace) == [("unresolved-variable", 3)]


@pytest.mark.parametrize(
    ("program", "calls", "diagnostics"),
    [
        ('fact_1 = Verify("{answer_9} was born.")\nlabel = Predict(fact_1)', [], [("unresolved-variable", 1)]),
        (
            'fact_1 = Verify("A.")\nfact_2 = Verify("{fact_1} holds.")\nlabel = Predict(fact_2)',
            ["A."],
            [("fact-in-text", 2)],
        ),
        (
            'answer_1 = Question("Q")\nfact_1 = Verify("{answer_1} a.")\nlabel = Predict(fact_1)',
            ["Q"],
            [("unresolved-variable", 2)],
        ),
        (
            'answer_1 = Question("{answer_2}?")\nanswer_2 = Question("{answer_1}?")\nlabel = Predict(answer_1)',
            [],
            [("unresolved-variable", 1), ("unresolved-variable", 2), ("answer-used-as-fact", 3)],
        ),
        ("label = Predict(__import__('os'))", [], [("unsupported-expression", 1)]),
    ],
)
def test_a_step_that_lacks_an_answer_makes_no_call(
    program: str, calls: list[str], diagnostics: list[tuple[str, int]]
) -> None:
    trace, texts = ran(program, A=T)
    assert (trace.value, texts, kinds(trace)) == (U, calls, diagnostics)


@pytest.mark.parametrize(
    ("answer", "expected"), [("no", F), ("Yes.", T), ("**True**", T), ("Canada", U), ("nothing", U), (None, U)]
)
def test_an_answer_of_yes_or_no_counts_as_a_fact(answer: str | None, expected: Value) -> None:
    trace, _ = ran('answer_1 = Question("Q")\nlabel = Predict(answer_1)', answers={"Q": answer})
    assert (trace.value, kinds(trace)) == (expected, [("answer-used-as-fact", 2)])


@pytest.mark.parametrize(
    ("reply", "meant"),
    [
        ("True.", T),
        ("yes, it is", T),
        ("FALSE", F),
        ("No", F),
        ("it's impossible to say", U),
        ("Not enough information", U),
        ("No information is given.", U),
        ("False positives", U),
        ("\u201cNo.\u201d", F),
        ("(yes)", T),
        ("no - he is not", F),
        ("", U),
    ],
)
def test_values_of_replies(reply: str, meant: Value) -> None:
    assert as_value(reply) is meant


def test_steps_that_are_ready_are_one_batch_without_duplicates() -> None:
    class Lists(Tables):
        def __init__(self) -> None:
            super().__init__({"A": T, "B": T}, {"Q?": "A"})
            self.lists: list[list[tuple[int, str]]] = []

        def answer(self, calls):  # type: ignore[no-untyped-def]
            self.lists.append([(call.claim_id, call.text) for call in calls])
            return super().answer(calls)

    chain = 'answer_1 = Question("Q?")\nfact_1 = Verify("{answer_1}.")\nlabel = Predict(fact_1)'
    lists = Lists()
    traces = traced([ClaimPrograms(0, "x", [AND, chain, AND]), ClaimPrograms(1, "y", [chain])], lists)
    assert lists.lists == [
        [(0, "A."), (0, "B."), (0, "Q?"), (1, "Q?")],
        [(1, "A.")],  # claim 0 has asked it before
    ]
    assert [(trace.value, trace.model_calls) for trace in traces] == [(T, 3), (T, 2)]


def test_programs_vote() -> None:
    negated = AND.replace("(fact_1", "(not fact_1")
    trace, _ = ran(AND, negated, AND, A=T, B=T)
    assert trace.value is T
    assert trace.vote_share == pytest.approx(2 / 3)
    assert [one.value for one in trace.programs] == [T, F, T]
    assert traced([ClaimPrograms(0, "x", [])], Tables({}, {}))[0].value is U


def test_a_program_that_cannot_be_read_has_no_vote() -> None:
    cut = 'fact_1 = Verify("A")\nfact_2 = Verify('
    trace, _ = ran('fact_1 = Verify("A")\nlabel = Predict(fact_1)', cut, cut, A=T)
    assert trace.value is T
    assert trace.vote_share == pytest.approx(1 / 3)
    assert [one.value for one in trace.programs] == [T, U, U]


def test_steps_may_stand_below_what_needs_them() -> None:
    program = 'label = Predict(fact_1)\nfact_1 = Verify("{answer_1} is old.")\nanswer_1 = Question("Q?")'
    trace, texts = ran(program, answers={"Q?": "Rome"})
    assert (trace.value, texts) == (U, ["Q?", "Rome is old."])
    assert kinds(trace) == [("forward-reference", 2), ("forward-reference", 1)]


def test_a_name_means_the_last_step_before() -> None:
    program = (
        'answer_1 = Question("P?")\nfact_1 = Verify("{answer_1}.")\n'
        'answer_1 = Question("R?")\nfact_2 = Verify("{answer_1}.")\nlabel = Predict(fact_1 and not fact_2)'
    )
    trace, texts = ran(program, answers={"P?": "A", "R?": "B"}, A=T, B=F)
    assert (trace.value, texts) == (T, ["P?", "R?", "A.", "B."])
    assert kinds(trace) == [("duplicate-variable", 3)]


def test_renamed_duplicates_all_count() -> None:
    program = (
        'fact_1 = Verify("A.")\nfact_2 = Verify("B.")\nfact_1 = Verify("D.")\n'
        "label = Predict(fact_1 and fact_2 and fact_3)"
    )
    assert value(program, A=F, B=T, D=T) is F
    assert value(program, A=T, B=T, D=T) is T


def test_errors_of_what_answers_are_not_swallowed() -> None:
    class Silent(Tables):
        def answer(self, calls):  # type: ignore[no-untyped-def]
            raise ModelError("no server")

    with pytest.raises(ModelError):
        traced([ClaimPrograms(0, "x", [AND])], Silent({}, {}))


def test_a_thousand_repeats_are_equal() -> None:
    program = 'fact_1 = Verify("A.")\nlabel = predict(fact_1)'
    first = ran(program, A=T)
    assert all(ran(program, A=T) == first for _ in range(1000))


@pytest.mark.parametrize(
    ("values", "best", "share"),
    [
        ([T, T, F], T, 2 / 3),
        ([T, F], F, 1 / 2),
        ([U, U], U, 1),
        ([C, U], C, 1 / 2),
        ([U, T], T, 1 / 2),
        ([F, C, U, T, T], T, 2 / 5),
        ([], U, 0),
    ],
)
def test_most_programs_decide(values: list[Value], best: Value, share: float) -> None:
    winner = vote([Ballot(value, 0.0) for value in values])
    assert winner[0] is best
    assert winner[1] == pytest.approx(share)


def test_of_a_tie_the_surer_ones() -> None:
    assert vote([Ballot(T, 0.9), Ballot(F, 0.4)]) == (T, 0.5)
    assert vote([Ballot(T, 0.2), Ballot(T, 0.2), Ballot(U, 0.3), Ballot(U, 0.2)]) == (U, 0.5)
    assert vote([Ballot(T, 0.2), Ballot(F, 0.9), Ballot(T, 0.1)])[0] is T  # no tie


def test_a_program_without_a_label_has_no_vote() -> None:
    unreadable = Ballot(U, 0.0, has_label=False)
    assert vote([Ballot(T, 0.1), unreadable, unreadable]) == (T, 1 / 3)
    assert vote([Ballot(F, 0.1), Ballot(T, 0.9), unreadable, unreadable, unreadable]) == (T, 1 / 5)
    assert vote([Ballot(U, 0.0), Ballot(T, 0.1), Ballot(U, 0.0), unreadable]) == (U, 1 / 2)
    assert vote([unreadable, unreadable]) == (U, 0)


@pytest.mark.parametrize(
    ("values", "best", "share"),
    [
        ([T, T, U, U, U], T, 2 / 5),
        ([T, T, F, U, U], T, 2 / 5),
        ([T, F], F, 1 / 2),
        ([T, C], T, 1 / 2),
        ([U, U], F, 1),
        ([], U, 0),
    ],
)
def test_as_published_true_has_to_be_ahead_of_false(values: list[Value], best: Value, share: float) -> None:
    winner = published_vote([Ballot(value, 9.0) for value in values])
    assert winner[0] is best
    assert winner[1] == pytest.approx(share)


def test_as_published_a_program_without_a_label_has_no_vote_either() -> None:
    unreadable = Ballot(U, 0.0, has_label=False)
    assert published_vote([Ballot(T, 0.9), Ballot(F, 0.1), unreadable]) == (F, 1 / 3)
    assert published_vote([unreadable]) == (U, 0)
