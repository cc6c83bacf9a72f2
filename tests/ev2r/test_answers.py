"""A judge's answers in both forms: what is counted, and what cannot be read."""

import json

import pytest

from src.ev2r.answers import read_official, read_own, schema
from src.ev2r.records import FactVerdict, Judged, JudgedFact, WrittenCounts, supported
from src.llm.json_replies import UnreadableReplyError
from src.llm.protocol import Reply

YES, OPEN, NO = FactVerdict.SUPPORTED, FactVerdict.NOT_ENOUGH, FactVerdict.CONTRADICTED


def reply(text: str, stopped: str = "eos") -> Reply:
    return Reply(text, 10, 10, stopped)  # type: ignore[arg-type]


def own(predicted: list[str], reference: list[str]) -> str:
    sides = {"predicted": predicted, "reference": reference}
    return json.dumps(
        {side: [{"fact": f"{side} {n}", "verdict": word} for n, word in enumerate(its)] for side, its in sides.items()}
    )


def official(changes: dict[str, object] | None = None, what: str = "evidence") -> dict[str, object]:
    answer: dict[str, object] = {
        f"facts in predicted {what}": "1. Dogs bark. 2. It was on May 3. Then cats meow. 3. Fish sing.",
        f"fact check predicted {what}": "1. Dogs bark. The reference says so. Supported. 2. It was on May 3. Not "
        "supported by it. Not enough information. 3. Fish sing. The reference denies it. Contradicted.",
        f"facts count predicted {what}": 3,
        f"support predicted {what}": 1,
        f"facts in reference {what}": ["Dogs bark.", "Birds fly."],
        f"fact check reference {what}": ["Supported.", "Not enough info."],
        f"facts count reference {what}": 2,
        f"support reference {what}": 1,
    }
    return answer | (changes or {})


def test_facts_are_counted_from_the_lists() -> None:
    judged = read_own(
        reply(f"```json\n{own(['supported', 'contradicted'], ['**Supported**.', 'not-enough_information'])}```")
    )
    assert [one.verdict for one in judged.predicted] == [YES, NO]
    assert [one.verdict for one in judged.reference] == [YES, OPEN]
    assert (judged.precision, judged.recall, judged.f1) == (0.5, 0.5, 0.5)
    assert not judged.counts_differ


def test_the_last_object_that_fits_counts_and_thoughts_do_not() -> None:
    first, last = own(["supported"], ["supported"]), own([], ["contradicted"])
    assert read_own(reply(f"{first} better: {last} {{}}")).recall == 0
    assert read_own(reply(f"{first} <think>{last}</think>")).recall == 1
    assert read_own(reply(f"{first} <think>{last}")).recall == 1
    assert read_own(reply(f"{last}</think>{first}")).recall == 1
    with pytest.raises(UnreadableReplyError):
        read_own(reply(f"<think> maybe {first} but no"))


def test_without_predicted_facts_the_record_counts() -> None:
    judged = read_own(reply(own([], ["supported", "contradicted"])))
    assert (judged.precision, judged.recall, judged.f1) == (0, 0.5, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (own(["x" * 5000], ["supported"]), "is none of the verdicts"),
        ("no object here", "no JSON object"),
        (own(["maybe"], ["supported"]), "'maybe' is none of the verdicts"),
        (own(["supported"], []), "no reference facts"),
        ('{"predicted": []}', "not as described"),
        ("[" * 5000, "no JSON object"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(UnreadableReplyError, match=message):
        read_own(reply(text))


def test_a_reply_that_was_cut_off_says_so() -> None:
    with pytest.raises(UnreadableReplyError, match="cut off"):
        read_own(reply('{"predicted": [', "length"))


@pytest.mark.parametrize("what", ["evidence", "questions"])
def test_the_official_form(what: str) -> None:
    judged = read_official(reply(json.dumps(official(what=what))))
    assert [one.verdict for one in judged.predicted] == [YES, OPEN, NO]
    assert [one.fact for one in judged.predicted] == ["Dogs bark.", "It was on May 3. Then cats meow.", "Fish sing."]
    assert judged.recall == 0.5
    assert judged.counts == WrittenCounts(3, 1, 2, 1)
    assert not judged.counts_differ


@pytest.mark.parametrize("written", [7, "7"])
def test_counts_that_the_judge_wrote_do_not_count_but_a_difference_is_known(written: object) -> None:
    judged = read_official(reply(json.dumps(official({"support reference evidence": written}))))
    assert judged.recall == 0.5
    assert judged.counts_differ


def test_underscores_in_keys_and_one_fact_without_a_number() -> None:
    answer = {key.replace(" ", "_"): value for key, value in official().items()}
    answer |= {"facts_in_reference_evidence": "Dogs bark.", "fact_check_reference_evidence": "It is supported."}
    judged = read_official(reply(json.dumps(answer)))
    assert judged.reference == [JudgedFact("Dogs bark.", YES)]


def test_items_without_periods() -> None:
    changes: dict[str, object] = {
        "facts in predicted evidence": "1. Dogs bark 2. Cats meow",
        "fact check predicted evidence": "1) SUPPORTED 2) CONTRADICTED",
    }
    judged = read_official(reply(json.dumps(official(changes))))
    assert judged.predicted == [JudgedFact("Dogs bark", YES), JudgedFact("Cats meow", NO)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fact check predicted evidence": "1. Supported."}, "3 facts of predicted evidence, but 1 verdicts"),
        ({"fact check reference evidence": ["Supported.", "Unclear."]}, "no verdict in 'Unclear.'"),
        ({"facts in reference evidence": "", "fact check reference evidence": ""}, "no reference facts"),
    ],
)
def test_an_official_answer_that_cannot_be_read(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UnreadableReplyError, match=message):
        read_official(reply(json.dumps(official(changes))))


@pytest.mark.parametrize(
    ("check", "verdict"),
    [
        ("No support found.", OPEN),
        ("This is not explicitly supported.", OPEN),
        ("The reference doesn't support this.", OPEN),
        ("It isn\u2019t supported.", OPEN),
        ("Neither supported nor contradicted.", OPEN),
        ("Supported. Nothing contradicts it.", YES),
        ("It is not about cats, but it is supported.", YES),
        ("The reference refutes it.", NO),
        ("**Supported**", YES),
    ],
)
def test_the_verdict_of_an_item_or_its_negation(check: str, verdict: FactVerdict) -> None:
    changes: dict[str, object] = {
        "facts in reference evidence": ["Dogs bark."],
        "fact check reference evidence": [check],
    }
    assert read_official(reply(json.dumps(official(changes)))).reference == [JudgedFact("Dogs bark.", verdict)]


@pytest.mark.parametrize(
    "facts", ["- Dogs bark.\n- Cats meow.", "Dogs bark.\nCats meow.", "**1.** Dogs bark.\n**2.** Cats meow."]
)
def test_items_on_lines(facts: str) -> None:
    changes: dict[str, object] = {
        "facts in reference evidence": facts,
        "fact check reference evidence": "- Supported.\n- Not enough information.",
    }
    judged = read_official(reply(json.dumps(official(changes))))
    assert judged.reference == [JudgedFact("Dogs bark.", YES), JudgedFact("Cats meow.", OPEN)]


@pytest.mark.parametrize("nothing", ["", "None", None, []])
def test_no_predicted_facts_in_the_official_form(nothing: object) -> None:
    changes = {"facts in predicted evidence": nothing, "fact check predicted evidence": nothing}
    judged = read_official(reply(json.dumps(official(changes))))
    assert (judged.predicted, judged.recall) == ([], 0.5)


def test_our_own_form_is_none_of_the_official_form() -> None:
    with pytest.raises(UnreadableReplyError, match="facts in predicted evidence"):
        read_official(reply(own(["supported"], ["supported"])))


def test_the_schema_accepts_what_is_read_and_nothing_else() -> None:
    import jsonschema

    jsonschema.validate(json.loads(own(["supported"], ["contradicted"])), json.loads(schema()))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(own(["maybe"], [])), json.loads(schema()))


def test_supported_facts_are_counted() -> None:
    assert supported([JudgedFact("a", YES), JudgedFact("b", OPEN), JudgedFact("c", YES)]) == 2
    assert Judged([], []).recall == 0
