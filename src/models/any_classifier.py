"""Loader of trained classifiers by input layout: an encoder with a head, or a language model that answers in one
word."""

from collections.abc import Callable
from pathlib import Path

from src.models.base_model import BaseModel, find_base
from src.models.cached_classifier import Classifier
from src.models.passage_prompt import PROMPT_LAYOUTS
from src.models.prompted_classifier import load_prompted
from src.models.trained import read_trained
from src.models.trained_classifier import load_trained


def load_classifier(
    folder: Path,
    task: str,
    dtype: str | None = None,
    device: str | None = None,
    find: Callable[[str], BaseModel] = find_base,
) -> Classifier:
    """Return the classifier of a folder. `find` finds the base model of an encoder.

    Raises InputError when the folder is damaged or of another task, MissingExtra when its base is not installed.
    """
    if read_trained(folder, task).layout in PROMPT_LAYOUTS:
        return load_prompted(folder, task, dtype, device)
    return load_trained(folder, task, dtype, device, find)
