"""Flags of hybrid retrieval; a flag that would have no effect is refused."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import get_args

from src.errors import InputError
from src.llm.flags import model_file
from src.reranking.hybrid.vectors import Precision

ONLY = ("encoder", "vectors", "hyde", "llm", "passages", "exclude_urls", "keep_fact_check", "keep_later_pages")
OF_MODEL = ("llm", "dtype", "device", "cache_dir")


def add_hybrid_flags(flags: ArgumentParser) -> None:
    group = flags.add_argument_group("with --retriever hybrid")
    group.add_argument(
        "--encoder", help="mpnet, or a sentence-transformers folder or name (default: the bundled all-MiniLM-L6-v2)"
    )
    group.add_argument("--vectors", choices=get_args(Precision), help="how vectors are kept (default: float16)")
    group.add_argument("--hyde", action="store_true", help="also seek what a fact-check by --llm would say")
    group.add_argument("--passages", action="store_true", help="give each sentence with what is around it on the page")
    group.add_argument("--exclude_urls", type=Path, help="file of hosts and URLs to refuse, one a line")
    group.add_argument("--keep_fact_check", action="store_true", help="keep a claim's own fact-checking article")
    group.add_argument("--keep_later_pages", action="store_true", help="keep pages dated after their claim")


def check_hybrid_flags(args: Namespace, *, is_hybrid: bool) -> None:
    """Raise InputError if a flag has no effect with this retriever."""
    given = [name for name in ONLY if getattr(args, name)]
    if given and not is_hybrid:
        raise InputError(f"--{given[0]} works with --retriever hybrid only, not with {args.retriever}")
    of_model = [name for name in OF_MODEL if getattr(args, name)]
    if of_model and not args.hyde:
        raise InputError(f"--{of_model[0]} works with --hyde only: without it no language model is asked")


def hybrid_inputs(args: Namespace) -> dict[str, Path]:
    """Return the files and folders that these flags name, by argument; the run's fingerprint covers their content."""
    found = model_file(args.llm)
    if args.exclude_urls:
        found["exclude_urls"] = args.exclude_urls
    if args.encoder and Path(args.encoder).is_dir():
        found["encoder"] = Path(args.encoder)
    return found
