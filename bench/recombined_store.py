"""Stores of any size made of the real one's sentences: heads and tails of two, put together by a seeded generator.

The vocabulary of text grows with about the 0.6th power of its length, and heads and tails bring no new chunks. So some
sentences get one chunk more, itself the head and tail of two, until the store has as many distinct chunks as it should.

Limitations: what follows what is not language; nothing is said here about what retrieval finds.
"""

import random
from pathlib import Path

from src.atomic_file import write_whole
from src.knowledge_store import KnowledgeStore
from src.records import Document
from src.store import encode_lines, read_records

GROWTH = 0.6  # Heaps' exponent for English news, about
PAGE = 50  # sentences


def real_sentences(averitec: Path) -> list[str]:
    """Return every sentence of AVeriTeC's dev store that is installed, without repetitions."""
    store = KnowledgeStore(averitec / "knowledge_store" / "dev")
    pages = [page for claim_id in range(500) for page in store[claim_id]]
    pages += read_records(averitec / "knowledge_store" / "dev_unattributed.jsonl.gz", Document)
    return list(dict.fromkeys(text for page in pages for text in page.url2text))


def write_store(path: Path, real: list[str], size: int, seed: int = 0) -> None:
    """Write a claim's file with `size` sentences."""
    sentences = recombined(real, size, seed)
    pages = [Document(url=f"https://{place}.example/", url2text=sentences[place : place + PAGE])
             for place in range(0, size, PAGE)]  # fmt: skip
    write_whole(path, encode_lines(pages))


def recombined(real: list[str], size: int, seed: int) -> list[str]:
    """Return as many sentences as requested, about as long as the real ones."""
    chance = random.Random(seed)
    cut = [text.split(" ") for text in real]
    chunks = list(dict.fromkeys(chunk for text in cut for chunk in text))
    missing = len(chunks) * (size / len(real)) ** GROWTH - len(chunks)
    made = []
    for _ in range(size):
        one, other = chance.choice(cut), chance.choice(cut)
        text = one[: chance.randint(0, len(one))] + other[chance.randint(0, len(other)) :]
        if chance.random() < missing / size:
            text.insert(chance.randint(0, len(text)), _new(chance.choice(chunks), chance.choice(chunks)))
        made.append(" ".join(text))
    return made


def _new(one: str, other: str) -> str:
    return one[: (len(one) + 1) // 2] + other[len(other) // 2 :]
