"""Flags of the steps that check explanations: the tagger and the reader, or lexical rules only."""

from argparse import ArgumentParser
from collections.abc import Mapping
from pathlib import Path

from src.errors import InputError
from src.explanation.checks.bearing import Bearing
from src.explanation.checks.checker import Checker, checker
from src.llm.weights import PRETRAINED
from src.models.trained import TRAINED, is_trained
from src.stance.reader import READER

SHIPPED = PRETRAINED / "adapters" / "faithfulness"
NO_TAGGER = "none"
NO_READER = "none"
NOT_READ = f"{READER} is not there, so that no justification is checked for its bearing on the claim"


def add_tagger_flag(flags: ArgumentParser) -> None:
    what = f"what train_faithfulness made (default: {SHIPPED}); {NO_TAGGER}: check by words alone"
    flags.add_argument("--tagger", metavar="FOLDER", help=what)


def add_reader_flag(flags: ArgumentParser) -> None:
    what = (
        f"entailment or verdict model that reads what a justification says to its claim (default: {READER}, without a "
        f"tagger none); {NO_READER}: leave this check out"
    )
    flags.add_argument("--reader", metavar="FOLDER", help=what)


def tagger_files(text: str | None) -> dict[str, Path]:
    """Return the file that identifies the tagger, under its flag's name; empty for `--tagger none`.

    Raises: InputError if the folder has no tagger.
    """
    if text == NO_TAGGER:
        return {}
    folder = SHIPPED if text is None else Path(text)
    if not (folder / TRAINED).is_file():
        raise InputError(f"holds no tagger; `--tagger {NO_TAGGER}` checks by words alone", path=folder)
    return {"tagger": folder / TRAINED}


def reader_files(text: str | None, tagger: str | None) -> tuple[dict[str, Path], list[str]]:
    """Return the file that identifies the reader, under its flag's name, and the lines to print if it is missing.

    `text` and `tagger` are the two flags.
    Raises: InputError if a named folder has no model.
    """
    if text == NO_READER or (text is None and tagger == NO_TAGGER):
        return {}, []
    if text is None and not is_trained(READER):
        return {}, [NOT_READ]
    folder = READER if text is None else Path(text)
    if not is_trained(folder):
        raise InputError(
            f"holds no entailment or verdict model; `--reader {NO_READER}` leaves this check out", path=folder
        )
    return {"reader": folder / TRAINED}, []


def chosen_bearing(files: Mapping[str, Path]) -> Bearing | None:
    """Load the reader that `reader_files` found; return None if there is none.

    Raises: InputError if the model is invalid, MissingExtra if a library is missing.
    """
    if "reader" not in files:
        return None
    from src.models.entailment import load_entailment

    return Bearing(load_entailment(files["reader"].parent))


def chosen_checker(text: str | None, bearing: Bearing | None = None) -> Checker:
    """Return a checker with the tagger of the flag `text`.

    Raises: InputError if a model is missing, MissingExtra if a library is.
    """
    files = tagger_files(text)
    return checker(files["tagger"].parent if files else None, bearing)
