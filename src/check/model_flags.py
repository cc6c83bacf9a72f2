"""Flags that choose the models of a check, the same for `src.check` and the server."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from src.check.models import TRAIN, Models
from src.errors import InputError
from src.models.reranker import RERANKER_HELP
from src.prediction.verdicts import STACKED, VERDICT_HELP
from src.reranking.retrievers import HYBRID, RETRIEVERS, retrievers_help
from src.reranking.select import SELECT_HELP, Select


def add_check_model_flags(flags: ArgumentParser) -> None:
    """Add --retriever, --select, --reranker and --verdict, each with the names of its table."""
    add = flags.add_argument_group("models of the questions strategy").add_argument
    add("--retriever", choices=[*RETRIEVERS], default=HYBRID,
        help=f"{retrievers_help()}. {HYBRID} gives passages, the others single sentences")  # fmt: skip
    add("--select", choices=[*map(str, Select)], default=str(Select.STANCE), help=SELECT_HELP)
    add("--reranker", metavar="NAME|CKPT", help=f"with --select {Select.LIKENESS}: {RERANKER_HELP}")
    add("--verdict", metavar="NAME|PATH", default=STACKED.name, help=VERDICT_HELP)


def add_reference(flags: ArgumentParser) -> None:
    """Add the flag for the file that the question writer takes its examples from."""
    told = f"claims with gold pairs, for recipes that show examples (default: {TRAIN}, else those of the sample)"
    flags.add_argument("--reference_corpus", type=Path, help=told)


def models_from(args: Namespace) -> Models:
    """Return the models named by these flags and those of the question writer; none is loaded yet.

    Raises InputError when a reranker or verdict model does not exist, or when a given reranker would not be used.
    """
    if args.reranker is not None and args.select != Select.LIKENESS:
        raise InputError(f"--reranker changes nothing with --select {args.select}: it goes with {Select.LIKENESS}")
    return Models(
        args, args.reference_corpus, args.verdict, retriever=args.retriever, reranker=args.reranker
    )  # fmt: skip
