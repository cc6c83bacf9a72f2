"""What language models write and how it reads: every malformed input of the papers' examples, and its diagnostics."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.programs.generation import SHIPPED, read_demonstrations
from src.programs.parsing.expression import canonical
from src.programs.parsing.reader import MOST_BYTES, read_program
from src.programs.records import Function
from tests.programs.answers import U, ran

LABEL = "\nlabel = Predict(fact_1)"
PLAIN = 'fact_1 = Verify("A.")\nlabel = Predict(fact_1)\n'


def steps(text: str) -> list[tuple[str | None, str, str]]:
    return [(step.variable, step.function.value, step.text) for step in read_program(text).steps]


def texts(text: str) -> list[str]:
    return [step.text for step in read_program(text).steps]


def kinds_and_lines(text: str) -> list[tuple[str, int]]:
    return [(one.kind.value, one.line) for one in read_program(text).diagnostics]


@pytest.mark.parametrize(
    ("call", "text", "kinds"),
    [
        ('Verify("A.")', "A.", []),
        ('Verify(f"A.")', "A.", []),
        ("Verify('A.')", "A.", []),
        ('Verify( "A." )', "A.", []),
        ("Verify('O'Hara is Irish.')", "O'Hara is Irish.", []),
        ('Verify("Talking Heads is "one of the best" bands.")', 'Talking Heads is "one of the best" bands.', []),
        ('Verify("The band ("Queen") is British.")', 'The band ("Queen") is British.', []),
        ('Verify("Up (2009) is a film (by Pixar).")', "Up (2009) is a film (by Pixar).", []),
        ('Verify("He said \\"no\\".")', 'He said "no".', []),
        ("Verify(\u201cA.\u201d)", "A.", []),
        ("Verify(f''A and B.\")", "A and B.", ["unterminated-string"]),
        ("Verify(f''A and B.'')", "A and B.", []),
        ("Verify(``A and B.'')", "A and B.", []),
        ('Verify(\u201cA.")', "A.", []),
        ("Verify(\u2018A.')", "A.", []),
        ("Verify('A.\")", "A.", ["unterminated-string"]),
        ('Verify("""A.""")', "A.", []),
        ('Verify(claim="A.")', "A.", []),
        ('Verify("A.")  # as "B" says', "A.", []),
        ('Verify("He came #1 (of "ten") #2 times.")', 'He came #1 (of "ten") #2 times.', []),
        ('Verify("A.");', "A.", []),
        ('Verify("A.").', "A.", []),
        ('Verify("He said "yes" to the question (twice).")', 'He said "yes" to the question (twice).', []),
        ('Verify("A.",)', "A.", []),
        ('Verify("A.") #1st step', "A.", []),
        ('Verify("A.") // a step', "A.", []),
        ('Verify("A.")<|im_end|>', "A.", []),
        ('Verify("The tag </s> (or "<|end|>") </s> is old.")</s>', 'The tag </s> (or "<|end|>") </s> is old.', []),
        ('Verify("The band ("Queen") is British.")<|end|>', 'The band ("Queen") is British.', []),
        ('Verify("A.<|end|>', "A.", ["unterminated-string"]),
        ('Verify("A.")<|end|> It\'s so.', "A.", ["ignored-line"]),
        ('Verify("A.") checks the place.', "A.", ["ignored-line"]),
        ('Verify("The \u201cBlue\u201d (\u201cso\u201d) # x")', "The \u201cBlue\u201d (\u201cso\u201d) # x", []),
        ('Verify("He is " + answer_1 + " here.")', "He is {answer_1} here.", ["unresolved-variable"]),
        ("Verify(answer_1 is tall)", "{answer_1} is tall", ["unterminated-string", "unresolved-variable"]),
        ('Verify("The record label = Sony.")', "The record label = Sony.", []),
        ('Verify("x = Verify y.")', "x = Verify y.", []),
        ('Verify("")', "", ["parse-error"]),
        ('Verify(f\\"Jack is Sean Hayes.)', "Jack is Sean Hayes.", ["escaped-quote", "unterminated-string"]),
        ('Verify("A (b).', "A (b).", ["unterminated-string"]),
        ('Verify("Up (2009)', "Up (2009)", ["unterminated-string"]),
        ("Verify(A.)", "A.", ["unterminated-string"]),
        ("verify('A.')", "A.", ["function-case"]),
        ("VERIFY('A.')", "A.", ["function-case"]),
    ],
)
def test_the_text_of_a_call(call: str, text: str, kinds: list[str]) -> None:
    program = f"fact_1 = {call}{LABEL}"
    assert texts(program) == [text]
    assert kinds_and_lines(program) == [(kind, 1) for kind in kinds]


@pytest.mark.parametrize(
    "program",
    [
        'fact_1=Verify("A.")\nlabel=Predict(fact_1)',
        'fact_1 = Verify("A.")\r\nlabel = Predict(fact_1)\r\n',
        'FACT_1 = Verify("A.")\nLabel = Predict(Fact_1)',
        'fact_1 = Verify("A."); label = Predict(fact_1)',
        'fact_1: bool = Verify("A.")\nlabel = Predict(fact_1)',
        'fact_1 = Verify("A.")\nlabel = Predict(fact_1)\nreturn label\n\n```',
        'fact_1 = Verify("A.")\nlabel = Predict(fact_1)\nreturn label.  # so',
        '```py\n# The claim is that A.\ndef program():\n  # a\n  fact_1 = Verify("A.")\n  label = Predict(fact_1)\n```',
        '1. fact_1 = Verify("A.")\n2. label = Predict(fact_1)',
        '- `fact_1 = Verify("A.")`\n- `label = Predict(fact_1)`',
        "\ufeff" + PLAIN,
        '**fact_1** = Verify("A.")\n**label** = Predict(fact_1)',
        '* **fact_1 = Verify("A.")**\n* **label = Predict(fact_1)**',
        '1. `fact_1` = Verify("A.")\n2. *label*= Predict(fact_1)',
        '<s>fact_1 = Verify("A.")\nlabel = Predict(fact_1)</s>',
        'fact_1 = Verify("A.")<|end|>\n<|a|>label = Predict(fact_1) <|end|></s>',
        'fact_1 = Verify("A.")<|end|> # it\'s "A."\nlabel = Predict(fact_1)\n```<|end|>',
        'fact_1 = Verify("A.")\nlabel = Predict({fact_1})',
        'fact_1 = Verify("A.")\nlabel = Predict("{fact_1}")',
        'fact_1 = Verify("A.")\nlabel = Predict(f"fact_1")',
        'fact_1 = Verify(\n    "A."\n)\nlabel = Predict(\n    fact_1\n)',
        PLAIN + '# The claim is that B.\nfact_1 = Verify("B.")\nlabel = Predict(x)',
    ],
)
def test_text_of_chat_models_around_a_program_gives_no_diagnostic(program: str) -> None:
    read = read_program(program)
    assert canonical(read) == PLAIN
    assert read.diagnostics == ()


@pytest.mark.parametrize(
    "explanation",
    [
        '2. fact_1 = Verify("B.") checks the birthplace.',
        "- Predict(fact_1) joins them.",
        "label = Predict(x) combines the facts.",
        "- Verify(...) checks the place.",
        "Question (what is it) remains.",
        "return the label",
        "return the value of fact_1 and label",
        "while this is simple: it works",
        "if you want more, ask: yes",
        "if fact_1 is true, so is the claim: nothing else counts.",
        "else: nothing to do",
        'Verify("B.") would be wrong here.',
    ],
)
def test_an_explanation_changes_nothing(explanation: str) -> None:
    read = read_program(f"{PLAIN}Explanation:\n{explanation}")
    assert canonical(read) == PLAIN
    assert {one.kind for one in read.diagnostics} == {"ignored-line"}


@pytest.mark.parametrize(
    ("wrapped", "text"),
    [
        ('"He was born on May\n20. It was hot."', "He was born on May 20. It was hot."),
        ('"The song was a\n#1 hit in 1970."', "The song was a #1 hit in 1970."),
        ('"A said\n\nB."', "A said B."),
        ('"He wants to\nreturn home."', "He wants to return home."),
        ('\n    "A.",\n', "A."),
        ('"A \\\n   b."', "A b."),
    ],
)
def test_a_wrapped_text_is_whole(wrapped: str, text: str) -> None:
    read = read_program(f"fact_1 = Verify({wrapped})\nlabel = Predict(fact_1  # first\n)")
    assert [step.text for step in read.steps] == [text]
    assert read.label is not None
    assert read.diagnostics == ()


@pytest.mark.parametrize(
    "line",
    [
        "if not fact_1:",
        "if not fact_1: label = Predict(fact_2)",
        "if the film is old: label = Predict(not fact_1)",
        "if the film is old:  # as said",
        "if Verify('The film is old.'): return label",
        "else: return False",
        "for x in facts: check(x)",
        "while True: pass",
        "try:",
        "return not label",
        "return fact_2",
        "return False, since fact_1 fails",
        'return "Not enough information"',
        "return label and fact_1",
    ],
)
def test_what_would_decide_makes_the_label_unknown(line: str) -> None:
    for program in (f"{PLAIN}{line}", f"{line}\n{PLAIN}"):
        read = read_program(program)
        assert read.label is None
        at = program.splitlines().index(line) + 1
        assert [(one.kind.value, one.line) for one in read.diagnostics] == [
            ("ignored-line", at),
            ("missing-predict", at),
        ]


def test_another_variable_of_predict_is_an_expression() -> None:
    both = 'fact_1 = Verify("A.")\nfact_2 = Verify("B.")\n'
    plain = f"{both}label = Predict(not (fact_1 and fact_2))\n"
    assert canonical(read_program(f"{both}fact_3 = Predict(fact_1 and fact_2)\nlabel = Predict(not fact_3)")) == plain
    last = f"{both}label = Predict(fact_1)\nfact_3 = Predict(fact_2)"
    assert canonical(read_program(last)) == f"{both}label = Predict(fact_1)\n"
    assert canonical(read_program(f"{both}final = Predict(fact_2)")) == f"{both}label = Predict(fact_2)\n"


def test_prose_before_the_header_is_ignored() -> None:
    program = f"Here is the program:\n```python\n# The claim is that X.\ndef program():\n{PLAIN}```"
    assert canonical(read_program(program)) == PLAIN


def test_prose_like_code_before_the_label_is_ignored_too() -> None:
    program = f"if you want to see it, here it is: the program.\n{PLAIN}"
    assert canonical(read_program(program)) == PLAIN
    assert kinds_and_lines(program) == [("ignored-line", 1)]


def test_prose_is_reported_as_ignored() -> None:
    program = f'Sure, here it is:\nfact_1 = Verify("A."){LABEL}\nThis program verifies "A".'
    assert texts(program) == ["A."]
    assert kinds_and_lines(program) == [("ignored-line", 1), ("ignored-line", 4)]


def test_a_function_that_is_almost_one_is_named() -> None:
    program = read_program('fact_1 = Verfy("Eels fly.")\nfact_2 = Sum("x")\nlabel = Predict(fact_1)')
    assert [one.message for one in program.diagnostics][:2] == [
        'neither Question, Verify nor Predict, perhaps Verify: fact_1 = Verfy("Eels fly.")',
        'neither Question, Verify nor Predict: fact_2 = Sum("x")',
    ]


def test_a_text_goes_on_over_lines_until_its_call_closes() -> None:
    assert texts(f'fact_1 = Verify("A long\n    text (of\n  lines).")\nfact_2 = Verify("B.){LABEL}') == [
        "A long text (of lines).",
        "B.",
    ]


@pytest.mark.parametrize(
    ("program", "kinds"),
    [
        ("", [("missing-predict", 1)]),
        ('fact_1 = Verify("A.")\n', [("missing-predict", 1)]),
        ('if Verify("A."):\n    label = 1', [("ignored-line", 1), ("parse-error", 2), ("missing-predict", 1)]),
        ("label = fact_1 and fact_2", [("parse-error", 1)]),
        (f"{PLAIN}label = not label", [("parse-error", 3), ("several-labels", 3)]),
        (f"{PLAIN}return not label", [("ignored-line", 3), ("missing-predict", 3)]),
        (
            f"if fact_1:\n{PLAIN}else:\nlabel = Predict(not fact_1)",
            [
                ("ignored-line", 1),
                ("ignored-line", 4),
                ("missing-predict", 1),
                ("several-labels", 5),
            ],
        ),
        ('fact_1 = Verify("A.")\nlabel = Predict({fact_1 + 1})', [("unsupported-expression", 2)]),
        ('fact_1 = Verify("A.")\nlabel = Predict("{fact_1} holds")', [("unsupported-expression", 2)]),
        ('fact_1 = Verify("A.")\nlabel = Predict(fact_1) is False', [("unsupported-expression", 2)]),
        ('fact_1 = Verify("A.")\nlabel = Predict(fact_1) != True', [("unsupported-expression", 2)]),
        ('fact_1 = Verify("A.")\nlabel = Predict(fact_1) ^ Predict(fact_1)', [("unsupported-expression", 2)]),
        ('fact_1 = Verify("A.")\nlabel = Predict(fact_1) if fact_1 else Predict(x)', [("unsupported-expression", 2)]),
        ('label = Predict(__import__("os").system("id"))', [("unsupported-expression", 1)]),
        ("label = Predict((lambda: 1)())", [("unsupported-expression", 1)]),
        ('label = Predict(open("x"))', [("unsupported-expression", 1)]),
        ('fact_1 = Verify("A")\nlabel = Predict(fact_1) and fact_1', [("unsupported-expression", 2)]),
        ('fact_1 = Verify("A")\nlabel = Predict(fact_1 and (fact_1)', [("parse-error", 2)]),
        ("label = Predict(" + "(" * 400 + "a" + ")" * 400 + ")", [("limit-exceeded", 1)]),
        ('fact_1 = Verify("A")\n' * 33, [("limit-exceeded", 33)]),
        ("x" * 20_001, [("limit-exceeded", 1)]),
    ],
)
def test_no_label(program: str, kinds: list[tuple[str, int]]) -> None:
    assert read_program(program).label is None
    assert kinds_and_lines(program) == kinds


@pytest.mark.parametrize(
    ("program", "plain", "kinds"),
    [
        ('fact_1 = Verify("A.")\nlabel = Verify(fact_1)', PLAIN, [("label-by-verify", 2)]),
        ('fact_1 = Verify("A.")\nlabel = Verify("{fact_1}")', PLAIN, [("label-by-verify", 2)]),
        ('fact_1 = Verify("A.")\nlabel = Question("{{ fact_1 }}.")', PLAIN, [("label-by-verify", 2)]),
        (
            'fact_1 = Verify("A.")\nfact_2 = Verify("B.")\nlabel = Verify("{fact_1} and not {fact_2}")',
            'fact_1 = Verify("A.")\nfact_2 = Verify("B.")\nlabel = Predict(fact_1 and not fact_2)\n',
            [("label-by-verify", 3)],
        ),
        ('label = Verify("A.")', PLAIN, [("nested-call", 1)]),
        (f"label = Predict(fact_1); {PLAIN.splitlines()[0]}", PLAIN, []),
        (
            'fact_7 = Verify("A.")\nlabel = Predict(not Verify("B (c).") and (fact_7 or Question("D?")))',
            'fact_7 = Verify("A.")\nfact_8 = Verify("B (c).")\nanswer_9 = Question("D?")\n'
            "label = Predict(not fact_8 and (fact_7 or answer_9))\n",
            [("nested-call", 2), ("nested-call", 2), ("answer-used-as-fact", 2)],
        ),
        (f'Verify("B.")\n{PLAIN}', f'Verify("B.")\n{PLAIN}', [("unassigned-call", 1)]),
        (f"label = Predict(not fact_1)\n{PLAIN}", PLAIN, [("several-labels", 3)]),
        ('label = Predict(fact_1)\nfact_1 = Verify("A.")', PLAIN, [("forward-reference", 1)]),
        ('fact_1 = Verify("A.")\nlabel = predict(fact_1)', PLAIN, [("function-case", 2)]),
        (
            'fact_1 = Verify("P")\nfact_2 = Verify("R")\nfact_1 = Verify("S")\n'
            "label = Predict(fact_1 and fact_2 or fact_3)",
            'fact_1 = Verify("P")\nfact_2 = Verify("R")\nfact_3 = Verify("S")\n'
            "label = Predict(fact_1 and fact_2 or fact_3)\n",
            [("renamed-duplicate", 3)],
        ),
        (
            'fact_1 = Verify("P")\nfact_1 = Verify("S")\nlabel = Predict(fact_1)',
            'fact_1 = Verify("P")\nfact_1 = Verify("S")\nlabel = Predict(fact_1)\n',
            [("duplicate-variable", 2)],
        ),
    ],
)  # fmt: skip
def test_repairs(program: str, plain: str, kinds: list[tuple[str, int]]) -> None:
    assert canonical(read_program(program)) == plain
    assert kinds_and_lines(program) == kinds


@pytest.mark.parametrize(
    ("program", "kinds"),
    [
        (f'fact_1 = Verify("{{answer_9}} was born."){LABEL}', [("unresolved-variable", 1)]),
        (f'fact_1 = Verify("A.")\nfact_2 = Verify("{{fact_1}} holds."){LABEL}', [("fact-in-text", 2)]),
        (f'fact_1 = Verify("{{answer_1}} a.")\nanswer_1 = Question("Q?"){LABEL}', [("forward-reference", 1)]),
        (
            f'answer_1 = Question("{{answer_2}}?")\nanswer_2 = Question("{{answer_1}}?")\nfact_1 = Verify("A."){LABEL}',
            [("unresolved-variable", 1), ("unresolved-variable", 2)],
        ),
        (f'answer_1 = Question("of {{answer_1}}?")\nfact_1 = Verify("A."){LABEL}', [("unresolved-variable", 1)]),
        ('fact_1 = Verify("A.")\nlabel = Predict(fact_1 and fact_2)', [("undefined-variable", 2)]),
        ('answer_1 = Question("Q?")\nlabel = Predict(answer_1)', [("answer-used-as-fact", 2)]),
        (f'fact_1 = Verify(Question("Q?")){LABEL}', [("parse-error", 1)]),
        (f'fact_1 = Verify("A.") and Verify("B."){LABEL}', [("parse-error", 1)]),
        ('label = Verify("A.") and Verify("B.")', [("parse-error", 1), ("nested-call", 1)]),
        (f'fact_1 = Verify("A.") == False{LABEL}', [("parse-error", 1)]),
        (f'fact_1 = Verify("A.").value{LABEL}', [("parse-error", 1)]),
        (f'fact_1 = Verify("A." fact_2 = Verify("B."){LABEL}', [("parse-error", 1)]),
        (f'fact_1 = Verify("{{}} is".format(answer_1)){LABEL}', [("unterminated-string", 1), ("parse-error", 1)]),
        (f'fact_1 = Verify("The set {{}} is empty."){LABEL}', [("unresolved-variable", 1)]),
        ('fact_1 = Verify("An {answer 1} is tall.")' + LABEL, [("unresolved-variable", 1)]),
        (f'answer_1 = Search("Q?")\nfact_1 = Verify("A."){LABEL}', [("parse-error", 1)]),
    ],
)
def test_what_can_have_no_value(program: str, kinds: list[tuple[str, int]]) -> None:
    assert kinds_and_lines(program) == kinds


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_no_sign_of_code_is_left_at_the_ends_of_texts(name: str) -> None:
    """Of the 40 shipped programs, which replace the 32 of the published prompts, whose text is not here.

    That they are true where every fact is as its claim needs it is seen in `tests/programs/test_generation.py`.
    """
    programs = [read_program(shown.written()) for shown in read_demonstrations(SHIPPED[name])]
    ends = [(step.text[0], step.text[-1]) for program in programs for step in program.steps]
    assert len(programs) == 20
    assert not any(program.diagnostics for program in programs)
    assert not any(first in "(\"'}" or last in "()\"'{}" for first, last in ends)


statements = st.lists(
    st.tuples(st.sampled_from(list(Function)), st.text("ABC de.,()'\u00e9#;:1", min_size=1, max_size=30)),
    max_size=8,
)


@given(statements)
def test_the_canonical_text_reads_as_the_same_program(made: list[tuple[Function, str]]) -> None:
    lines = [f'{"fact" if f is Function.VERIFY else "answer"}_{n} = {f}("{text}")' for n, (f, text) in enumerate(made)]
    first = read_program("\n".join([*lines, "label = Predict(fact_0 or not fact_1)"]))
    again = read_program(canonical(first))
    assert [(one.variable, one.function, one.text) for one in again.steps] == [
        (one.variable, one.function, one.text) for one in first.steps
    ]
    assert again.label == first.label


@given(st.text(max_size=300))
def test_any_text_has_a_program(text: str) -> None:
    assert read_program(text) == read_program(text)


PIECES = [
    *(
        '"',
        "'",
        "(",
        ")",
        "{",
        "}",
        "{ ",
        "{a",
        "{a.strip()",
        "\\",
        "\n",
        ",",
        ";",
        "not ",
        "fact_1 = ",
        "Verify(",
        " ; # ",
    ),
    *("fact_1=Verify('A.');", 'Verify("A") and ', "Verify('A\") and ", "Verify(';", 'Verify("\n', '")', '\\")', '");a'),
    *(
        'label = Verify("{fact_1}");',
        ",label = Verify('{fact_1}\");",
        "label = Predict(fact_1);",
        "Predict(a)\n",
        "</s> ",
    ),
    *('" + a + ', "if a ", "return the ", "**", "``"),
]
FORMS = [
    "{}",
    'fact_1 = Verify("{}',
    "fact_1 = Verify({}",
    'label = Predict(Verify("{}',
    "label = Predict({})",
    "{}\n" + PLAIN,
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("piece", PIECES)
def test_hostile_texts_are_read_to_their_end(piece: str, form: str) -> None:
    text = form.replace("{}", piece * ((MOST_BYTES - len(form)) // len(piece)), 1)
    with soon():
        trace, _ = ran(text)
    assert trace.value is U


@contextmanager
def soon() -> Iterator[None]:
    """Ends what hangs: the slowest takes a hundredth of this."""

    def give_up(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(10)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
