"""Records have the field names of the published files."""

import msgspec

from src.records import VERDICTS, CandidateQA, CandidateQuestions, Claim, Document, Prediction, QAPair, Verdict
from src.store import encode_line


def test_verdicts_stand_in_the_order_of_the_published_class_ids() -> None:
    assert [verdict.value for verdict in VERDICTS] == [
        "Supported",
        "Refuted",
        "Not Enough Evidence",
        "Conflicting Evidence/Cherrypicking",
    ]


def test_candidates_are_triples_in_the_published_line() -> None:
    candidates = CandidateQuestions(0, "Œuf?", [CandidateQA("Who?", "He.", "https://a.example/")])
    line = '{"claim_id": 0, "claim": "Œuf?", "bm25_qau": [["Who?", "He.", "https://a.example/"]]}\n'
    assert encode_line(candidates) == line.encode()


def test_a_prediction_leaves_out_what_it_has_not() -> None:
    prediction = Prediction(3, "c", [QAPair("q?", "a", "u")], Verdict.REFUTED)
    evidence = b'[{"question": "q?", "answer": "a", "url": "u"}]'
    assert encode_line(prediction) == (
        b'{"claim_id": 3, "claim": "c", "evidence": ' + evidence + b', "pred_label": "Refuted"}\n'
    )


def test_unknown_fields_are_ignored_and_null_is_the_default() -> None:
    claim = msgspec.json.decode(b'{"claim": "c", "speaker": null, "later": {"x": [1]}}', type=Claim)
    assert (claim.speaker, claim.claim_id, claim.questions) == (None, -1, [])


def test_a_page_of_a_store_needs_its_url_and_text_only() -> None:
    page = msgspec.json.decode(b'{"url": "u", "url2text": []}', type=Document)
    assert (page.claim_id, page.url, page.url2text) == ("", "u", [])
