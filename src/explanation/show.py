"""Step: print explanations with their citations, the cited evidence below, and how a debate on them ended."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from src.check.reliance import leveled
from src.errors import InputError, one_line
from src.explanation.claims_file import MADE_BY
from src.explanation.pieces import pieces
from src.explanation.records import ExplainedClaim
from src.explanation.text import marked
from src.runner.claim_range import in_words
from src.runner.console import how_many, say
from src.runner.paths import existing_file
from src.runner.step import step
from src.settings import Flag
from src.store import read_by_claim


class ShowSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `show`."""

    explanations_file: Annotated[Path, Flag("what generate_explanations or refine_explanations wrote", positional=True)]
    claim: Annotated[int | None, Flag("only the claim with this claim_id")] = None


@step(ShowSettings)
def main(settings: ShowSettings) -> int:
    path = existing_file(settings.explanations_file, MADE_BY)
    claims = read_by_claim(path, ExplainedClaim)
    chosen = [one for one in claims if settings.claim in (None, one.claim_id)]
    if not chosen:
        there = in_words(one.claim_id for one in claims)
        raise InputError(f"no claim {settings.claim}; its claims: {there}" if claims else "holds no claims", path=path)
    for one in chosen:
        say("\n".join(lines(one)))
    return 0


def lines(claim: ExplainedClaim) -> Iterator[str]:
    """Yield the lines to print for a claim: claim, explanation, cited pieces of evidence, and the result of the
    debate.
    """
    yield f"[{claim.claim_id}] {one_line(claim.claim)}"
    yield f"{leveled(claim.label, claim.level)}: {marked(claim)}"
    cited = {number for numbers in claim.cites for number in numbers}
    yield from (f"  [{piece.number}] {piece.whole}" for piece in pieces(claim) if piece.number in cited)
    if claim.debate is not None:
        debate = claim.debate
        ended = (
            f"kept the draft: {debate.kept_back}"
            if debate.kept_back
            else f"accepted: {'yes' if debate.accepted else 'no'}"
        )
        yield f"  debate: {debate.stop}, {how_many(debate.rounds, 'round')}, {how_many(debate.calls, 'call')}, {ended}"


if __name__ == "__main__":
    raise SystemExit(main())
