"""What annotators are shown, in which order, and which explanations are one text."""

from src.explanation.annotation.ratings import shown
from src.explanation.annotation.study import study, texts
from tests.explanation.annotation.explained import EVIDENCE, MARKUP, explained

TEXT = "Eels swim. Nils saw them."
NAMES = ["zero_shot", "cot", "madr"]


def test_what_is_shown_has_sentences_with_cites_and_numbered_evidence() -> None:
    found = shown(explained(3, TEXT, [[2, 9], []]))
    assert [(one.text, one.cites) for one in found.sentences] == [("Eels swim.", [2]), ("Nils saw them.", [])]
    assert [(one.number, one.question, one.text) for one in found.evidence] == [
        (1, EVIDENCE[0].question, EVIDENCE[0].answer), (2, EVIDENCE[1].question, MARKUP),
    ]  # fmt: skip
    assert [one.cites for one in shown(explained(3, TEXT)).sentences] == [[], []]


def test_any_change_of_what_is_shown_is_another_text() -> None:
    claim = explained(3, TEXT, [[1], []])
    first = shown(claim).text
    assert (first, first.sentences) == (shown(explained(3, TEXT, [[1], []])).text, 2)
    others = [explained(4, TEXT, [[1], []]), explained(3, TEXT), explained(3, TEXT.replace("saw", "met"), [[1], []])]
    fewer = explained(3, TEXT, [[1], []])
    fewer.evidence = EVIDENCE[:1]
    assert first not in {shown(one).text for one in (*others, fewer)}


def test_claims_come_in_order_and_methods_in_one_that_is_drawn() -> None:
    claims = [[explained(n, f"{name} says {n}.") for n in range(20)] for name in NAMES]
    found = study(NAMES, claims, seed=1)
    orders = {name: [task.methods[0] for task in found.order(name)] for name in ("ann", "bob")}
    assert [task.shown.claim_id for task in found.order("ann")] == [n for n in range(20) for _ in NAMES]
    assert all(set(orders["ann"][at : at + 3]) == set(NAMES) for at in range(0, 60, 3))
    assert {orders["ann"][at] for at in range(0, 60, 3)} == set(NAMES)
    assert orders["ann"] != orders["bob"]
    assert found.order("ann") == study(NAMES, claims, seed=1).order("ann") != study(NAMES, claims, seed=2).order("ann")


def test_a_text_of_several_methods_is_rated_once() -> None:
    claims = [[explained(0, TEXT)], [explained(0, "Eels fly.")], [explained(0, TEXT)]]
    tasks = study(NAMES, claims, 0).order("ann")
    assert sorted(task.methods for task in tasks) == [("cot",), ("zero_shot", "madr")]
    known = texts(NAMES, claims)
    assert known["zero_shot", 0] == known["madr", 0] != known["cot", 0]
