"""One candidate for each sentence, in order, with the right examples in its prompt and everything counted."""

import msgspec
import pytest

from src.errors import ModelError
from src.evaluation.meteor import meteor_table
from src.llm.protocol import ModelInfo
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.records import Answer, CandidateQA, Claim, Question, RankedSentences, Sentence
from src.reranking.questions.examples import ExampleCorpus
from src.reranking.questions.recipe import GREEDY, PUBLISHED, TRAINED, Recipe
from src.reranking.questions.writer import QuestionWriter

CORPUS = ExampleCorpus(
    [
        Claim("Ferry sinks", questions=[Question("Did it sink?", [Answer("The ferry sank at noon")])]),
        Claim("Prices", questions=[Question("How much?", [Answer("The ferry costs 4 crowns")])]),
        Claim("Mayor", questions=[Question("Who?", [Answer("It was the mayor")])]),
    ]
)
CLAIM = RankedSentences(
    4, "Ferry sinks", 100, [Sentence("The ferry sank.\nAt noon.", "u1"), Sentence("", "u2"), Sentence("A mayor", "u3")]
)

LIKELIEST = msgspec.structs.replace(TRAINED, samples=0)


def scripted(*outputs: str, context: int | None = None) -> ScriptedModel:
    lines = [ScriptLine("question_writer", output) for output in outputs]
    return ScriptedModel(lines, ModelInfo("scripted", "scripted", "script", context=context))


def test_candidates_stand_in_the_order_of_the_sentences() -> None:
    model = scripted("What sank? More.", "", "Who\nis it")
    outcome = QuestionWriter(model, CORPUS, GREEDY, meteor_table).write(CLAIM)
    assert (outcome.record.claim_id, outcome.record.claim) == (4, "Ferry sinks")
    assert outcome.record.bm25_qau == [
        CandidateQA("What sank?", "The ferry sank. At noon.", "u1"),
        CandidateQA("?", "", "u2"),
        CandidateQA("Who is it?", "A mayor", "u3"),
    ]
    assert outcome.counts["prompts"] == 3
    assert outcome.counts["unusable_questions"] == 1
    assert outcome.counts["prompt_tokens"] == sum(len(request.prompt.split()) for request in model.asked)


def test_the_prompt_that_the_model_sees() -> None:
    model = scripted("a", "b", "c")
    QuestionWriter(model, CORPUS, PUBLISHED, meteor_table).write(CLAIM)
    assert model.asked[0].prompt == (
        "Evidence:  The ferry costs 4 crowns.\n"
        "Question answered: How much?\n\n"
        "Evidence:  It was the mayor.\n"
        "Question answered: Who?\n\n"
        "Evidence: The ferry sank. At noon.\n"
        "Question answered: "
    )


def test_the_greedy_recipe_leaves_the_last_space_to_the_model() -> None:
    model = scripted("a", "b", "c")
    QuestionWriter(model, CORPUS, GREEDY, meteor_table).write(CLAIM)
    assert all(request.prompt.endswith("Question answered:") for request in model.asked)
    assert all((request.stop, request.num_beams, request.chat) == (("?", "\n\n"), 1, False) for request in model.asked)


def test_the_trained_recipe_shows_the_claim_and_no_examples() -> None:
    model = scripted("When did it sink?", "What sank?", "Who was it?")
    outcome = QuestionWriter(model, None, LIKELIEST, meteor_table).write(CLAIM)
    assert model.asked[0].prompt == "Claim: Ferry sinks\nEvidence: The ferry sank. At noon.\nQuestion:"
    assert (model.asked[0].stop, model.asked[0].num_beams, model.asked[0].chat) == (("?",), 1, False)
    assert [pair.question for pair in outcome.record.bm25_qau] == ["When did it sink?", "What sank?", "Who was it?"]


def test_a_long_sentence_is_cut_beside_its_claim() -> None:
    long = RankedSentences(0, "c d", 100, [Sentence("word " * 90, "u")])
    model = scripted("a", context=TRAINED.max_new_tokens + 12)
    assert QuestionWriter(model, None, LIKELIEST, meteor_table).write(long).counts["sentences_cut"] == 1
    assert model.asked[0].prompt.startswith("Claim: c d\nEvidence: word")
    assert len(model.asked[0].prompt.split()) <= 12


def test_published_examples_keep_those_of_the_claim_itself() -> None:
    model = scripted("a", "b", "c")
    QuestionWriter(model, CORPUS, PUBLISHED, meteor_table, keep_own_examples=True).write(CLAIM)
    assert model.asked[0].prompt.startswith("Evidence:  The ferry sank at noon.\nQuestion answered: Did it sink?\n\n")
    assert (model.asked[0].num_beams, model.asked[0].no_repeat_ngram_size, model.asked[0].max_length) == (2, 2, 5000)


def test_the_system_prompt_of_a_chat_model_has_the_task_and_the_claim() -> None:
    model = scripted("a", "b", "c")
    QuestionWriter(model, CORPUS, GREEDY, meteor_table, chat=True).write(CLAIM)
    assert all(request.chat and "claim: Ferry sinks\n" in request.system for request in model.asked)
    assert "missing question" in model.asked[0].system


def test_a_model_that_goes_on_with_the_published_prompt_is_not_shown_the_claim() -> None:
    model = scripted("a", "b", "c")
    QuestionWriter(model, CORPUS, PUBLISHED, meteor_table).write(CLAIM)
    assert not any("Ferry sinks" in request.system + request.prompt for request in model.asked)


def test_a_long_claim_leaves_room_in_the_prompt_of_a_chat_model() -> None:
    long = RankedSentences(0, "word " * 300, 100, [Sentence("said " * 900, "u")])
    model = scripted("a", context=600)
    QuestionWriter(model, CORPUS, GREEDY, meteor_table, chat=True).write(long)
    (request,) = model.asked
    assert len(request.system.split()) + len(request.prompt.split()) + GREEDY.max_new_tokens <= 600


@pytest.mark.parametrize(("top_k", "requests"), [(1, 1), (2, 2), (3, 3), (9, 3)])
def test_top_k_bounds_the_sentences(top_k: int, requests: int) -> None:
    model = scripted("a", "b", "c")
    assert len(QuestionWriter(model, CORPUS, GREEDY, meteor_table, top_k).write(CLAIM).record.bm25_qau) == requests
    assert len(model.asked) == requests


def test_a_claim_without_sentences_has_no_candidates() -> None:
    outcome = QuestionWriter(scripted(), CORPUS, GREEDY, meteor_table).write(RankedSentences(0, "c", 100, []))
    assert outcome.record.bm25_qau == []
    assert set(outcome.counts.values()) == {0}


def test_long_prompts_are_trimmed_and_counted() -> None:
    long = RankedSentences(0, "c", 100, [Sentence("word " * 90, "u"), Sentence("short", "u")])
    recipe = Recipe(3, 1, 0, max_new_tokens=10, max_length=None, stop=("?",), last_space=True)
    model = scripted("a", "b", context=35)
    counts = QuestionWriter(model, CORPUS, recipe, meteor_table).write(long).counts
    assert counts["sentences_cut"] == 1
    assert counts["examples_dropped"] == 3 + 1
    assert all(len(request.prompt.split()) <= 25 for request in model.asked)
    assert model.asked[1].prompt.count("Evidence:") == 3


def test_a_model_that_fails_fails_the_claim() -> None:
    with pytest.raises(ModelError, match="no more output for role 'question_writer'"):
        QuestionWriter(scripted("only one"), CORPUS, GREEDY, meteor_table).write(CLAIM)


def test_the_estimate_counts_every_prompt() -> None:
    model = scripted(*["a"] * 9)
    estimate = QuestionWriter(model, CORPUS, GREEDY, meteor_table, top_k=2).estimate([CLAIM] * 5)
    assert (estimate.claims, estimate.prompts) == (5, 10)
    assert estimate.tokens == 5 * sum(
        len(prompt.text.split()) for prompt in QuestionWriter(model, CORPUS, GREEDY, meteor_table, 2).prompts(CLAIM)
    )
    assert QuestionWriter(model, CORPUS, GREEDY, meteor_table).estimate([RankedSentences(0, "c", 1, [])]).seconds == 0.0


def test_one_of_several_questions_is_chosen() -> None:
    recipe = msgspec.structs.replace(TRAINED, samples=2)
    model = scripted(
        "Did it?",
        "Did the ferry sink?",
        "Did the ferry sink at noon?",
        "?",
        "",
        "Is a mayor on the ferry?",
        "?",
        "",
        "",
    )
    outcome = QuestionWriter(model, None, recipe, meteor_table).write(CLAIM)
    first, second, third = (pair.question for pair in outcome.record.bm25_qau)
    assert first in {"Did the ferry sink?", "Did the ferry sink at noon?"}
    assert (second, third) == ("Is a mayor on the ferry?", 'What does u3 say about the claim "Ferry sinks"?')
    assert [request.temperature for request in model.asked[:3]] == [0.0, 0.9, 0.9]
    assert len({request.seed for request in model.asked}) == 7
    assert (outcome.counts["prompts"], outcome.counts["questions_drawn"]) == (3, 6)


def test_what_is_not_sound_is_repaired_or_replaced_and_counted() -> None:
    recipe = msgspec.structs.replace(TRAINED, samples=1)
    model = scripted("Did Obama sink?", "did the ferry sink.?", "?", "", "Who was the mayor?", "Did the mayor sank?")
    outcome = QuestionWriter(model, None, recipe, meteor_table).write(CLAIM)
    assert [pair.question for pair in outcome.record.bm25_qau] == [
        "Did the ferry sink?",
        'What does u2 say about the claim "Ferry sinks"?',
        "Who was the mayor?",
    ]
    assert outcome.counts["questions_repaired"] == 1
    assert outcome.counts["questions_by_template"] == 1
    assert outcome.counts["questions_replaced"] in {1, 2}  # whether the odd draws were preferred
    assert outcome.counts["unusable_questions"] == 0


@pytest.mark.parametrize("recipe", [GREEDY, PUBLISHED])
def test_other_recipes_give_what_the_model_wrote(recipe: Recipe) -> None:
    outcome = QuestionWriter(scripted("Did Obama sink.?", "?", "the the"), CORPUS, recipe, meteor_table).write(CLAIM)
    assert [pair.question for pair in outcome.record.bm25_qau] == ["Did Obama sink.?", "?", "the the?"]
    assert not {"questions_repaired", "questions_replaced", "questions_by_template"} & set(outcome.counts)


def test_examples_by_claim_begin_every_prompt_of_the_claim() -> None:
    model = scripted("a", "b", "c")
    claim = msgspec.structs.replace(CLAIM, claim="The ferry of the mayor")
    by_claim = QuestionWriter(
        model, CORPUS, msgspec.structs.replace(GREEDY, num_examples=2), meteor_table, by_claim=True
    )
    by_claim.write(claim)
    beginnings = {request.prompt[: request.shared] for request in model.asked}
    assert len(beginnings) == 1
    (beginning,) = beginnings
    assert beginning.count("Evidence:  ") == 2
    assert beginning.endswith("?\n\n")
    assert [request.prompt[request.shared :].partition("\n")[0] for request in model.asked] == [
        "Evidence: The ferry sank. At noon.",
        "Evidence: ",
        "Evidence: A mayor",
    ]


def test_examples_by_sentence_share_nothing() -> None:
    model = scripted("a", "b", "c")
    QuestionWriter(model, CORPUS, GREEDY, meteor_table).write(CLAIM)
    assert [request.shared for request in model.asked] == [0, 0, 0]
