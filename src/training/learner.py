"""Choice of the learner for a base model: an encoder with a head, or a language model that answers with a word."""

from src.models.base_model import BaseModel, is_language_model
from src.models.prompted_classifier import PromptLayout
from src.training.classifier import Encoded, Learner
from src.training.recipe import Recipe


def learner_of(base: BaseModel, recipe: Recipe, classes: int, prompt: PromptLayout) -> Learner:
    """Load the learner for a base model. `prompt` is the layout of the prompts if it is a language model.

    Raises InputError when the base cannot be loaded, is a language model without a chat template, or has a tokenizer
    that begins two answers with the same token.
    """
    if not is_language_model(base):
        return Encoded(base, recipe, classes)
    from src.training.language_model import Prompted  # loads torch

    return Prompted(base, recipe, prompt)
