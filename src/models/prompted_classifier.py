"""A classifier that is a language model with an adapter: it reads a prompt, and answers with a word for each class.

The models of `src/llm/larger_weights.py` run on llama.cpp in the four bits that they are published in, or on
transformers if they were unpacked for it. The interface is that of `src/models/trained_classifier.py`.

Limitations: the probabilities of the words are read from the most likely tokens. A model trained on these words has
them among its most likely tokens.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from src.errors import InputError
from src.llm import Options, get_llm
from src.llm.larger import fastest
from src.llm.protocol import LanguageModel, ModelInfo, Request
from src.models.evidence_rows import Input
from src.models.passage_prompt import PROMPT_LAYOUTS, SYSTEM, PromptLayout, prompt
from src.models.trained import TRAINED, Trained, read_trained

if TYPE_CHECKING:
    from torch import Tensor

CONTEXT = 2048  # tokens: more than any prompt has, unless its words are very long


class PromptedClassifier:
    """A loaded classifier. `trained` has its classes, temperature and biases."""

    def __init__(self, model: LanguageModel, trained: Trained, info: ModelInfo) -> None:
        self._model, self.trained, self.info = model, trained, info
        self._layout = PROMPT_LAYOUTS[trained.layout]

    def logits(self, inputs: Sequence[Input]) -> "Tensor":
        """Return float32 [inputs, classes], in the order of the inputs. Raises ModelError when the model fails."""
        import torch

        replies = self._model.complete([_request(one, self._layout) for one in inputs])
        return torch.tensor([reply.scores for reply in replies]).reshape(len(inputs), len(self._layout.answers))


def _request(asked: Input, layout: PromptLayout) -> Request:
    return Request(
        prompt(asked, layout), chat=True, system=SYSTEM, choices=layout.answers, first_tokens=True, role="entailment"
    )


def load_prompted(folder: Path, task: str, dtype: str | None = None, device: str | None = None) -> PromptedClassifier:
    """Return the classifier of an adapter's folder.

    Raises InputError when the folder is damaged or of another task or layout, MissingExtra when its base is missing.
    """
    trained = read_trained(folder, task)
    layout = PROMPT_LAYOUTS.get(trained.layout)
    if layout is None or len(trained.labels) != len(layout.answers):
        raise InputError(
            "no classifier by prompts with an answer for each label", path=folder / TRAINED, field="layout"
        )
    model = get_llm(fastest(trained.base), Options(dtype=dtype, device=device, context=CONTEXT, adapter=folder))
    details = model.info.details | {"base": trained.base, "base_sha256": str(trained.base_sha256)}
    info = msgspec.structs.replace(
        model.info, spec=str(folder), name=folder.name, sha256=model.info.details["adapter_sha256"], details=details
    )
    return PromptedClassifier(model, trained, info)
