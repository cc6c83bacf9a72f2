"""Flags that select the evidence of a baseline, and the source that they name."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from src.claims.labelled import LabelledClaim
from src.errors import InputError
from src.programs.answerers.corpus_search import add_retriever_flag, search_of
from src.programs.answerers.evidence import CorpusEvidence, EvidenceSource, FoundOnce, GoldEvidence
from src.runner.arguments import refuse_unread

TOP_K = 10  # passages of a corpus a claim


def add_evidence_flags(flags: ArgumentParser) -> None:
    add = flags.add_argument
    add("--setting", choices=["gold", "open"], default="gold", help="evidence: gold, or what the claim finds")
    add("--corpus", type=Path, help="titled paragraphs, for --setting open")
    add("--index_dir", type=Path, help="where the corpus's index is kept (default: beside it)")
    add_retriever_flag(add)


def check_evidence_flags(args: Namespace, flags: ArgumentParser) -> None:
    """Raise InputError if the flags do not go together."""
    if args.setting == "gold":
        refuse_unread(args, flags, ["corpus", "index_dir", "retriever"], "goes with --setting open")
    elif args.corpus is None:
        raise InputError("--setting open takes --corpus")


def source_from(args: Namespace, claims: Sequence[LabelledClaim]) -> EvidenceSource:
    """Return the source that the flags name.

    Raises InputError when the corpus cannot be read, and MissingExtra when a library is not installed.
    """
    if args.setting == "gold":
        return GoldEvidence({one.claim_id: one.gold for one in claims})
    return FoundOnce(CorpusEvidence(search_of(args), TOP_K))
