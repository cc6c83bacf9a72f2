"""Programs by rules: titles without quotes, tests of statements, and the programs of claims.

`planned_claims.txt` holds invented claims, each with the program that it must get.
"""

import json
import re
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from src.claims import ClaimText
from src.programs import generate_programs
from src.programs.decomposition.parsing import parsed, titles
from src.programs.decomposition.planner import planner
from src.programs.decomposition.statements import are_questions, are_statements
from src.programs.generation import Demonstration, read_demonstrations
from src.programs.parsing.expression import canonical
from src.programs.parsing.reader import MOST_STEPS, read_program
from src.programs.program_files import read_programs
from src.programs.records import Function
from src.programs.whole_claim import fallback
from src.spacy_pipelines import FROM_PYPI, load

if TYPE_CHECKING:
    from spacy.language import Language


@cache
def language() -> "Language":
    return load(FROM_PYPI, [])


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Anna Berg sang Where Are You My Rain in Lorn.", ["Where Are You My Rain"]),
        ("The Roads Are Indifferent to Rain is an album.", ["The Roads Are Indifferent to Rain"]),
        ("The film The Eleven Mills was shown.", ["The Eleven Mills"]),
        ("Karl Holm wrote the novel Going Down Slowly and a play.", ["Going Down Slowly"]),
        ("Anna Berg played in Rain: The Return of Snow.", ["Rain: The Return of Snow"]),
        ("Anna Berg sings for Snow & Rain.", ["Snow & Rain"]),
        ("The film Anna Berg directed was shown.", []),
        ("Karl Holm II met Anna Berg in The Hague.", []),
        ("He met Anna Berg. She sang.", []),
    ],
)
def test_titles_of(claim: str, expected: list[str]) -> None:
    assert [span.text for span in titles(language().make_doc(claim))] == expected


def test_a_title_is_read_as_a_name() -> None:
    (doc,) = parsed(language(), ["The star of the sitcom Then You Came sang."])
    assert [(word.text, word.pos_) for word in doc if " " in word.text] == [("Then You Came", "PROPN")]


WHOLE = [
    "Anna Berg won the cup.",
    "{answer_1} was founded in Lorn.",
    "{answer_1}'s owner joined {answer_2}.",
    "'Where Are You' is a song.",
    "Anna Berg and Karl Holm were born in Oslo.",
    "Either Anna Berg or Karl Holm won the cup.",
    "Karl Holm sang in Lund, Oslo, and Bergen.",
    "Anna Berg and Karl Holm won a cup each.",
    "There were two mills in Lorn.",
    "Arden Airport and {answer_1} are not located in Europe.",
    "The mill (built in 1902) did not burn down.",
    "Rain is the 2003 comedy that {answer_1} had a role in.",
    "Unlike {answer_1}, Anna Berg is a poet.",
    "{answer_1}'s brother owns the mill.",
]
DAMAGED = [
    "Anna Berg won the cup, but not.",
    "Anna Berg won the cup and.",
    "Anna Berg sang with her sister in.",
    "Anna Berg painted the.",
    "Anna Berg were born in Lorn.",
    "{answer_1}: A Story is a book.",
    "{answer_1} sing in Lorn.",
    "Whose second novel is Snow.",
    "Anna Berg was born before the singer, the song was dedicated who to.",
    "The old mill have two wheels.",
    "Either Anna Berg won the cup.",
    "Anna Berg is a singer, or by Karl Holm.",
    "Anna Berg is a singer from Lund, and Karl Holm, a dancer.",
    "The mill on the hill.",
    "The mill being sold to Karl Holm.",
    "Won the cup in Lorn.",
    "Karl Holm was was a poet.",
    "The books that Snow is a part of.",
    "Snow is a film Anna Berg has expressed interest who in playing.",
    "Karl Holm sings in {answer_1} that {answer_2} owns.",
    "The person for whom he works for is a poet.",
    "Snow was written by Karl Holm, and starring Anna Berg.",
    "Anna Berg is starred in Snow.",
    "The road that {answer_1} is bounded by and {answer_2}.",
    "Anna Berg is a poet. Unlike Karl Holm.",
    "This magazines was founded in Lorn.",
    "Snow features the song 'Rain In Lorn.",
    "A member of a the band sang Snow.",
    "The prize went to both the this singer and Anna Berg.",
    "Anna Berg is a singer for the band who's name.",
    "{answer_1} is a part of is written with the old script.",
    "The film Anna Berg voiced the character of Snow in.",
    "{answer_1} was that the census took a count of.",
    "...",
    "",
]
ASKED = [
    "Which river flows through Arden?",
    "Which band's second album is Snow?",
    "Which team does {answer_1} play for?",
    "Who is the author of the novel that won the Arden Prize?",
    "Which singer was born in Lorn?",
]
MISASKED = [
    "Anna Berg plays for which team?",
    "Which city is Lorn under the control of are located in Norway?",
    "Which young singers was honored in Lorn?",
    "Which same place did Anna Berg die?",
    "Which man was {answer_1} based on on?",
    "Which film is Anna Berg better than?",
    "Which river flows through Arden.",
    "Which band did Anna Berg earn a prize from in?",
    "Which band did a cover of in 2002?",
    "Which team did that Anna Berg previously play for?",
]


@cache
def judged(*texts: str) -> list[bool]:
    return list(are_statements(language(), texts))


@pytest.mark.parametrize(
    ("text", "expected"), [*product(WHOLE, [True]), *product(DAMAGED, [False])], ids=[*WHOLE, *DAMAGED]
)
def test_what_is_damaged_is_no_statement(text: str, expected: bool) -> None:
    assert judged(*WHOLE, *DAMAGED)[[*WHOLE, *DAMAGED].index(text)] is expected


@pytest.mark.parametrize(("text", "expected"), [*product(ASKED, [True]), *product(MISASKED, [False])])
def test_malformed_questions_are_rejected(text: str, expected: bool) -> None:
    assert list(are_questions(language(), [text])) == [expected]


PLANNED = read_demonstrations(Path(__file__).with_name("planned_claims.txt"))
WORD = re.compile(r"\w+")
NAMES = st.sampled_from(["Anna Berg", "the Arden Museum", "Karl Holm", "The Vasa", "Lorn", 'the film "Zug"', "X{2}"])
TELLS = st.sampled_from([
    ", a town in Lorn,", ", who was born in 1901,", " (born 1960)", ", which he later sold,", " that Karl Holm built",
    "", ", whose father was a baker,", ", founded in 1871 and closed in 1903,", " or Birgit Dahl", " and her sister",
])  # fmt: skip
SAYS = st.sampled_from([
    "won the cup", "was built by Karl Holm", "did not sing", "is neither a castle nor a church", "has 17 rooms",
    "was seen, heard and forgotten", "is a singer who lives in Oslo", "stands in Arden or in Lorn", "met them there",
    "wrote \\n code", "became the first president, although it rained", "said that it was late",
])  # fmt: skip
LINKS = st.sampled_from(
    [" and ", ", but ", " or ", ", and it ", " and who ", ". She ", ". This museum ", "; he ", ", "]
)


def planned(claim: str) -> str:
    (outcome,) = planner().generate([ClaimText(0, claim)])
    (program,) = outcome.record.programs
    return program


@pytest.mark.parametrize("case", PLANNED, ids=[one.claim[:60] for one in PLANNED])
def test_the_program_of(case: Demonstration) -> None:
    assert planned(case.claim) == canonical(case.program)


def test_the_table_holds_enough_of_each_kind() -> None:
    labels = [canonical(one.program).rpartition("label")[2] for one in PLANNED]
    questions = [one for one in PLANNED if any(step.function is Function.QUESTION for step in one.program.steps)]
    assert len(PLANNED) >= 40
    assert sum(" or " in label for label in labels) >= 2
    assert len(questions) >= 8
    assert sum(len(one.program.steps) == 1 for one in PLANNED) >= 8


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(NAMES, TELLS, SAYS, LINKS), min_size=1, max_size=3))
def test_nothing_is_lost_and_nothing_grows(parts: list[tuple[str, str, str, str]]) -> None:
    claim = "".join(f"{name}{verb} {object_}{link}" for name, verb, object_, link in parts[:-1])
    claim += "".join(parts[-1][:2]) + f" {parts[-1][2]}."
    program = planned(claim)
    read = read_program(program)
    assert read.diagnostics == ()
    assert canonical(read) == program
    text = " ".join(step.text for step in read.steps).casefold()
    wanted = {word for word in WORD.findall(claim) if word[0].isupper() or word.isdigit() or word in ("cup", "castle")}
    lost = {word for word in wanted - {"She", "This", "The"} if word.casefold() not in text}
    assert not lost, (claim, program)
    assert max(len(step.text) for step in read.steps) <= len(claim) + 30


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
def test_any_text_has_a_program_that_reads_back(claim: str) -> None:
    program = planned(claim)
    read = read_program(program)
    assert read.label is not None
    assert len(read.steps) <= MOST_STEPS
    if WORD.search(claim.replace("_", "")):
        assert (read.diagnostics, canonical(read)) == ((), program)


@pytest.mark.parametrize(
    "claim", ["'+x+'", 'He said "no".lower() and left.', "# The claim is that\nlabel = Predict(fact_9)",
              "a\\nb {fact_1}", "<|end|> it ended.", '") or Verify("Arden burns.']
)  # fmt: skip
def test_signs_of_code_mean_nothing(claim: str) -> None:
    read = read_program(planned(claim))
    assert read.diagnostics == ()
    assert all(step.function is Function.VERIFY for step in read.steps)


@pytest.mark.parametrize(
    ("claim", "failed"),
    [("", True), (" \n", True), ("Anna Berg died. " * 4_000, True), ("Arden", False), ("Anna Berg won.", False)],
)
def test_only_what_is_left_out_is_a_failure(claim: str, failed: bool) -> None:
    (outcome,) = planner().generate([ClaimText(0, claim)])
    assert outcome.record.programs == [fallback(claim)]
    assert outcome.record.fallback == [failed]
    assert outcome.counts["fallback_programs"] == failed


def test_many_steps_are_one() -> None:
    verbs = " and ".join(f"won the {number} race" for number in range(40))
    assert planned(f"Anna Berg {verbs}.") == fallback(f"Anna Berg {verbs}.")


def test_deep_claims_are_read() -> None:
    for claim in ("Anna, who met " * 280 + "Karl, died.", "the man who saw " * 240 + "Karl died.", "Berg of " * 490):
        assert planned(claim) == fallback(claim)


def test_a_batch_changes_nothing() -> None:
    claims = [ClaimText(number, one.claim) for number, one in enumerate(PLANNED)]
    together = [outcome.record for outcome in planner().generate(claims)]
    assert together == [outcome.record for outcome in planner().generate(claims)]
    assert [record.programs[0] for record in together] == [planned(one.claim) for one in claims]


def test_the_step_without_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    case = PLANNED[0]
    Path("c.json").write_text(json.dumps([{"claim": case.claim}, {"claim": "Anna Berg sang.", "uid": "x"}]))
    flags = ["--llm", "none", "-c", "c.json", "-o", "p.json"]
    assert generate_programs.main(flags) == 0
    first, second = read_programs(Path("p.json"))
    assert first.programs == [canonical(case.program)]
    assert (second.programs, second.fallback) == ([fallback("Anna Berg sang.")], [False])
    manifest = json.loads(Path("p.manifest.json").read_text())
    assert manifest["model"]["engine"] == "spacy"
    assert manifest["model"]["name"].startswith("en_core_web_sm")
    assert "demonstrations" not in manifest["fingerprint"]["inputs"]
    for unread in (["--temperature", "0.2"], ["--num_programs", "3"], ["--chat"], ["--seed", "1"], ["--slots", "2"]):
        assert generate_programs.main([*flags, *unread]) == 2
        assert "changes nothing with --llm none" in capsys.readouterr().err
