"""The queries of a claim, and the questions that a model adds."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.errors import ModelError
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.records import Claim
from src.retrieval.claim_search import (
    KINDS,
    QUESTION,
    ROLE,
    ClaimQuery,
    claim_queries,
    content_words,
    read_questions,
    write_questions,
)
from src.retrieval.url_rows import read_url_rows
from src.store import read_claims


def test_the_queries_of_the_sample_are_those_of_its_url_files(sample: Path) -> None:
    compared = 0
    for claim in read_claims(sample / "claims.json"):
        queries = {kind: claim_queries(claim, [kind])[0].text for kind in KINDS}
        for row in read_url_rows(sample / "urls" / f"{claim.claim_id}.tsv"):
            if row.type in queries:
                assert row.query == queries[row.type]
                compared += 1
    assert compared > 30


def test_the_three_kinds_in_their_order_then_questions() -> None:
    claim = Claim("The Mayor said: \u201cwe\u2019d build  the tram\u201d.\n", speaker=" Anselm Drury")
    assert claim_queries(claim, KINDS, ["Who builds trams?"]) == [
        ClaimQuery("claim+author", "Anselm Drury Mayor build tram"),
        ClaimQuery("claim", "Mayor build tram"),
        ClaimQuery("claim-noformat", "The Mayor said: \u201cwe\u2019d build the tram\u201d."),
        ClaimQuery(QUESTION, "Who builds trams?"),
    ]
    assert [query.type for query in claim_queries(claim, ["claim-noformat", "claim"])] == ["claim-noformat", "claim"]
    assert claim_queries(claim, [], ["Who?", "Who?"]) == [ClaimQuery(QUESTION, "Who?")]


@pytest.mark.parametrize("speaker", [None, "", "  "])
def test_equal_queries_are_made_once(speaker: str | None) -> None:
    queries = claim_queries(Claim("Drury backs trams", speaker=speaker), KINDS)
    assert queries == [ClaimQuery("claim+author", "Drury backs trams")]


def test_no_words_no_queries() -> None:
    assert claim_queries(Claim("  \n"), KINDS) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The US says that WHO and the IT firm told us it isn't so.", "US WHO IT firm told"),
        ("Joe Biden's plan wouldn't cost $1,234.50 (75%)!", "Joe Biden plan cost $1,234.50 75%"),
        ("\u00abC\u2019est la vie\u00bb \u2013 it was", "C'est la vie"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940!", "\u0939\u093f\u0928\u094d\u0926\u0940"),
        ("It is what it is.", "It is what it is."),
        ("...", "..."),
    ],
)  # fmt: skip
def test_content_words(text: str, words: str) -> None:
    assert content_words(text) == words


@given(st.text(min_size=1).filter(str.strip))
def test_every_claim_has_words_on_one_line(text: str) -> None:
    for query in claim_queries(Claim(text), KINDS):
        assert query.text == " ".join(query.text.split()) != ""


@pytest.mark.parametrize(
    ("answer", "questions", "unusable"),
    [
        ("1. Who said it?\n2) When was it said?\n", ["Who said it?", "When was it said?"], 0),
        ('- "Who said it?"\n* **Where was it?**', ["Who said it?", "Where was it?"], 0),
        ("Q1: Who said it?\nWho said it?", ["Who said it?"], 0),
        ("Here are some questions:\n\nWho said it?\nI hope this helps.", ["Who said it?"], 2),
        ("?\nWhy?\n2020 was when?", ["2020 was when?"], 2),
        ("", [], 0),
        ("no idea", [], 1),
    ],
)
def test_questions_are_read_from_lines(answer: str, questions: list[str], unusable: int) -> None:
    assert read_questions(answer) == (questions, unusable)


def test_a_model_writes_questions() -> None:
    model = ScriptedModel([ScriptLine(ROLE, "Who said it?\nWhen was it?\nWhere was it?\nSure!")])
    claim = Claim("Trams are $5 each.", speaker="Anselm Drury", claim_date="3-10-2020")
    questions = write_questions(model, claim, 2)
    assert questions.texts == ["Who said it?", "When was it?"]
    assert (questions.unusable, questions.counts()["questions"], questions.new_tokens) == (1, 2, 10)
    (request,) = model.asked
    assert request.chat
    for shown in ("Write 2 short questions", "Claim: Trams are $5 each.", "Speaker: Anselm Drury", "Date: 3-10-2020"):
        assert shown in request.prompt
    with pytest.raises(ModelError):
        write_questions(model, claim, 2)
