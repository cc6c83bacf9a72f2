"""Which texts are surely not English."""

import json
from pathlib import Path

import pytest

from src.language import other_language
from src.store import read_claims


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Das Wasser der Bucht wurde rot, weil eine Fabrik undicht war.", "German"),
        ("Aale schwimmen in die Sargassosee.", "German"),
        ("Le ministre a baissé les impôts de dix pour cent.", "French"),
        ("El ministro bajó los impuestos un diez por ciento.", "Spanish"),
        ("Il ministro ha abbassato le tasse del dieci per cento.", "Italian"),
        ("Palingen zwemmen naar de zee.", "Dutch"),
        ("Minister obniżył podatki o dziesięć procent.", "Polish"),
        ("Министр снизил налоги на десять процентов.", "Russian"),
        ("部长将税收降低了百分之十。", "Chinese"),
        ("大臣は税金を10パーセント引き下げた。", "Japanese"),
        ("As vacinas causam autismo.", "another language"),
    ],
)
def test_other_languages(text: str, language: str) -> None:
    assert other_language(text) == language


@pytest.mark.parametrize(
    "text",
    ["Eels swim to the Sargasso Sea.", "", "1 + 1 = 2", "Nigeria has 69 research labs",
     "Hydroxychloroquine cures Covid-19.",
     "Joe Biden abandoned Scranton Pennsylvania.", "Angela Merkel"],
)  # fmt: skip
def test_english(text: str) -> None:
    assert other_language(text) == ""


def test_claims_of_the_invented_world_are_english(project_root: Path) -> None:
    for name in ("everyday", "sample"):
        claims = read_claims(project_root / "data_store" / name / "claims.json")
        assert {claim.claim: other_language(claim.claim) for claim in claims[:40]} == {
            claim.claim: "" for claim in claims[:40]
        }


def test_claims_of_averitec_are_english(shared_data: Path) -> None:
    claims = json.loads((shared_data / "averitec" / "dev.json").read_bytes())
    assert [claim["claim"] for claim in claims[::10] if other_language(claim["claim"])] == []
