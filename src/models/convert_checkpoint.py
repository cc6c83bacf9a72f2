"""Step: convert a published .ckpt to a folder of transformers: weights in safetensors, config and tokenizer.

The folder has a third of the size of the .ckpt (no moments of the optimizer) and opens without a pickle. `-ckpt` of the
steps that take the .ckpt also takes the folder. The folder appears whole or not at all.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.atomic_folder import whole_folder
from src.errors import InputError
from src.models.bert import open_bert
from src.runner.console import say
from src.runner.step import step
from src.settings import Flag


class ConvertSettings(msgspec.Struct, frozen=True, kw_only=True):
    checkpoint: Annotated[Path, Flag("a .ckpt of pytorch-lightning", "-i")]
    output: Annotated[Path, Flag("the folder to write", "-o")]
    base: Annotated[
        str | None,
        Flag("folder or hub name of the model that it was trained from, for the tokenizer and the number of heads "
             "(default: bert-base-uncased)"),
    ] = None  # fmt: skip
    overwrite: Annotated[bool, Flag("replace the folder if it exists")] = False


@step(ConvertSettings)
def main(settings: ConvertSettings) -> int:
    output = settings.output
    if settings.checkpoint.is_dir():
        raise InputError("is a folder already, nothing to convert", path=settings.checkpoint)
    if output.exists() and not settings.overwrite:
        raise InputError("is already there; --overwrite makes it again", path=output)
    if output.exists() and not (output / "config.json").is_file():
        raise InputError("is not a model folder, so it is not overwritten", path=output)
    model, tokenizer = open_bert(settings.checkpoint, settings.base)
    with whole_folder(output) as aside:
        model.save_pretrained(aside)
        tokenizer.save_pretrained(aside)
    size = sum(file.stat().st_size for file in output.iterdir())
    say(f"convert_checkpoint: {model.config.num_labels} classes, {size / 1e6:.0f} MB -> {output}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
