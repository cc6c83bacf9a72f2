"""The methods with scripted agents: their calls in order, how they stop, and what influences their course."""

import re
from collections.abc import Sequence
from functools import partial

import msgspec
import pytest

from src.errors import ModelError
from src.explanation.debate.agents import Agent, Brief
from src.explanation.debate.conversation import Result, run_debates
from src.explanation.debate.methods import exchange, madr, self_correct, self_refine
from src.explanation.pieces import pieces
from src.explanation.records import ExplainedClaim, Stop
from src.llm.protocol import Reply, Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.prompts import load
from tests.explanation.debate.stage import DRAFT, NOTHING, feedback, played, roles


def differing(rounds: int) -> list[str]:
    """Return feedback that differs in each round."""
    return [feedback("They fly", *(["Eels swim"] if number % 2 else [])) for number in range(rounds)]


def debated(
    first: Sequence[str], second: Sequence[str], judge: Sequence[str] = (), refiner: Sequence[str] = ("New.",), *,
    source: str = "Eels swim.", max_rounds: int = 3, most_calls: int | None = None, published: bool = False,
) -> tuple[Result, list[Request]]:  # fmt: skip
    replies = {Agent.DEBATER_1: first, Agent.DEBATER_2: second, Agent.JUDGE: judge, Agent.REFINER: refiner}
    model = ScriptedModel([ScriptLine(agent, text) for agent, texts in replies.items() for text in texts])
    claim = ExplainedClaim(0, "Eels fly.", "false", source=source, explanation=DRAFT)
    debate = madr(Brief(claim, pieces(claim), DRAFT, published=published), max_rounds, most_calls)
    (result,) = run_debates([debate], dict.fromkeys(Agent, model))
    return result, model.asked


def calls_of(requests: Sequence[Request]) -> str:
    letters = {"debater_1": "1", "debater_2": "2", "judge": "J", "refiner": "R"}
    return "".join(letters[request.role] for request in requests)


def test_agreement_at_once_takes_four_calls() -> None:
    result, requests = debated(differing(1), differing(1), ["True"])
    assert (calls_of(requests), result.debate.calls, result.debate.rounds) == ("12JR", 4, 0)
    assert (result.debate.stop, result.revision) == (Stop.AGREED, "New.")


def test_agreement_after_a_round_takes_seven_calls() -> None:
    result, requests = debated(differing(2), differing(2), ["False", "True"])
    assert (calls_of(requests), result.debate.calls, result.debate.rounds, result.debate.stop) == (
        "12J12JR",
        7,
        1,
        "agreed",
    )


def test_without_agreement_it_ends_after_the_last_round() -> None:
    result, requests = debated(differing(11), differing(11), ["False"] * 11, max_rounds=10)
    assert (calls_of(requests), result.debate.calls) == ("12J" * 11 + "R", 34)
    assert (result.debate.stop, result.debate.rounds) == (Stop.CAP, 10)


def test_debaters_that_repeat_themselves_stall() -> None:
    same = [feedback("They fly")] * 2
    result, requests = debated(same, same, ["False"])
    assert (calls_of(requests), result.debate.calls, result.debate.rounds) == ("12J12R", 6, 1)
    assert result.debate.stop is Stop.STALLED


def test_both_answer_the_round_before() -> None:
    one, two = feedback("They fly"), feedback("Eels swim")
    _, requests = debated([one, two], [two, one], ["False", "True"])
    first, second = (request.prompt for request in requests[3:5])
    assert f"Your errors: {one}" in first
    assert f"colleague's errors: {two}" in first
    assert f"Your errors: {two}" in second
    assert f"colleague's errors: {one}" in second


def test_the_judge_sees_the_feedbacks_alone() -> None:
    _, requests = debated(differing(1), differing(1), ["True"], source="Frogs sing.")
    assert "Frogs" not in requests[2].prompt + requests[2].system
    assert DRAFT not in requests[2].prompt
    assert "Frogs" in requests[3].prompt


def test_no_errors_end_it_without_judge_and_refiner() -> None:
    result, requests = debated([NOTHING], [NOTHING])
    assert (calls_of(requests), result.debate.stop, result.revision) == ("12", Stop.EMPTY, None)
    result, requests = debated([feedback("They fly"), NOTHING], [NOTHING, NOTHING], ["False"])
    assert (calls_of(requests), result.debate.stop) == ("12J12", Stop.EMPTY)


@pytest.mark.parametrize("judge", [["Truely different"] * 2, ["Not True"] * 2, ["They differ", "Perhaps"], ["", ""]])
def test_an_unreadable_judge_is_asked_again_and_does_not_agree(judge: list[str]) -> None:
    result, requests = debated(differing(2), differing(2), [*judge, "True"])
    assert calls_of(requests) == "12JJ12JR"
    assert (result.debate.unreadable, result.debate.stop) == (2, Stop.AGREED)


def test_only_an_unreadable_debater_is_asked_again() -> None:
    result, requests = debated(["Well.", *differing(1)], differing(1), ["True"])
    assert (calls_of(requests), result.debate.unreadable, result.debate.stop) == ("121JR", 1, Stop.AGREED)


@pytest.mark.parametrize(
    ("first", "judge", "refiner", "called"),
    [
        (["Well.", "Well."], [], [], "121"),
        (["", ""], [], [], "121"),
        ([], [], [], "121"),
        (differing(1), [], [], "12JJRR"),
        (differing(1), ["True"], [], "12JRR"),
        (differing(1), ["True"], [" ", " "], "12JRR"),
        ([*differing(1), "?", "?"], ["False"], ["", ""], "12J121RR"),
    ],
)
def test_an_agent_that_fails_leaves_the_draft(
    first: list[str], judge: list[str], refiner: list[str], called: str
) -> None:
    result, requests = debated(first, differing(2), judge, refiner)
    assert (calls_of(requests), result.debate.stop, result.revision) == (called, Stop.AGENT_FAILED, None)
    assert result.debate.calls == len(called)


@pytest.mark.parametrize(
    ("first", "judge", "called", "mended"),
    [
        (differing(1), ["False"], "12J121R", "They fly"),
        ([*differing(1), "?", "?"], ["False"], "12J121R", "They fly"),
        ([*differing(1), "$prompt", "$prompt"], ["False"], "12J121R", "They fly"),
        (differing(1), [], "12JJR", "They fly"),
        (differing(2), ["False"], "12J12JJR", "Eels swim"),
    ],
)
def test_an_agent_that_fails_late_leaves_the_last_whole_round_to_the_refiner(
    first: list[str], judge: list[str], called: str, mended: str
) -> None:
    replies = [one.replace("$prompt", load("madr_cross").template) for one in first]
    result, requests = debated(replies, differing(2), judge)
    assert calls_of(requests) == called
    assert (result.debate.stop, result.revision) == (Stop.AGENT_FAILED, "New.")
    assert f'- "{mended}"' in requests[-1].prompt


@pytest.mark.parametrize("odd", ['{"errors": [{"quote": "They fly", "reason": "bad \\ud800"}]}', "bad \ud800"])
def test_what_no_file_could_hold_cannot_be_read(odd: str) -> None:
    result, requests = debated([odd, *differing(1)], differing(1), ["True \ud800", "True"], ["New \ud800", "New."])
    assert (calls_of(requests), result.debate.unreadable, result.revision) == ("121JJRR", 3, "New.")
    assert msgspec.json.encode(result.debate)


@pytest.mark.parametrize(
    ("most", "called", "text"),
    [(1, "", None), (2, "", None), (3, "12R", "New."), (4, "12JR", "New."), (5, "12JR", "New."), (6, "12J12R", "New.")],
)
def test_no_call_begins_beyond_the_budget(most: int, called: str, text: str | None) -> None:
    result, requests = debated(differing(4), differing(4), ["False"] * 4, most_calls=most)
    assert (calls_of(requests), result.debate.calls, result.revision) == (called, len(called), text)
    assert (result.debate.stop, result.debate.rounds) == (Stop.BUDGET, int(most == 6))


@pytest.mark.parametrize(
    ("first", "judge", "refiner", "most", "called"),
    [
        (["?", *differing(1)], ["True"], ["New."], 3, "12"),
        (differing(1), ["?", "True"], ["New."], 4, "12JR"),
        (differing(1), ["True"], ["", "New."], 4, "12JR"),
        ([differing(2)[0], "?"], ["False", "True"], ["New."], 6, "12J12R"),
    ],
)
def test_retries_are_within_the_budget(
    first: list[str], judge: list[str], refiner: list[str], most: int, called: str
) -> None:
    result, requests = debated(first, differing(2), judge, refiner, most_calls=most)
    assert (calls_of(requests), result.debate.stop) == (called, Stop.BUDGET)
    assert result.revision == ("New." if called.endswith("R") and refiner[0] else None)


@pytest.mark.parametrize(
    ("first", "judge", "refiner", "place", "problem"),
    [
        (["?", *differing(1)], ["True"], ["New."], 2, "could not be read as a list of errors; answer again"),
        (differing(1), ["?", "True"], ["New."], 3, "could not be read as True or False; answer again"),
        (differing(1), ["True"], ["", "New."], 4, "could not be read as an explanation, for it was empty or a list"),
    ],
)
def test_a_repeated_request_names_the_problem(
    first: list[str], judge: list[str], refiner: list[str], place: int, problem: str
) -> None:
    _, requests = debated(first, differing(1), judge, refiner)
    before = next(one for one in requests if one.role == requests[place].role)
    assert requests[place].prompt.startswith(f"{before.prompt}\nYour reply ")
    assert problem in requests[place].prompt[len(before.prompt) :]


def test_a_refiner_that_repeats_the_feedback_is_asked_again() -> None:
    result, requests = debated(differing(1), differing(1), ["True"], [feedback("They fly"), "New."])
    assert (calls_of(requests), result.revision, result.debate.unreadable) == ("12JRR", "New.", 1)
    assert '- "They fly" (extrinsic event): r Mend it so: f\n' in requests[3].prompt
    assert "{" not in requests[3].prompt


def test_feedback_and_judge_are_held_to_their_form() -> None:
    _, requests = debated(differing(1), differing(1), ["True"])
    assert ["quote ::=" in one.grammar for one in requests] == [True, True, False, False]
    assert (requests[2].grammar, requests[3].grammar) == ('root ::= "True" | "False"\n', "")
    claim = ExplainedClaim(0, "Eels fly.", "false", source="Eels.", explanation=DRAFT)
    model = ScriptedModel([ScriptLine(agent, feedback("They fly")) for agent in ("debater_1", "debater_2")])
    run_debates([madr(Brief(claim, pieces(claim), DRAFT, grammar=False))], dict.fromkeys(Agent, model))
    assert not any(one.grammar for one in model.asked)


class Failing:
    """Model that fails on a batch with the given claim, and finds no error otherwise."""

    def __init__(self, claim: str) -> None:
        self.info, self._claim = ScriptedModel([]).info, claim

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        if any(self._claim in request.prompt for request in requests):
            raise ModelError("timeout")
        return [Reply(NOTHING, 1, 1, "eos") for _ in requests]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


def test_one_failing_debate_takes_no_other_down() -> None:
    claims = [ExplainedClaim(n, f"Claim {n}.", "false", source="Eels.", explanation=DRAFT) for n in range(3)]
    debates = [madr(Brief(one, pieces(one), DRAFT)) for one in claims]
    results = run_debates(debates, dict.fromkeys(Agent, Failing("Claim 1.")))
    assert [one.debate.stop for one in results] == [Stop.EMPTY, Stop.AGENT_FAILED, Stop.EMPTY]


def test_the_whole_debate_is_a_record() -> None:
    result, _ = debated(differing(2), differing(2), ["**No**", "True"])
    others = [turn for turn in result.debate.transcript if turn.agent != "refiner"]
    turns = [(turn.agent, turn.round, turn.agreed, turn.text) for turn in others]
    assert [turn[:3] for turn in turns] == [
        ("debater_1", 0, None), ("debater_2", 0, None), ("judge", 0, False),
        ("debater_1", 1, None), ("debater_2", 1, None), ("judge", 1, True),
    ]  # fmt: skip
    assert turns[2][3] == "**No**"
    assert result.debate.draft == DRAFT
    assert result.debate.prompt_tokens > 0


def test_published_asks_judge_and_refiner_of_empty_feedbacks_too() -> None:
    result, requests = debated([NOTHING], [NOTHING], ["True"], published=True)
    assert (calls_of(requests), result.debate.stop, result.revision) == ("12JR", Stop.AGREED, "New.")
    assert "found in the explanation:\n(none)\n" in requests[-1].prompt


def test_published_goes_on_where_feedbacks_stay_the_same() -> None:
    same = [feedback("They fly")] * 4
    result, requests = debated(same, same, ["False"] * 4, published=True)
    assert (calls_of(requests), result.debate.stop, result.debate.rounds) == ("12J" * 4 + "R", Stop.CAP, 3)


def test_published_gives_the_refiner_both_feedbacks_with_all_their_errors() -> None:
    one = feedback("They fly", "Frogs sing")
    for published, quotes in ((True, ["They fly", "Frogs sing"] * 2), (False, ["They fly"])):
        result, requests = debated([one], [one], ["True"], published=published)
        assert re.findall(r'^- "(.*?)"', requests[-1].prompt, re.MULTILINE) == quotes
        assert result.debate.dropped_quotes == (0 if published else 2)


FEEDBACK, NEW = "self_refine_feedback", "self_refine"


def test_feedback_and_new_text_take_turns_until_nothing_is_found() -> None:
    replies = {FEEDBACK: [feedback("They fly"), feedback("Eels dive"), NOTHING], NEW: ["Eels dive.", "Eels rest."]}
    result, requests = played(self_refine, replies)
    assert roles(requests) == [FEEDBACK, NEW, FEEDBACK, NEW, FEEDBACK]
    assert (result.revision, result.debate.stop, result.debate.rounds) == ("Eels rest.", Stop.EMPTY, 2)
    assert "explanation of the verdict: Eels dive." in requests[2].prompt
    assert (result.debate.method, result.debate.draft, result.debate.calls) == ("self_refine", DRAFT, 5)


def test_a_quote_must_be_in_the_newest_text() -> None:
    replies = {FEEDBACK: [feedback("They fly")] * 2, NEW: ["Eels dive."]}
    result, _ = played(self_refine, replies)
    assert (result.debate.stop, result.debate.dropped_quotes, result.revision) == (Stop.EMPTY, 1, "Eels dive.")


def test_nothing_found_leaves_the_draft_without_a_new_text() -> None:
    result, requests = played(self_refine, {FEEDBACK: [NOTHING]})
    assert (roles(requests), result.revision, result.debate.stop) == ([FEEDBACK], None, Stop.EMPTY)


def test_self_refine_ends_after_the_last_round() -> None:
    replies = {FEEDBACK: [feedback("Eels")] * 2, NEW: ["Eels dive.", "Eels rest."]}
    result, requests = played(partial(self_refine, max_rounds=2), replies)
    assert (len(requests), result.debate.stop, result.revision) == (4, Stop.CAP, "Eels rest.")


def test_self_refine_stalls_with_the_same_text() -> None:
    result, requests = played(self_refine, {FEEDBACK: [feedback("They fly")], NEW: [f"{DRAFT} [1]"]})
    assert (len(requests), result.debate.stop) == (2, Stop.STALLED)


@pytest.mark.parametrize(("most", "calls", "text"), [(1, 0, None), (2, 2, "Eels dive."), (3, 2, "Eels dive.")])
def test_a_budget_of_self_refine_leaves_out_useless_feedback(most: int, calls: int, text: str | None) -> None:
    replies = {FEEDBACK: [feedback("Eels")] * 2, NEW: ["Eels dive.", "Eels rest."]}
    result, requests = played(partial(self_refine, most_calls=most), replies)
    assert (len(requests), result.debate.calls, result.debate.stop) == (calls, calls, Stop.BUDGET)
    assert result.revision == text


@pytest.mark.parametrize(
    "replies",
    [
        {},
        {FEEDBACK: ["?", "?"]},
        {FEEDBACK: [feedback("They fly")]},
        {FEEDBACK: [feedback("Eels")], NEW: [" "] * 2},
    ],
)
def test_a_self_refining_agent_that_fails_leaves_the_draft(replies: dict[str, list[str]]) -> None:
    result, _ = played(self_refine, replies)
    assert (result.revision, result.debate.stop) == (None, Stop.AGENT_FAILED)


@pytest.mark.parametrize("later", [{}, {FEEDBACK: ["?", "?"]}, {FEEDBACK: [feedback("Eels")], NEW: [" "] * 2}])
def test_a_self_refining_agent_that_fails_late_leaves_the_text_so_far(later: dict[str, list[str]]) -> None:
    replies = {FEEDBACK: [feedback("They fly"), *later.get(FEEDBACK, [])], NEW: ["Eels dive.", *later.get(NEW, [])]}
    result, _ = played(self_refine, replies)
    assert (result.revision, result.debate.stop) == ("Eels dive.", Stop.AGENT_FAILED)


def test_self_refine_shows_the_types_or_not() -> None:
    assert "EE extrinsic entity" in played(self_refine, {FEEDBACK: [NOTHING]})[1][0].prompt
    assert "EE extrinsic entity" not in played(self_refine, {FEEDBACK: [NOTHING]}, typology="none")[1][0].prompt


def test_published_self_refine_goes_on_with_the_same_text() -> None:
    replies = {FEEDBACK: [feedback("They fly")] * 3, NEW: [DRAFT] * 3}
    result, requests = played(self_refine, replies, published=True)
    assert (len(requests), result.debate.stop) == (6, Stop.CAP)


ROLE = "self_correct"


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_self_correct_rewrites_as_often_as_madr_may_call(rounds: int) -> None:
    texts = [f"Text {number}." for number in range(30)]
    result, requests = played(partial(self_correct, max_rounds=rounds), {ROLE: texts})
    assert len(requests) == result.debate.calls == 4 + 3 * rounds
    assert (result.revision, result.debate.stop) == (texts[len(requests) - 1], Stop.CAP)


def test_self_correct_sees_only_its_last_text() -> None:
    _, requests = played(
        partial(self_correct, max_rounds=0), {ROLE: ["Eels dive.", "Eels rest.", "Eels eat.", "Eels."]}
    )
    assert "explanation of the verdict: Eels dive.\n" in requests[1].prompt
    assert "Eels dive" not in requests[2].prompt


def test_self_correct_goes_on_where_nothing_changes() -> None:
    result, requests = played(partial(self_correct, max_rounds=0), {ROLE: ["Eels dive."] * 9})
    assert (len(requests), result.debate.stop) == (4, Stop.CAP)


def test_a_budget_of_self_correct_holds_with_the_last_text() -> None:
    result, requests = played(
        partial(self_correct, most_calls=3), {ROLE: ["Eels dive.", "", "Eels rest.", "Eels eat."]}
    )
    assert (len(requests), result.revision, result.debate.stop) == (3, "Eels rest.", Stop.BUDGET)


@pytest.mark.parametrize("texts", [[], ["Eels dive."], ["Eels dive.", "Eels rest.", "Eels eat."]])
def test_self_correct_without_an_answer_has_the_text_so_far(texts: list[str]) -> None:
    result, requests = played(self_correct, {ROLE: texts})
    last = texts[-1] if texts else None
    assert (len(requests), result.revision, result.debate.stop) == (len(texts) + 2, last, Stop.AGENT_FAILED)


ONE, TWO = "debater_1", "debater_2"


def test_two_writers_rewrite_twice_and_the_first_has_the_last_word() -> None:
    result, requests = played(exchange, {ONE: ["One.", "Uno."], TWO: ["Own.", "Two.", "Due."]})
    assert roles(requests) == [TWO, ONE, TWO, ONE, TWO]
    assert (result.revision, result.debate.stop, result.debate.rounds, result.debate.calls) == ("Uno.", Stop.CAP, 2, 5)


def test_both_writers_see_the_round_before() -> None:
    _, requests = played(exchange, {ONE: ["One.", "Uno."], TWO: ["Own.", "Two.", "Due."]})
    seen = [(request.prompt.count("Your explanation of the verdict: "), request.prompt) for request in requests]
    assert seen[0][0] == 0
    assert DRAFT not in seen[0][1]
    for at, own, other in ((1, DRAFT, "Own."), (2, "Own.", DRAFT), (3, "One.", "Two."), (4, "Two.", "One.")):
        assert f"Your explanation of the verdict: {own}\nAnother agent's explanation: {other}\n" in seen[at][1]


def test_equal_texts_end_the_debate() -> None:
    result, requests = played(exchange, {TWO: [f"{DRAFT} [1]"]})
    assert (len(requests), result.revision, result.debate.stop) == (1, None, Stop.AGREED)
    result, requests = played(exchange, {ONE: ["Eels."], TWO: ["Own.", "Eels."]})
    assert (len(requests), result.revision, result.debate.stop) == (3, "Eels.", Stop.AGREED)


def test_unchanged_texts_stall_the_debate() -> None:
    result, requests = played(exchange, {ONE: [DRAFT], TWO: ["Own.", "Own."]})
    assert (len(requests), result.revision, result.debate.stop) == (3, DRAFT, Stop.STALLED)


@pytest.mark.parametrize(("most", "calls", "text"), [(1, 0, None), (2, 0, None), (3, 3, "One."), (4, 3, "One.")])
def test_a_budget_of_the_debate_has_room_for_whole_rounds_only(most: int, calls: int, text: str | None) -> None:
    replies = {ONE: ["One.", "Uno."], TWO: ["Own.", "Two.", "Due."]}
    result, requests = played(partial(exchange, most_calls=most), replies)
    assert (len(requests), result.debate.calls, result.revision) == (calls, calls, text)
    assert (result.debate.stop, result.debate.rounds) == (Stop.BUDGET, calls // 2)


@pytest.mark.parametrize(
    ("replies", "text"),
    [
        ({}, None),
        ({TWO: ["", ""]}, None),
        ({ONE: [""], TWO: ["Own.", "Two."]}, None),
        ({ONE: ["One."], TWO: ["Own."]}, "One."),
        ({ONE: ["One."], TWO: ["Own.", "Two.", "Due."]}, "One."),
    ],
)
def test_a_writer_that_fails_leaves_the_text_of_the_first(replies: dict[str, list[str]], text: str | None) -> None:
    result, _ = played(exchange, replies)
    assert (result.revision, result.debate.stop) == (text, Stop.AGENT_FAILED)


def test_published_debates_all_rounds_with_equal_texts() -> None:
    replies = {ONE: [DRAFT, DRAFT], TWO: [DRAFT] * 3}
    result, requests = played(exchange, replies, published=True)
    assert (len(requests), result.revision, result.debate.stop) == (5, DRAFT, Stop.CAP)
