"""Each fault beside a sound question that looks like it; what is repaired; the template; which question is given."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from src.records import Sentence
from src.reranking.questions.choice import LONGEST_QUOTE, Origin, SoundQuestion, sound_question, template_question
from src.reranking.questions.soundness import Fault, fault, repaired

CLAIM = "The ferry Astra sank off Nigeria in 2004, says the US coast guard."
PASSAGE = "Bora Bora and the United Nations sent 1,200 boats (20.6%), the Arden Times wrote."
URL = "https://www.africacheck.org/2021/joseph-hale"
PAGE = Sentence(PASSAGE, URL)


@pytest.mark.parametrize(
    ("faulty", "sound", "reason"),
    [
        ("did the ferry sink?", "Did the ferry sink?", Fault.LOWER_CASE),
        ("Did the ferry sink.?", "Did the ferry sink?", Fault.ENDING),
        ("Did the ferry sink??", "Did the ferry sink?", Fault.ENDING),
        ("Did the ferry sink", "Did the ferry sink?", Fault.ENDING),
        ("What is the name of the?", "What is the ferry made of?", Fault.ENDING),
        ("Did the ferry sink and?", "What did the ferry sink for?", Fault.ENDING),
        ('Did the ferry "Astra sink?', 'Did the ferry "Astra" sink?', Fault.UNBALANCED),
        ("Did the ferry (Astra sink?", "Did the ferry (Astra) sink?", Fault.UNBALANCED),
        ("Did the the ferry sink?", "Did Bora Bora send boats?", Fault.REPEATED),
        ("Did the ferry sink or sink?", "Did the ferry sink over and over?", Fault.REPEATED),
        ("What is the share of the share of the ferry?", "What is the share of the ferry?", Fault.REPEATED),
        ("How old is the ferry in the claim?", "What do the owners claim?", Fault.OF_TASK),
        ("What sank according to the passage?", "What sank according to the crew?", Fault.OF_TASK),
        ("What is the claim about?", "What is the ferry about?", Fault.OF_TASK),
        ("Is this claim true?", "Is there evidence for the claim that the ferry sank?", Fault.OF_TASK),
        ("What does the claim refer to?", "What did the coast guard say about the claim?", Fault.OF_TASK),
        ("Who is the owner the claim refers to?", "Who made the claim?", Fault.OF_TASK),
        ("Who wrote the passage?", "When was the passage of the ferry planned?", Fault.OF_TASK),
        ("Did Obama see the ferry?", "Did Astra sink?", Fault.FOREIGN),
        ("Did the ferry sink off Texas?", "Did the ferry sink off Nigeria's coast?", Fault.FOREIGN),
        ("Did the Kenyan ferry sink?", "Did the Nigerian ferry sink?", Fault.FOREIGN),
        ("What did the UK say?", "What did the U.S. say about the ferry?", Fault.FOREIGN),
        ("What did the EU do?", "What did the UN do?", Fault.FOREIGN),
        ("What did the United Kingdom say?", "What did the United States say?", Fault.FOREIGN),
        ("Did Julia Hale see the ferry?", "Did Joseph Hale see the ferry?", Fault.FOREIGN),
        ("Did Europe Check see the ferry?", "Did Africa Check see the ferry?", Fault.FOREIGN),
        ("Did the ferry sink in 2012?", "Did the ferry sink in 2004?", Fault.FOREIGN),
        ("Were there 1300 boats?", "Were there 1200 boats?", Fault.FOREIGN),
        ("The ferry sank off Nigeria?", "Where did the ferry sink?", Fault.GRAMMAR),
        ("Did the ferry sank off Nigeria?", "Did the ferry sink off Nigeria?", Fault.GRAMMAR),
        ("How many boats in Nigeria?", "How many boats are in Nigeria?", Fault.GRAMMAR),
        ("Is the ferry a island?", "Is the ferry an island?", Fault.GRAMMAR),
        ("Has the ferry have sunk off Nigeria?", "Has the ferry sunk off Nigeria?", Fault.GRAMMAR),
        ("Did the ferry has sunk?", "Did the ferry have to sink?", Fault.GRAMMAR),
        ("Ferry the boats what did?", "What did the ferry do?", Fault.GRAMMAR),
    ],
)
def test_each_fault_beside_a_sound_question(faulty: str, sound: str, reason: Fault) -> None:
    assert fault(faulty, CLAIM, PASSAGE, URL) is reason
    assert fault(sound, CLAIM, PASSAGE, URL) is None


@pytest.mark.parametrize(
    "question",
    [
        "Who sent boats?",
        "What is the ferry?",
        "According to the coast guard, how many boats were sent?",
        "In which year did the ferry sink?",
        "In 2004, did the ferry sink?",
        "How many boats did the United Nations send?",
        "Which boats were sent to Nigeria?",
        "Was the ferry built to sink?",
        "Did the coast guard say that the ferry sank off Nigeria?",
        "What percentage of the boats did the Arden Times write about?",
    ],
)
def test_sound_questions(question: str) -> None:
    assert fault(question, CLAIM, PASSAGE, URL) is None


@pytest.mark.parametrize("question", ["What is the claim about?", "What does the claim say?", "Who wrote the passage?"])
def test_claim_and_passage_may_be_spoken_of_where_the_page_does(question: str) -> None:
    page = "The claims of the guard are false; a passage of its report is quoted."
    assert fault(question, CLAIM, PASSAGE) is Fault.OF_TASK
    assert fault(question, CLAIM, page) is None


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("did it sink?", "Did it sink?"),
        (" Did  it sink ?", "Did it sink?"),
        ("Did it sink. ?", "Did it sink?"),
        ("Did it sink.?", "Did it sink?"),
        ("Did it sink off the U.S.?", "Did it sink off the US?"),
        ('"astra" is what?', '"Astra" is what?'),
        ("4 boats sank when?", "4 boats sank when?"),
        ("Did it sink?", "Did it sink?"),
        ("?", "?"),
    ],
)
def test_trivial_faults_are_repaired(written: str, expected: str) -> None:
    assert repaired(written) == expected
    assert repaired(expected) == expected


def test_the_template_quotes_the_claim_and_names_the_site() -> None:
    about = 'about the claim "The ferry Astra sank off Nigeria in 2004, says the US coast guard"?'
    assert template_question(CLAIM, PASSAGE, URL) == f"What does africacheck.org say {about}"
    assert template_question(CLAIM, PASSAGE) == f"What does this source say {about}"
    assert template_question('He said "no".', "", "") == "What does this source say about the claim \"He said 'no'\"?"


@pytest.mark.parametrize("claim", ["", "a (b", "x" * (LONGEST_QUOTE + 1)])
def test_a_claim_that_cannot_be_quoted_is_pointed_to(claim: str) -> None:
    assert template_question(claim, "", URL) == "What does africacheck.org say about the claim?"


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["", URL, "no url", "https://xn--bcher-kva.example:81/a"]))
def test_the_template_is_sound(claim: str, url: str) -> None:
    assert fault(template_question(claim, PASSAGE, url), claim, PASSAGE, url) is None


def test_the_preferred_question_is_given_where_it_is_sound() -> None:
    given_question = sound_question(CLAIM, PAGE, ["did the ferry sink?", "Where did the ferry sink?"])
    assert given_question == SoundQuestion("Did the ferry sink?", Origin.CHOSEN, True)


def test_the_next_sound_question_is_given_in_place_of_an_unsound_one() -> None:
    written = ["Did Obama see the ferry?", "Did the ferry sank?", "Where did the ferry sink?", "When did it sink?"]
    expected = SoundQuestion("Where did the ferry sink?", Origin.REPLACEMENT, False)
    assert sound_question(CLAIM, PAGE, written) == expected
    assert sound_question(CLAIM, PAGE, written) == expected


def test_the_template_is_given_where_no_question_is_sound() -> None:
    question = sound_question(CLAIM, PAGE, ["?", "Did Obama see the ferry?"])
    assert question == SoundQuestion(template_question(CLAIM, PASSAGE, URL), Origin.TEMPLATE, False)
