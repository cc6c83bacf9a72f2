"""Adapters of `src.training.train_one_call`: a model with one is asked as it was trained.

Limitations: whether the adapter fits the model is checked when it is loaded.
"""

from pathlib import Path

from src.errors import InputError
from src.models.trained import read_trained

TASK = "one_call"


def check_adapter(folder: Path, sources: int, top_n: int, num_examples: int) -> None:
    """Raise InputError unless the adapter was trained for one call, with these numbers of sources, pairs and examples.

    Training shows no examples.
    """
    options = read_trained(folder, TASK).recipe.get("options", {})
    learned = {"sources": options.get("sources"), "top_n": options.get("top_n"), "num_examples": 0}
    if learned != {"sources": sources, "top_n": top_n, "num_examples": num_examples}:
        flags = " ".join(f"--{name} {value}" for name, value in learned.items())
        raise InputError(f"was trained with {flags}; give these flags, too", path=folder)
