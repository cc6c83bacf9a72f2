"""All sentences that there are, whose claim's file they stand in, and what may not be shown to a claim.

The sample of AVeriTeC's knowledge store holds the sentences that published systems retrieved, in the order of their
rankings, which is why nobody gets to see them in that order (`pools.py`).

A sentence of a page is one sentence, in however many claims' files it stands; the same words on another page are
another one. Sentences whose page is unknown have the URL "".
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from bench.retrieval.shortened import shortened
from src.canonical_url import page_addresses
from src.knowledge_store import KnowledgeStore
from src.prediction.prediction_files import read_guesses
from src.records import Claim, Document, QAPair, Sentence
from src.retrieval.leakage import Leakage, read_leakage
from src.store import read_claims, read_records

_ROOT = Path(__file__).resolve().parents[2]
_AVERITEC = Path(os.environ.get("FACTCHECK_SHARED", _ROOT.parent / "shared" / "data")) / "averitec"


class Corpus(msgspec.Struct):
    """`files` and `unattributed` number the sentences of a claim's file and those whose page is unknown.

    `refused` numbers all sentences of a claim's fact-checking article, in whichever file they stand; the files do not
    hold them. `hero` are the ten sentences that HerO published for a claim, where it did.
    """

    claims: list[Claim]
    sentences: list[Sentence] = []
    files: dict[int, list[int]] = {}
    unattributed: dict[int, list[int]] = {}
    refused: dict[int, frozenset[int]] = {}
    hero: dict[int, list[Sentence]] = {}

    def own(self, claim_id: int) -> list[int]:
        return [*self.files.get(claim_id, []), *self.unattributed.get(claim_id, [])]


def read_split(split: str) -> Corpus:
    """One of `SPLITS`, from AVeriTeC's files beside the project. Raises InputError, StoreError."""
    return _READ[split](_AVERITEC)


class _Ten(msgspec.Struct):
    claim_id: int
    top_10: list[Sentence]


def read_dev(averitec: Path) -> Corpus:
    """The dev claims with the sample of the store and the sentences without page. Raises InputError, StoreError."""
    claims = read_claims(averitec / "dev.json")
    folder = averitec / "knowledge_store"
    store = KnowledgeStore(folder / "dev")
    files = {claim.claim_id: store.sentences(claim.claim_id) for claim in claims}
    pages = read_records(folder / "dev_unattributed.jsonl.gz", Document)
    unattributed = {int(page.claim_id): [Sentence(text, "") for text in page.url2text] for page in pages}
    leakage = read_leakage(averitec / "dev.json", None)
    tens = read_records(averitec / "peers" / "hero_dev_reranking_top_k.jsonl.gz", _Ten)
    return collect(claims, files, unattributed, leakage, {ten.claim_id: ten.top_10 for ten in tens})


def read_train(averitec: Path) -> Corpus:
    """The first 1,000 train claims with ten retrieved sentences each, whose pages are unknown.

    Claims whose text stands also in dev are left out, with their sentences.
    """
    dev = {claim.claim for claim in read_claims(averitec / "dev.json")}
    guesses = read_guesses(averitec / "peers" / "eibakke_baseline_train1000.csv.gz")
    pairs = {guess.claim_id: [pair for pair in guess.evidence if isinstance(pair, QAPair)] for guess in guesses}
    known = [claim for claim in read_claims(averitec / "train.json") if claim.claim_id in pairs]
    claims = [claim for claim in known if claim.claim not in dev]
    files = {claim.claim_id: [Sentence(pair.answer.strip(), "") for pair in pairs[claim.claim_id]] for claim in claims}
    return collect(claims, files, {}, Leakage())


def read_train_short(averitec: Path) -> Corpus:
    """The same with short sentences among them, which real stores have and these do not: most are cut in two."""
    train = read_train(averitec)
    files = {claim_id: [train.sentences[number] for number in numbers] for claim_id, numbers in train.files.items()}
    cut = {claim_id: [part for one in file for part in shortened(one)] for claim_id, file in files.items()}
    return collect(train.claims, cut, {}, Leakage())


_READ = {"dev": read_dev, "train": read_train, "train_short": read_train_short}
SPLITS = tuple(_READ)


def collect(
    claims: Sequence[Claim],
    files: dict[int, list[Sentence]],
    unattributed: dict[int, list[Sentence]],
    leakage: Leakage,
    hero: dict[int, list[Sentence]] | None = None,
) -> Corpus:
    """Numbers the sentences and leaves each claim's fact-checking article out of what belongs to it."""
    numbers: dict[tuple[str, str], int] = {}
    corpus = Corpus(claims=list(claims))
    for claim_id, sentences in files.items():
        corpus.files[claim_id] = _numbered(sentences, numbers)
    for claim_id, sentences in unattributed.items():
        corpus.unattributed[claim_id] = _numbered(sentences, numbers)
    corpus.sentences = [Sentence(*pair) for pair in numbers]
    corpus.refused = _refused(corpus.sentences, leakage)
    for claim_id, refused in corpus.refused.items():
        corpus.files[claim_id] = [number for number in corpus.files.get(claim_id, []) if number not in refused]
    for claim_id, ten in (hero or {}).items():
        allowed = (one for one in ten if not leakage.of_url(claim_id, one.url))
        corpus.hero[claim_id] = [Sentence(one.sentence.strip(), one.url) for one in allowed]
    return corpus


def spread(claims: Sequence[Claim], number: int) -> list[Claim]:
    """So many of the claims, at equal distances; all when there are no more."""
    number = min(number, len(claims))
    return [claims[place * len(claims) // number] for place in range(number)]


def _numbered(sentences: Iterable[Sentence], numbers: dict[tuple[str, str], int]) -> list[int]:
    indexes = (numbers.setdefault((one.sentence, one.url), len(numbers)) for one in sentences)
    return list(dict.fromkeys(indexes))


def _refused(sentences: Sequence[Sentence], leakage: Leakage) -> dict[int, frozenset[int]]:
    """By claim, the sentences that its filter refuses. A page of another host is never the article: not asked."""
    of_url: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(sentences):
        of_url[one.url].append(number)
    of_host: dict[str, set[str]] = defaultdict(set)
    for url in of_url:
        for address in page_addresses(url):
            of_host[address.host].add(url)
    refused = {}
    for claim_id, article in leakage.articles.items():
        urls = [url for url in of_host[article.host] if leakage.of_url(claim_id, url)]
        refused[claim_id] = frozenset(number for url in urls for number in of_url[url])
    return refused
