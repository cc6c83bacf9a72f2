"""Step: convert a published .ckpt to a folder of transformers: weights in safetensors, config and tokenizer.

The folder has a third of the size of the .ckpt (no moments of the optimizer) and opens without a pickle. `-ckpt` of the
steps that take the .ckpt also takes the folder. The folder appears whole or not at all.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from src.atomic_folder import whole_folder
from src.errors import InputError
from src.models.bert_files import open_bert
from src.runner.arguments import StepParser, step
from src.runner.console import say

MODULE = "src.models.convert_checkpoint"


def parser() -> argparse.ArgumentParser:
    lines = (__doc__ or "").split("\n\n")
    flags = StepParser(prog=f"python -m {MODULE}", description=lines[0], epilog=lines[1])
    flags.add_argument("-i", "--checkpoint", type=Path, required=True, help="a .ckpt of pytorch-lightning")
    flags.add_argument("-o", "--output", type=Path, required=True, help="the folder to make")
    flags.add_argument("--base", help="folder or hub name of the model that it was trained from, for the tokenizer and "
                       "the number of heads (default: bert-base-uncased)")  # fmt: skip
    flags.add_argument("--overwrite", action="store_true", help="make the folder anew when it is there")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    if args.checkpoint.is_dir():
        raise InputError("is a folder already, nothing to convert", path=args.checkpoint)
    if args.output.exists() and not args.overwrite:
        raise InputError("is already there; --overwrite makes it again", path=args.output)
    if args.output.exists() and not (args.output / "config.json").is_file():
        raise InputError("is not a model folder, so it is not overwritten", path=args.output)
    model, tokenizer = open_bert(args.checkpoint, args.base)
    with whole_folder(args.output) as aside:
        model.save_pretrained(aside)
        tokenizer.save_pretrained(aside)
    size = sum(file.stat().st_size for file in args.output.iterdir())
    say(f"convert_checkpoint: {model.config.num_labels} classes, {size / 1e6:.0f} MB -> {args.output}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
