"""Readers of claims: layouts of HOVER and FEVEROUS-S, gold passages of each data set, claims by their own ids."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from src.claims import passed_over, read_claim_texts, read_gold_passages, read_labelled_claims, with_keys, without_links
from src.errors import InputError
from src.programs.program_files import read_programs
from src.records import Sentence, Value


def written(path: Path, *lines: Mapping[str, object]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_feverous(tmp_path: Path) -> None:
    evidence = "Ada Moor\tShe was born in [[Lund,_Sweden|Lund]].\nLund\tA town.\nAda Moor\tShe [[sang]]."
    path = written(tmp_path / "f.json", {"id": 7, "claim": "A.", "label": "refutes", "evidence": evidence})
    (claim,) = read_labelled_claims(path)
    assert (claim.claim_id, claim.key, claim.value, claim.hops) == (0, "7", Value.FALSE, None)
    assert claim.gold == (
        Sentence("She was born in Lund.", "Ada Moor"), Sentence("A town.", "Lund"), Sentence("She sang.", "Ada Moor"),
    )  # fmt: skip
    assert claim.titles == ("Ada Moor", "Lund")


def test_hover(tmp_path: Path) -> None:
    facts = [["Lund", 0], ["Ada Moor", 2], ["Lund", 3]]
    release = {"uid": "x-1", "claim": "A.", "label": "NOT_SUPPORTED", "num_hops": 3, "supporting_facts": facts}
    with_text = {"id": "x-2", "claim": "B.", "label": "supports", "num_hops": 2, "supporting_facts": facts,
                 "evidence": "Lund is a town.\nAda Moor sang.", "gpt35_negated_claim": "Not B."}  # fmt: skip
    one, other = read_labelled_claims(written(tmp_path / "h.jsonl", release, with_text))
    assert (one.key, one.value, one.hops, one.titles, one.gold) == ("x-1", Value.FALSE, 3, ("Lund", "Ada Moor"), ())
    assert (other.claim_id, other.key, other.value, other.negated) == (1, "x-2", Value.TRUE, "Not B.")
    assert other.gold == (Sentence("Lund is a town.", ""), Sentence("Ada Moor sang.", ""))


def test_a_claim_has_one_number_for_every_reader(tmp_path: Path) -> None:
    lines = [{"claim": "A.", "label": "supports", "evidence": "Snow."} | more for more in ({"claim_id": 7}, {})]
    path = written(tmp_path / "c.jsonl", *lines)
    assert [(one.claim_id, one.key) for one in read_labelled_claims(path)] == [(7, "7"), (1, "1")]
    assert [(one.claim_id, one.key) for one in read_claim_texts(path)] == [(7, "7"), (1, "1")]
    assert list(read_gold_passages(path, {7: "A.", 1: "A."})) == [7, 1]
    written(path, lines[0], lines[0])
    with pytest.raises(InputError, match="line 2, field claim_id: claim_id 7 is already on line 1"):
        read_labelled_claims(path)


def test_another_label_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "f.json", {"claim": "A.", "label": "true"}, {"claim": "A.", "label": "maybe"})
    with pytest.raises(InputError, match="line 1, field label: 'true' is none of"):
        read_labelled_claims(path)
    with pytest.raises(InputError, match="not found"):
        read_labelled_claims(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("[[a|b]] c", "b c"), ("[[a]]", "a"), ("[[a|]] c", " c"), ("[[a", "[[a"), ("a]] [[b|c", "a]] [[b|c"), ("", "")],
)
def test_links_are_what_they_show(text: str, shown: str) -> None:
    assert without_links(text) == shown


def test_claims_by_their_own_ids(tmp_path: Path) -> None:
    path = written(tmp_path / "c.jsonl", *({"id": f"k{number}", "claim": f"{number}."} for number in range(4)))
    ids = tmp_path / "ids.txt"
    ids.write_text("k2\nother\nk0\n")
    assert [(one.claim_id, one.key) for one in with_keys(read_claim_texts(path), ids)] == [(0, "k0"), (2, "k2")]
    assert len(with_keys(read_claim_texts(path), None)) == 4
    note = f"{ids}: 1 of its ids are those of no claim here, such as other"
    assert passed_over(read_claim_texts(path), ids) == [note]
    ids.write_text("k2\n\nk0")
    assert passed_over(read_claim_texts(path), ids) == passed_over(read_claim_texts(path), None) == []
    ids.write_text("k\n")
    with pytest.raises(InputError, match="none of its ids"):
        with_keys(read_claim_texts(path), ids)


@pytest.mark.parametrize("read", [read_claim_texts, read_labelled_claims, read_programs])
def test_an_empty_claim_is_refused(read: Callable[[Path], object], tmp_path: Path) -> None:
    lines = [{"claim": claim, "label": "supports", "programs": [""]} for claim in ("Eels fly.", " \n")]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(InputError, match="line 2, field claim: is empty"):
        read(tmp_path / "c.jsonl")


def test_gold_passages_of_each_data_set(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    answers = [
        {"answer": "Ann", "answer_type": "Extractive", "source_url": "https://a.example"},
        {"answer": "No", "answer_type": "Boolean", "boolean_explanation": "She left."},
        {"answer": "No answer could be found.", "answer_type": "Unanswerable"},
    ]
    lines = [
        {"claim": "A.", "evidence": "Lund\tA [[Town|town]].\nIt rained."},
        {"claim": "B.", "questions": [{"question": "Who sang? ", "answers": answers}]},
        {"claim": "C.", "claim_id": 9},
    ]
    path.write_text(json.dumps(lines), "utf-8")
    claims = {0: "A.", 1: " b. "}
    assert read_gold_passages(path, claims) == {
        0: [Sentence("A town.", "Lund"), Sentence("It rained.", "")],
        1: [Sentence("Who sang? Ann", "https://a.example"), Sentence("Who sang? No. She left.", "")],
    }
    assert read_gold_passages(path, {0: "A.", 9: "C."})[9] == []


@pytest.mark.parametrize(
    ("claims", "message"),
    [({0: "A."}, ""), ({0: "B."}, "line 1, field claim: is not claim 0 of the programs"), ({7: "A."}, "no claim 7"),
     ({1: "B."}, "none of the claims has gold evidence here")],
)  # fmt: skip
def test_gold_evidence_of_other_claims_is_refused(tmp_path: Path, claims: dict[int, str], message: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"claim": "A.", "evidence": "It rained."}\n{"claim": "B."}\n')
    if not message:
        assert len(read_gold_passages(path, claims)) == 1
        return
    with pytest.raises(InputError, match=message):
        read_gold_passages(path, claims)


def test_a_repeated_claim_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text('{"claim": "A.", "claim_id": 1, "evidence": "It rained."}\n{"claim": "A.", "evidence": "Snow."}\n')
    with pytest.raises(InputError, match="line 2, field claim_id: claim_id 1 is already on line 1"):
        read_gold_passages(path, {1: "A."})
