"""Questions: what the engine does in a second, beside the published loop; and the n-gram ban beside the library's.

    python -m bench.questions [--rows trained beams ban] [--turns 3] [--sentences 100] [--prompts 200]
    python -m bench.questions --rows shape       # on a GPU

    trained   100 sentences of one claim by the trained recipe, with the bundled model's adapter: the likeliest question
              of each alone, and as users run it, with further ones drawn and one chosen; beside the published loop on
              some of the same sentences
    library   the trained recipe in this engine, beside a plain batched `generate` with a stop at "?"
    beams     the published prompt and beams in this engine, beside the published loop; answers are compared, and
              differing ones printed
    ban       milliseconds a step of the ban alone: 2 and 64 rows of 1,300 tokens, beams reordered
    shape     a model of BLOOM-7b1's shape with random weights, prompts of 1,300 tokens, one at a time and in batches

The published loop is transformers' `generate`, one prompt at a time: ten examples, two beams, no bigram twice, no stop.
It would go on for up to 5,000 tokens; here both sides end after `--cap` new ones, which is to its favour. In
bfloat16 a batch rounds otherwise than one prompt alone does, and near ties fall otherwise: answers are equal where
`--dtype float32` says so. The two sides take turns; what is given is the ratio of the medians of their speeds. Rows
are added to the file.

Limitations: other work on the machine counts.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.command import command, positive
from bench.questions.asking import CAP, DTYPE, beams, trained
from bench.questions.ban import ban
from bench.questions.library import library
from bench.questions.shape import SHAPES, shape
from bench.scoreboard.published import AVERITEC, ROOT
from bench.turns import Rows, read_rows, write_rows
from src.llm import Options

MEASURES: dict[str, Callable[[argparse.Namespace], Rows]] = {
    "trained": trained,
    "library": library,
    "beams": beams,
    "ban": ban,
    "shape": shape,
}


@command
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    for name in args.rows:
        rows = MEASURES[name](args)
        for row, figures in rows.items():
            print(f"{row:24}{figures}", flush=True)
        write_rows(args.json, read_rows(args.json) | rows)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.questions", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--rows", nargs="+", choices=list(MEASURES), default=["trained", "beams", "ban"])
    parser.add_argument("--turns", type=positive, default=3)
    parser.add_argument("--sentences", type=positive, default=100, help="of one claim, for the trained recipe")
    parser.add_argument("--prompts", type=positive, default=200, help="published prompts that are compared")
    parser.add_argument("--reference", type=positive, default=10, help="sentences that the published loop gets a turn")
    parser.add_argument("--cap", type=positive, default=CAP, help="new tokens at most, on both sides")
    parser.add_argument("--dtype", choices=["bfloat16", "float32"], default=DTYPE, help="number format of both sides")
    parser.add_argument("--batch_rows", type=positive, default=Options().batch_rows)
    parser.add_argument("--batch_tokens", type=positive, default=Options().batch_tokens)
    parser.add_argument("--shape", choices=list(SHAPES), default="bloom-7b1")
    parser.add_argument("--shape_rows", type=positive, default=64)
    parser.add_argument(
        "--averitec", type=Path, default=AVERITEC, help="folder of dev.json, train.json, knowledge_store"
    )
    parser.add_argument("--json", type=Path, default=ROOT / "bench" / "results" / "questions.json")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
