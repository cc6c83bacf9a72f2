"""Runs of the search step over three small claims, and what they leave."""

import json
from pathlib import Path
from typing import Any

from src.retrieval.search import main
from src.runner.manifest import Manifest, read_manifest
from tests.retrieval.providers.speaking import Engine

ARTICLE = "https://web.archive.org/web/20201130144023/https://checker.example/no-such-letter/"
CLAIMS: list[dict[str, Any]] = [
    {"claim": "Trams are free.", "speaker": "Ann", "claim_date": "31-10-2020", "location_ISO_code": "IN",
     "fact_checking_article": ARTICLE},
    {"claim": "Water is dry.", "speaker": None, "claim_date": None, "fact_checking_article": None},
    {"claim": "Bread doubled.", "speaker": "Bo", "claim_date": "1-2-2020", "location_ISO_code": "GB",
     "fact_checking_article": "https://checker.example/bread"},
]  # fmt: skip
URLS = ["https://a.example/1", "http://www.checker.example/no-such-letter", "https://b.example/2", "ftp://c.example/3"]


def write_claims(path: Path, claims: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps(claims), encoding="utf-8")
    return path


def run(claim_file: Path, engine: Engine, *more: str) -> int:
    provider = f"google@{engine.server.url_for('')}"
    store = str(claim_file.parent / "store")
    return main(["--claim_file", str(claim_file), "-o", store, "--provider", provider, "--timeout", "5", *more])


def out(claim_file: Path, name: str) -> Path:
    return claim_file.parent / "store" / name


def manifest(claim_file: Path, claim_id: int) -> Manifest:
    record = read_manifest(out(claim_file, f"{claim_id}.tsv"))
    assert record is not None
    return record


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
