"""Long tests of the scraper: a hundred kills, twenty thousand pages, five hundred claims by its script."""

import random
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from bench.soak import soak
from src.knowledge_store import KnowledgeStore
from src.retrieval import scraper_for_knowledge_store as step
from src.retrieval.scraping.scraper import STEP
from src.retrieval.url_rows import encode_url_rows, read_url_rows
from src.runner.journal import progress_path
from tests.retrieval.archive import archive
from tests.runner.killing import finish, kill_after, start

pytestmark = pytest.mark.slow

CLAIMS = range(12)


def test_a_hundred_kills(tmp_path: Path, sample: Path, project_root: Path) -> None:
    dice, killed = random.Random(0), 0
    expected = {claim_id: (sample / "knowledge_store" / f"{claim_id}.json").read_bytes() for claim_id in CLAIMS}
    with archive(sample, seconds=0.02) as address:
        while killed < 100:
            store = tmp_path / f"store-{killed}"
            flags = ["-i", str(sample / "urls"), "-o", str(store), "--via", address, "--allow_private", "--quiet"]
            flags += ["--claim_file", str(sample / "claims.json"), "--workers", "1"]
            flags += ["--concurrency", str(dice.choice([1, 4, 64])), "--keep_pages", str(store / "pages")]
            for claim_id in sorted(dice.sample(CLAIMS, 10)):
                process = start(STEP, flags, project_root)
                killed += kill_after(process, progress_path(store / f"{claim_id}.json"), dice.randint(1, 9))
            assert finish(start(STEP, flags, project_root)) == (0, "", "")
            assert {claim_id: (store / f"{claim_id}.json").read_bytes() for claim_id in CLAIMS} == expected
            assert not list(store.glob("*.progress"))
            shutil.rmtree(store)


def test_twenty_thousand_pages(tmp_path: Path, sample: Path) -> None:
    result = soak(tmp_path, sorted(sample.glob("pages/*/*.html")), claims=40, urls=500)
    first, second = result.first_half, result.second_half
    assert second.files <= first.files + 40
    assert second.scraper < first.scraper + 50e6
    assert second.scraper + second.workers < 1e9


def test_five_hundred_claims_by_the_script(tmp_path: Path, sample: Path, project_root: Path) -> None:
    root = tmp_path / "project"
    shutil.copytree(project_root / "script", root / "script")
    for name in ("src", ".venv"):
        (root / name).symlink_to(project_root / name)
    urls = root / "data_store" / "world_store"
    urls.mkdir(parents=True)
    for claim_id in range(500):  # each has addresses of its own, told apart by what the archive does not look at
        rows = read_url_rows(sample / "urls" / f"{claim_id % 12}.tsv")
        own = [msgspec.structs.replace(row, url=f"{row.url}#{claim_id}") for row in rows]
        (urls / f"{claim_id}.tsv").write_bytes(encode_url_rows(own))
    pages = ["--from_pages", str(sample / "pages"), "--quiet"]
    assert step.main(["-i", str(sample / "urls"), "-o", str(tmp_path / "whole"), *pages]) == 0
    with archive(sample) as address:
        command = ["bash", "script/scraper.sh", "world", "0", "500", "--via", address, "--allow_private"]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    store = KnowledgeStore(root / "data_store" / "knowledge_store" / "world")
    whole = KnowledgeStore(tmp_path / "whole")
    assert len(store) == 500
    for claim_id in range(500):
        texts = [document.url2text for document in store[claim_id]]
        assert texts == [document.url2text for document in whole[claim_id % 12]]
