"""Indexing of a corpus, killed at random moments: the finished index gives the same results."""

import gzip
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from src.records import Paragraph
from src.reranking.corpus import nearest
from src.reranking.corpus.corpus import Corpus, CorpusHit
from src.store import encode_lines
from tests.word_encoder import WordEncoder

KILLS = 25
SHARD = 300
OPEN = f"""
import sys
from pathlib import Path
from src.reranking.corpus import nearest
from src.reranking.corpus.corpus import Corpus
from tests.word_encoder import WordEncoder
nearest.SHARD = {SHARD}
print("begins", flush=True)
Corpus.open(Path(sys.argv[1]), encoder=WordEncoder())
"""

pytestmark = pytest.mark.slow


def opening(path: Path, project_root: Path) -> subprocess.Popen[bytes]:
    """Start a process that opens a corpus, and return it as soon as its packages are loaded."""
    process = subprocess.Popen([sys.executable, "-c", OPEN, path], cwd=project_root, stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    return process


def hits(path: Path) -> list[list[CorpusHit]]:
    corpus = Corpus.open(path, encoder=WordEncoder())
    return [*corpus.bm25(["word7 word23"], 20), *corpus.hybrid(["word7 word23"], 20)]


def test_killed_at_random_moments(tmp_path: Path, project_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "SHARD", SHARD)
    drawn = random.Random(0)
    texts = [" ".join(f"word{drawn.randrange(200)}" for _ in range(30)) for _ in range(4000)]
    path = tmp_path / "paragraphs.jsonl.gz"
    lines = encode_lines(Paragraph(f"title {number}", text) for number, text in enumerate(texts))
    path.write_bytes(gzip.compress(lines))
    expected = hits(path)
    whole = {file.relative_to(tmp_path): file.read_bytes() for file in files(tmp_path)}
    began, reached = time.monotonic(), set[int]()
    for _ in range(KILLS):
        for file in drawn.sample(files(path.with_name(f"{path.name}.index")), k=3):
            file.unlink()
        process = opening(path, project_root)
        time.sleep(drawn.random() * 0.5)
        process.kill()
        process.communicate()
        reached.add(len(files(tmp_path)))
        if drawn.random() < 0.3:
            assert hits(path) == expected
    assert hits(path) == expected
    assert {file.relative_to(tmp_path): file.read_bytes() for file in files(tmp_path)} == whole
    assert len(reached) > 3, f"{KILLS} kills in {time.monotonic() - began:.0f} s fell on the same places"


def files(folder: Path) -> list[Path]:
    """Return the files of the index, without temporary files of a killed run, which the next run overwrites."""
    return sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
