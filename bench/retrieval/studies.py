"""What is compared with what: the systems of a run, their pools, and the claims that they are asked.

systems    published BM25, hybrid retrieval, the baselines and HerO's ten, in every pool
parts      hybrid retrieval with one part switched off at a time, in the smallest pool and the largest
hyde       hybrid retrieval with and without hypothetical fact-checks, for the claims that have one
"""

from collections.abc import Callable, Sequence

import msgspec

from bench.retrieval.corpus import Corpus
from bench.retrieval.hybrid import HYBRID, HYDE, PARTS, Hybrids
from bench.retrieval.hypotheticals import read_hypotheticals
from bench.retrieval.pools import ALL, NAMES, OWN
from bench.retrieval.systems import BM25_NAME, System, baselines, published
from src.records import Claim
from src.reranking.hybrid.settings import Settings


class Study(msgspec.Struct, frozen=True):
    """`given`: whether rankings that stand already (`given` in systems.py) are judged, too."""

    systems: dict[str, System]
    pools: Sequence[str]
    claims: Sequence[Claim]
    given: bool = False


def of_systems(split: str, corpus: Corpus) -> Study:
    hybrid = Hybrids(corpus).system(Settings())
    pools = [name for name in NAMES if not name.isdecimal() or int(name) < len(corpus.sentences)]
    return Study({BM25_NAME: published(corpus), HYBRID: hybrid, **baselines()}, pools, corpus.claims, given=True)


def of_parts(split: str, corpus: Corpus) -> Study:
    hybrids = Hybrids(corpus)
    named = {HYBRID: Settings(), **PARTS}
    systems = {name: hybrids.system(settings) for name, settings in named.items()}
    return Study({BM25_NAME: published(corpus), **systems}, (OWN, ALL), corpus.claims)


def of_hyde(split: str, corpus: Corpus) -> Study:
    """Raises InputError when no hypothetical fact-checks were written."""
    written, hybrids = read_hypotheticals(split), Hybrids(corpus)
    systems = {HYBRID: hybrids.system(Settings()), HYDE: hybrids.system(Settings(), written)}
    claims = [claim for claim in corpus.claims if claim.claim_id in written]
    return Study({BM25_NAME: published(corpus), **systems}, (OWN, ALL), claims)


STUDIES: dict[str, Callable[[str, Corpus], Study]] = {"systems": of_systems, "parts": of_parts, "hyde": of_hyde}
