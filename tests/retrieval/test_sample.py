"""The sample world keeps what its README promises."""

import re
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from src.knowledge_store import KnowledgeStore
from src.records import VERDICTS, Answer, AnswerType, Claim
from src.store import read_claims

CLAIM_TYPES = {
    "Event/Property Claim",
    "Numerical Claim",
    "Position Statement",
    "Quote Verification",
    "Causal Claim",
}
NO_ANSWER = "No answer could be found."


@pytest.fixture(scope="module")
def claims(sample: Path) -> list[Claim]:
    return read_claims(sample / "claims.json")


@pytest.fixture(scope="module")
def reference(sample: Path) -> list[Claim]:
    return read_claims(sample / "reference.json")


@pytest.fixture(scope="module")
def store(sample: Path) -> KnowledgeStore:
    return KnowledgeStore(sample / "knowledge_store")


def answers(claims: list[Claim]) -> list[tuple[Claim, Answer]]:
    pairs = [(claim, answer) for claim in claims for question in claim.questions for answer in question.answers]
    assert len(pairs) > len(claims) > 0
    return pairs


def words(text: str) -> str:
    """The text's words in lower case between single spaces, so that one text can be sought in another."""
    return " ".join(["", *re.findall(r"[^\W_]+", text.lower()), ""])


def day(claim: Claim) -> date:
    return datetime.strptime(claim.claim_date or "", "%d-%m-%Y").date()


def published(page: Path) -> date | None:
    match = re.search(r'article:published_time" content="([\d-]+)"', page.read_text(encoding="utf-8"))
    return date.fromisoformat(match[1]) if match else None


def test_three_claims_of_each_verdict(claims: list[Claim]) -> None:
    assert Counter(claim.label for claim in claims) == dict.fromkeys(VERDICTS, 3)


def test_the_first_claim_a_middle_one_and_the_last(claims: list[Claim]) -> None:
    assert claims[0].claim == "Unemployment in Kestrane doubled in Ilse Tarrant's first year as Prime Minister."
    assert (claims[5].label, claims[5].claim_date, claims[5].speaker) == ("Refuted", "17-6-2020", None)
    assert claims[11].questions[1].answers[0].answer_type is AnswerType.EXTRACTIVE


def test_all_types_of_claims_and_answers_occur(claims: list[Claim], reference: list[Claim]) -> None:
    for world in (claims, reference):
        assert {kind for claim in world for kind in claim.claim_types} == CLAIM_TYPES
        assert {answer.answer_type for _, answer in answers(world)} == set(AnswerType)
        assert any(len(question.answers) == 2 for claim in world for question in claim.questions)


def test_answers_have_the_shape_of_their_type(claims: list[Claim], reference: list[Claim]) -> None:
    for _, answer in answers(claims + reference):
        assert (answer.boolean_explanation is not None) == (answer.answer_type is AnswerType.BOOLEAN)
        assert (answer.answer == NO_ANSWER) == (answer.answer_type is AnswerType.UNANSWERABLE)
        assert (answer.source_url == "") == (answer.answer_type is AnswerType.UNANSWERABLE)
        assert (answer.source_medium == "PDF") == bool(answer.source_url and answer.source_url.endswith(".pdf"))


def test_the_reference_corpus_is_large_enough_and_about_other_claims(
    claims: list[Claim], reference: list[Claim]
) -> None:
    usable = [a for _, a in answers(reference) if a.answer_type is not AnswerType.UNANSWERABLE]
    assert len(reference) >= 15
    assert len(usable) >= 44
    assert not {claim.claim for claim in claims} & {claim.claim for claim in reference}
    assert not {a.source_url for _, a in answers(claims)} & {a.source_url for _, a in answers(reference)} - {""}


def test_at_least_eight_pages_a_claim_and_four_pdfs(sample: Path, claims: list[Claim]) -> None:
    for claim in claims:
        folder = sample / "pages" / str(claim.claim_id)
        assert len([*folder.glob("*.html"), *folder.glob("*.pdf")]) >= 8
    assert len(list(sample.glob("pages/*/*.pdf"))) >= 4


def test_one_page_was_not_reachable_and_two_leak(claims: list[Claim], store: KnowledgeStore) -> None:
    empty = [(c.claim_id, row) for c in claims for row, page in enumerate(store[c.claim_id]) if not page.url2text]
    assert empty == [(0, 7), (6, 5), (9, 5)]


def test_gold_pages_are_among_the_pages_of_the_claim(claims: list[Claim], store: KnowledgeStore) -> None:
    for claim, answer in answers(claims):
        assert answer.source_url in {"", *(page.url for page in store[claim.claim_id])}


def test_extractive_answers_stand_in_their_page(claims: list[Claim], store: KnowledgeStore) -> None:
    for claim, answer in answers(claims):
        if answer.answer_type is AnswerType.EXTRACTIVE:
            (page,) = [page for page in store[claim.claim_id] if page.url == answer.source_url]
            assert words(answer.answer) in words(" ".join(page.url2text))


def test_queries_of_type_question_are_gold_questions(claims: list[Claim], store: KnowledgeStore) -> None:
    for claim in claims:
        queries = {page.query for page in store[claim.claim_id] if page.type == "question"}
        assert queries <= {question.question for question in claim.questions}


def test_only_one_claim_finds_its_own_fact_checking_article(claims: list[Claim], store: KnowledgeStore) -> None:
    rows = [
        (claim.claim_id, row)
        for claim in claims
        for row, page in enumerate(store[claim.claim_id])
        if page.url == claim.fact_checking_article
    ]
    assert rows == [(0, 7)]


def test_only_one_page_is_later_than_its_claim(sample: Path, claims: list[Claim]) -> None:
    later = []
    for claim in claims:
        for page in sorted((sample / "pages" / str(claim.claim_id)).glob("*.html")):
            dated = published(page)
            assert dated is not None
            if dated > day(claim):
                later.append((claim.claim_id, page.name))
    assert later == [(9, "05.html")]


def test_every_address_is_on_a_reserved_name(sample: Path) -> None:
    for file in [*sample.glob("*.json"), *sample.glob("pages/*/*.html"), *sample.glob("urls/*.tsv")]:
        for url in re.findall(r"https?://[^\s\"<>]+", file.read_text(encoding="utf-8")):
            assert (urlsplit(url).hostname or "").endswith((".example", ".test")), url


def test_the_sample_stays_small(sample: Path) -> None:
    assert sum(file.stat().st_size for file in sample.rglob("*") if file.is_file()) < 1_500_000
