"""The learner for a base model: a classifier with a head, or a language model that answers with a token."""

from src.models.base_model import BaseModel, is_language_model
from src.models.prompted_classifier import PromptLayout
from src.training.classifier import Encoded, Learner
from src.training.recipe import Recipe


def learner_of(base: BaseModel, recipe: Recipe, classes: int, prompt: PromptLayout) -> Learner:
    """Return the learner for a base model. `prompt` is the layout for a language model.

    Raises InputError when the base cannot be loaded, is a language model without a chat template, or has a tokenizer
    that begins two answers with the same token.
    """
    if not is_language_model(base):
        return Encoded(base, recipe, classes)
    from src.training.language_model import Prompted  # loads torch

    return Prompted(base, recipe, prompt)
