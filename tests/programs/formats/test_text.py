"""A tree in lines: every step once, what decides marked, evidence below its step."""

from src.programs.drawing import STAR, as_text, drawn
from src.programs.records import ClaimTrace, Function, ProgramTrace, StepEvidence, StepTrace
from src.records import Value
from tests.programs.answers import F, T, ran

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


def test_a_claim_as_a_whole_is_told_and_lines_stand_in_order() -> None:
    program = 'fact_1 = Verify("a claim")\nlabel = predict(fact_1)\nfact_2 = sum("x")'
    (shown,) = drawn(ran(program)[0]).programs
    assert shown.name == "program 1, the claim as a whole"
    assert [one.split(",")[0] for one in shown.said] == ["line 2", "line 3"]
