"""The stores of held-out claims: which pages are in them."""

from pathlib import Path

from bench.check.gold_stores import measured_claims, write_gold_stores
from src.knowledge_store import KnowledgeStore
from src.records import Answer, AnswerType, Claim, Question, Verdict
from src.training.split import is_held_out, is_measured
from tests.training.small_claims import claims as small_claims


def claim(number: int, animal: str, url: str, answer: str) -> Claim:
    question = Question(f"Where does the {animal} swim?", [Answer(answer, AnswerType.EXTRACTIVE, url)])
    nothing = Question("Who says so?", [Answer("No answer could be found.", AnswerType.UNANSWERABLE)])
    return Claim(f"The {animal} crosses {animal} sea.", number, Verdict.SUPPORTED, questions=[question, nothing])


EEL = claim(3, "eel", "https://a.example/", "The eel swims in the Ansel. It swims at night.")
CARP = claim(4, "carp", "https://a.example/", "The carp swims in the pond of Tarn.")
OTTER = claim(5, "otter", "", "Yes.")


def test_a_store_has_gold_pages_with_what_others_quote_from_them_and_similar_claims_pages(tmp_path: Path) -> None:
    everyone = [EEL, CARP, OTTER]
    write_gold_stores(tmp_path, [EEL, OTTER], everyone)
    store = KnowledgeStore(tmp_path)
    pages = {page.url: page.url2text for page in store[3] if "posts.example" not in page.url}
    assert pages["https://a.example/"] == [
        "The eel swims in the Ansel.",
        "It swims at night.",
        "The carp swims in the pond of Tarn.",
    ]
    own = {page.url: page.url2text for page in store[5]}
    assert " ".join(own["https://pages.example/5/0"]) == "Where does the otter swim? Yes."
    assert not any("No answer" in text for page in store[5] for text in page.url2text)
    assert not (tmp_path / "4.json").exists()


def test_the_same_claims_give_the_same_stores(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write_gold_stores(tmp_path / name, [EEL, CARP], [EEL, CARP, OTTER])
    assert (tmp_path / "one/3.json").read_bytes() == (tmp_path / "other/3.json").read_bytes()


def test_claims_are_those_that_no_model_is_trained_on() -> None:
    everyone = small_claims(200)
    claims = measured_claims(everyone, [])
    assert claims
    for claim in everyone:
        assert (claim in claims) is (is_held_out(claim.claim) and is_measured(claim.claim)), claim.claim


def test_claims_of_the_other_split_and_those_without_a_label_are_left_out() -> None:
    one, *others = measured_claims(small_claims(200), [])
    elsewhere = Claim(f" {one.claim.upper()}", 0)
    everyone = small_claims(200)
    everyone[others[0].claim_id].label = None
    assert measured_claims(everyone, [elsewhere]) == others[1:]
