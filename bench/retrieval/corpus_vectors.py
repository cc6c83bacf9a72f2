"""The vectors of a corpus, kept in one file under out/bench/: the first run encodes it (minutes), later ones do not."""

from hashlib import sha256
from pathlib import Path

from bench.retrieval.corpus import Corpus
from src.models.encoder import load_encoder
from src.reranking.hybrid.vectors import KeptVectors

KEPT = Path(__file__).resolve().parents[2] / "out" / "bench"


def corpus_vectors(corpus: Corpus, folder: Path = KEPT) -> KeptVectors:
    """Of all its sentences and claims, in the bundled encoder's space. Raises MissingExtra, OutputError."""
    texts = list(dict.fromkeys(one.sentence for one in corpus.sentences))
    digest = sha256("\0".join(texts).encode()).hexdigest()
    path = folder / f"{digest[:12]}.vectors"
    vectors = KeptVectors(path, digest, load_encoder())
    if vectors.counts.stale or not path.exists():
        print(f"encoding {len(texts)} texts, once; they are kept in {folder}", flush=True)
    vectors.of(texts)
    vectors.of_queries([claim.claim.strip() for claim in corpus.claims])
    vectors.write()
    return vectors
