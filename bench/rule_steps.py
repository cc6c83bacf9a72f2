"""How far programs by rules take claims apart, by hops, and a draw of their steps for a person to read.

python -m bench.rule_steps                        HOVER's dev claims, and 200 steps of those that are taken apart
python -m bench.rule_steps --claims FILE --steps 50 --seed 7
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random

from bench.command import command, natural
from bench.programs import HOVER
from src.claims import ClaimText, read_labelled_claims
from src.programs.decomposition.planner import planner
from src.programs.parsing.reader import read_program


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--claims", type=Path, default=HOVER, help="labelled claims, as HOVER or FEVEROUS-S have them")
    flags.add_argument("--steps", type=natural, default=200, help="how many are drawn")
    flags.add_argument("--seed", type=natural, default=78)
    args = flags.parse_args(argv)
    claims = read_labelled_claims(args.claims)
    written = planner().generate([ClaimText(one.claim_id, one.claim) for one in claims])
    programs = [read_program(one.record.programs[0]) for one in written]
    whole: dict[int | None, list[bool]] = defaultdict(list)
    for claim, program in zip(claims, programs, strict=True):
        whole[claim.hops].append(len(program.steps) == 1)
    for hops in sorted(whole, key=lambda hops: hops or 0):
        of = "claims" if hops is None else f"claims of {hops} hops"
        print(f"{sum(whole[hops])} of {len(whole[hops])} {of} stay one step: {sum(whole[hops]) / len(whole[hops]):.2%}")
    texts = [one.text for program in programs if len(program.steps) > 1 for one in program.steps]
    Random(args.seed).shuffle(texts)
    print("\n".join(texts[: args.steps]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
