"""The --retriever flag, and the search of a corpus that it selects."""

from argparse import Action, Namespace
from collections.abc import Callable

from src.programs.answerers.evidence import Search
from src.reranking.corpus.corpus import Corpus
from src.reranking.corpus.lexicon import OWN


def add_retriever_flag(add: Callable[..., Action]) -> None:
    """Add the flag. `add` is the `add_argument` of a parser or of one of its groups."""
    add("--retriever", choices=["bm25", "lucene", "hybrid", "linked"], default="bm25", help="of a corpus: by words; by "
        "Lucene's words and formula as Pyserini has them, which the paper used; by words and vectors; by words, and "
        "the pages that the best hits name by their titles")  # fmt: skip


def search_of(args: Namespace) -> Search:
    """Return the search of --corpus that --retriever names.

    Raises InputError when the corpus cannot be read, and MissingExtra when a library is not installed.
    """
    if args.retriever == "hybrid":
        from src.models.encoder import load_encoder

        return Corpus.open(args.corpus, args.index_dir, load_encoder(), keep=not args.dry_run).hybrid
    lexicon = OWN
    if args.retriever == "lucene":
        from src.reranking.corpus.lucene import LUCENE

        lexicon = LUCENE
    corpus = Corpus.open(
        args.corpus, args.index_dir, titles=args.retriever == "linked", keep=not args.dry_run, lexicon=lexicon
    )
    return corpus.linked if args.retriever == "linked" else corpus.bm25
