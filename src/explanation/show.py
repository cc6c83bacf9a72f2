"""Step: print explanations with their citations, the cited evidence below, and how a debate on them ended."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from src.errors import InputError, one_line
from src.explanation.claims_file import MADE_BY
from src.explanation.pieces import pieces
from src.explanation.records import ExplainedClaim
from src.explanation.text import marked
from src.runner.arguments import StepParser, existing_file, step
from src.runner.console import how_many, say
from src.store import read_by_claim


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog="python -m src.explanation.show", description=__doc__)
    flags.add_argument("explanations_file", type=Path, help="what generate_explanations or refine_explanations wrote")
    flags.add_argument("--claim", type=int, help="only the claim with this claim_id")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    path = existing_file(args.explanations_file, MADE_BY)
    chosen = [one for one in read_by_claim(path, ExplainedClaim) if args.claim in (None, one.claim_id)]
    if not chosen:
        raise InputError("holds no such claim" if args.claim is not None else "holds no claims", path=path)
    for one in chosen:
        say("\n".join(lines(one)))
    return 0


def lines(claim: ExplainedClaim) -> Iterator[str]:
    """Yield the claim, its explanation, the cited pieces, and the result of the debate."""
    yield f"[{claim.claim_id}] {one_line(claim.claim)}"
    yield f"{claim.label}: {marked(claim)}"
    cited = {number for numbers in claim.cites for number in numbers}
    yield from (f"  [{piece.number}] {piece.whole}" for piece in pieces(claim) if piece.number in cited)
    if claim.debate is not None:
        found = claim.debate
        ended = (
            f"kept the draft: {found.kept_back}"
            if found.kept_back
            else f"accepted: {'yes' if found.accepted else 'no'}"
        )
        yield f"  debate: {found.stop}, {how_many(found.rounds, 'round')}, {how_many(found.calls, 'call')}, {ended}"


if __name__ == "__main__":
    raise SystemExit(main())
