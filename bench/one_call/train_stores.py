"""Knowledge stores of training claims, from gold pages, for `src.training.train_one_call` and `calibrate_llm`.

    python -m bench.one_call.train_stores -o out/one_call/train [--claims 2700] [--held_out 300]

Writes `claims.json`, claims of AVeriTeC's train at even distances in their order with their claim_ids, and
`stores/CLAIM_ID.json` for each of them (`bench/check/gold_stores.py`).

Limitations: a page is made of gold answers, so evidence is easier to find than on the web, and a calibration fitted
on these stores trusts a model too much there.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.check.gold_stores import write_gold_stores
from bench.command import StepParser, command, positive
from bench.scoreboard.published import AVERITEC
from src.atomic_file import write_whole
from src.store import read_claims
from src.training.split import evenly, split_claims


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.one_call.train_stores", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("-o", "--output", type=Path, required=True, help="the folder to fill")
    flags.add_argument("--claims", type=positive, default=2700, help="training claims")
    flags.add_argument("--held_out", type=positive, default=300, help="held-out claims")
    args = flags.parse_args(argv)
    everyone = read_claims(AVERITEC / "train.json")
    split = split_claims(everyone, read_claims(AVERITEC / "dev.json"))
    chosen = [*evenly(split.train, args.claims), *evenly(split.held_out, args.held_out)]
    chosen.sort(key=lambda claim: claim.claim_id)
    write_gold_stores(args.output / "stores", chosen, everyone)
    write_whole(args.output / "claims.json", msgspec.json.encode(chosen) + b"\n")
    print(f"{len(chosen)} claims -> {args.output}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
