"""Replies of agents: parsed strictly, held to a grammar, and requested in batches."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from src.errors import ModelError
from src.explanation.debate.agents import feedback_grammar, read_feedback, read_judgment, read_revision
from src.explanation.debate.conversation import batched_replies
from src.explanation.records import Remark
from src.explanation.typology import MADR_TYPES, ErrorType
from src.llm.protocol import PartialError, Reply, Request
from src.llm.scripted_backend import ScriptedModel
from src.prompts import load
from tests.programs.gbnf import as_regex

DRAFT = "Eels swim in  rivers.\nThey fly."
ONE = {"quote": "They fly.", "type": "extrinsic event", "reason": "r", "fix": "f"}


@pytest.mark.parametrize("text", ["True", "true.", '"True"', " True", "**True**", "Yes", "True, they do"])
def test_agreement(text: str) -> None:
    assert read_judgment(text) is True


@pytest.mark.parametrize("text", ["False", "No", "`false`", "no, not at all"])
def test_disagreement(text: str) -> None:
    assert read_judgment(text) is False


@pytest.mark.parametrize("text", ["Truely different", "Not True", "", "They agree", "Falsehood", "1", "True or False"])
def test_what_is_neither_is_not_read(text: str) -> None:
    assert read_judgment(text) is None


@pytest.mark.parametrize("form", ["{}", "Here it is:\n```json\n{}\n```\nThat is all [1].", "{{}} {}"])
def test_feedback_is_found_wherever_its_json_is(form: str) -> None:
    read = read_feedback(form.replace("{}", json.dumps({"errors": [ONE]}), 1).replace("{{}}", ""), DRAFT)
    assert read is not None
    assert read.remarks == [Remark("They fly.", ErrorType.EXTRINSIC_EVENT, "r", "f")]


def test_quotes_that_are_not_in_the_draft_are_dropped_and_counted() -> None:
    items = [ONE, {"quote": "Frogs sing."}, {"quote": " "}, {"quote": "swim in rivers"}, ONE]
    read = read_feedback(json.dumps({"errors": items}), DRAFT)
    assert read is not None
    assert ([one.quote for one in read.remarks], read.dropped) == (["They fly.", "swim in rivers"], 2)
    assert read.remarks[1].type is None


@pytest.mark.parametrize(
    "text",
    ["", "No errors.", "{", '{"errors": 3}', '{"errors": ["cat"]}', "As [1] says, all is well.", "[] [1]", "[" * 5000,
     "[" * 600 + "{" * 600 + "}" * 600],
)  # fmt: skip
def test_what_is_no_feedback_is_not_read(text: str) -> None:
    assert read_feedback(text, DRAFT) is None


@pytest.mark.parametrize("text", ['{"errors": []}', "[]", "```json\n[ ]\n```"])
def test_empty_feedback_is_feedback(text: str) -> None:
    read = read_feedback(text, DRAFT)
    assert read is not None
    assert not read.remarks


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Revised explanation: Eels swim.", "Eels swim."),
        ("```\nEels swim.\n```", "Eels swim."),
        ('"Eels swim."', "Eels swim."),
        ('"Eels" swim in "rivers"', '"Eels" swim in "rivers"'),
        (" \n", ""),
        ('{"errors": [{"quote": "Eels"', ""),
        ('```json\n[{"quote": "Eels"}]\n```', ""),
        ("[]", ""),
        ('["Eels swim."]', ""),
        ("[1] says that eels swim.", "[1] says that eels swim."),
        ("[Eels] swim.", "[Eels] swim."),
    ],
)
def test_a_revision_is_the_text_alone(text: str, plain: str) -> None:
    assert read_revision(text) == plain


def test_the_last_list_counts_not_the_form_that_is_repeated_before_it() -> None:
    read = read_feedback(f'As [1] says, {{"errors": []}} is the form; mine: {json.dumps({"errors": [ONE]})}', DRAFT)
    assert read is not None
    assert len(read.remarks) == 1


def test_one_item_that_is_no_error_takes_no_other_down() -> None:
    read = read_feedback(json.dumps({"errors": [{"type": "IE"}, ONE | {"reason": None}]}), DRAFT)
    assert read is not None
    assert (len(read.remarks), read.dropped) == (1, 1)


@pytest.mark.parametrize("name", ["madr_debater_1", "madr_debater_2", "madr_cross", "self_refine_feedback"])
def test_the_prompt_given_back_is_not_read_but_an_answer_behind_it_is(name: str) -> None:
    prompt, mine = load(name).template, json.dumps({"errors": [ONE]})
    assert read_feedback(prompt, DRAFT) is None
    assert read_feedback(prompt, DRAFT, published=True) is None
    assert read_feedback(prompt.replace("$own", mine).replace("$other", mine), DRAFT) is None
    assert read_feedback(f"{prompt}\n{load('feedback_again').template}", DRAFT) is None
    read = read_feedback(f"{prompt}\n{mine}", DRAFT)
    assert read is not None
    assert len(read.remarks) == 1


def test_a_list_that_was_cut_has_its_whole_errors() -> None:
    whole = '{"quote": "Eels [1] swim", "type": "EV", "reason": "r", "fix": "f"}'
    read = read_feedback(f'{{"compared": "c", "errors": [{whole}, {{"quote": "Eels", "rea', "Eels [1] swim.")
    assert read is not None
    assert [one.quote for one in read.remarks] == ["Eels [1] swim"]
    assert read_feedback('{"compared": "c", "errors": [{"quote": "Eels', "Eels swim.") is None


@pytest.mark.parametrize(
    "head", ["Verdict: Refuted Explanation of the verdict: ", "Verdict: Refuted\n\nThe mended explanation: ", ""]
)
def test_lines_of_the_prompt_before_a_revision_are_left_out(head: str) -> None:
    assert read_revision(f"{head}Eels swim.") == "Eels swim."


def test_feedback_is_no_revision() -> None:
    assert read_revision('These errors were found: - "fly": they swim. Mend it so: Say swim.') == ""


@pytest.mark.parametrize("text", ["Mend it so: Eels swim.", '{"explanation": "Eels swim."}', '["Eels"] swim.'])
def test_as_published_any_text_is_a_revision(text: str) -> None:
    assert read_revision(text, published=True) == text
    assert read_revision(text) == ""


@pytest.mark.parametrize("end", ["", ', {"quote": "Eels", "rea'])
def test_any_number_of_errors_is_read_from_a_list_that_was_cut_too(end: str) -> None:
    many = ", ".join(json.dumps(ONE | {"reason": f"r{at}"}) for at in range(70))
    read = read_feedback(f'{{"errors": [{many}{end}', DRAFT)
    assert read is not None
    assert len(read.remarks) == 70


QUOTED_DRAFT = 'Eels  swim.\nShe said: "They\\fly." So it is.'


def pattern_of(draft: str, folder: Path, *, counted: bool = False) -> re.Pattern[str]:
    """Return a regular expression of the feedback that the grammar allows."""
    (folder / "g.gbnf").write_text(feedback_grammar(draft, counted=counted))
    return re.compile(as_regex(folder / "g.gbnf", 9))


def reply(*quotes: str, reason: str = "r") -> str:
    of = (f'{{"quote": {json.dumps(one)}, "type": "EV", "reason": "{reason}", "fix": "f"}}' for one in quotes)
    return f'{{"compared": "c", "errors": [{", ".join(of)}]}}'


@pytest.mark.parametrize("quote", ["Eels swim.", "Eels", 'said: "They\\fly."', "it is."])
def test_any_phrase_of_the_draft_is_a_quote_and_can_be_read(quote: str, tmp_path: Path) -> None:
    assert pattern_of(QUOTED_DRAFT, tmp_path).fullmatch(reply(quote))
    read = read_feedback(reply(quote), QUOTED_DRAFT)
    assert read is not None
    assert (len(read.remarks), read.dropped) == (1, 0)


@pytest.mark.parametrize("quote", ["", "els swim.", "swim. She", "She fly", "Eels  swim."])
def test_what_is_no_phrase_of_the_draft_is_no_quote(quote: str, tmp_path: Path) -> None:
    assert not pattern_of(QUOTED_DRAFT, tmp_path).fullmatch(reply(quote))


def test_there_may_be_any_number_of_errors_of_any_length(tmp_path: Path) -> None:
    held = pattern_of(QUOTED_DRAFT, tmp_path)
    assert held.fullmatch(reply())
    assert held.fullmatch(reply(*["Eels swim."] * 30, reason="because of this " * 60))


def test_errors_are_counted_on_request(tmp_path: Path) -> None:
    counted = reply("Eels").replace(', "errors"', ', "count": 12, "errors"')
    assert pattern_of(QUOTED_DRAFT, tmp_path, counted=True).fullmatch(counted)
    assert not pattern_of(QUOTED_DRAFT, tmp_path).fullmatch(counted)
    assert read_feedback(counted, QUOTED_DRAFT) is not None


@pytest.mark.parametrize("draft", ["", " \n", "..."])
def test_a_draft_without_sentences_has_none(draft: str) -> None:
    assert feedback_grammar(draft) == ""


def test_the_types_are_the_nine() -> None:
    (rule,) = re.findall(r"^type +::= (.*)$", feedback_grammar(QUOTED_DRAFT), re.MULTILINE)
    assert re.findall(r'"(\w\w)"', rule) == [one.value for one in MADR_TYPES]


class Counting:
    """Answers with as many tokens as the prompt has words; cannot answer an empty prompt."""

    def __init__(self) -> None:
        self.info, self.batches = ScriptedModel([]).info, list[int]()

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.batches.append(len(requests))
        found = [
            Reply("x", len(one.prompt.split()), 0, "eos") if one.prompt else ModelError("empty") for one in requests
        ]
        if any(isinstance(one, ModelError) for one in found):
            raise PartialError(found)
        return [one for one in found if isinstance(one, Reply)]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def test_each_agent_answers_in_one_batch() -> None:
    model = Counting()
    answers = batched_replies(
        [Request("a", role="one"), Request("b c", role="two"), Request("", role="one")], {"one": model, "two": model}
    )
    assert model.batches == [2, 1]
    assert [isinstance(one.reply, Reply) and one.reply.prompt_tokens for one in answers] == [1, 2, False]
    assert str(answers[2].reply) == "empty"


def test_a_batch_takes_its_time_by_tokens() -> None:
    answers = batched_replies([Request("a b c"), Request("a"), Request("")], {"model": Counting()})
    assert answers[0].seconds == pytest.approx(3 * answers[1].seconds)
    assert (answers[0].seconds > 0, answers[2].seconds) == (True, 0)
    assert batched_replies([Request("")], {"model": Counting()})[0].seconds > 0
