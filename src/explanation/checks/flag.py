"""The flag of the steps that check explanations: with which tagger, or by words alone."""

from argparse import ArgumentParser
from pathlib import Path

from src.errors import InputError
from src.explanation.checks.checker import Checker, checker
from src.llm.weights import PRETRAINED
from src.models.trained import TRAINED

SHIPPED = PRETRAINED / "adapters" / "faithfulness"
NO_TAGGER = "none"


def add_tagger_flag(flags: ArgumentParser) -> None:
    what = f"what train_faithfulness made (default: {SHIPPED}); {NO_TAGGER}: check by words alone"
    flags.add_argument("--tagger", metavar="FOLDER", help=what)


def tagger_files(text: str | None) -> dict[str, Path]:
    """The file that tells which tagger it is, under its flag's name. Raises InputError where no such model stands."""
    if text == NO_TAGGER:
        return {}
    folder = SHIPPED if text is None else Path(text)
    if not (folder / TRAINED).is_file():
        raise InputError(f"holds no tagger; `--tagger {NO_TAGGER}` checks by words alone", path=folder)
    return {"tagger": folder / TRAINED}


def chosen_checker(text: str | None) -> Checker:
    """Raises InputError, MissingExtra."""
    files = tagger_files(text)
    return checker(files["tagger"].parent if files else None)
