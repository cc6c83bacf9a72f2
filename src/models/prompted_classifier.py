"""A classifier that is a language model with an adapter: it reads a prompt, and answers with a word for each class.

A prompt shows a claim with passages, as one turn in the model's chat template. One layout asks if the claim follows
from the passages, the other asks for the verdict on the claim. Training and use have the same prompt, but training also
cuts the end of the passages if a row has more than `--max_length` tokens.

Qwen2.5-Coder (`src/llm/weights.py`) runs on llama.cpp in the four bits that it is published in, or on transformers if
it was unpacked for it. The interface is that of `src/models/trained_classifier.py`.

Limitations: only the first `MAX_PAIRS` passages count. Passages are cut at words, each to a fair share. The
probabilities of the words are read from the most likely tokens. A model trained on these words has them among its most
likely tokens.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from src.errors import InputError
from src.llm import Options, get_llm
from src.llm.bundled import fastest
from src.llm.protocol import LanguageModel, ModelInfo, Request
from src.models.evidence_rows import MAX_PAIRS, Input, fair_shares
from src.models.trained import TRAINED, Trained, read_trained
from src.prompts import load

if TYPE_CHECKING:
    from torch import Tensor

SYSTEM = "You check claims."
CLAIM = "\nClaim: "  # begins the part of the prompt behind the passages
CLAIM_WORDS = 80


class PromptLayout(NamedTuple):
    """Layout of the prompts of a classifier.

    `name`: its name in `training.json`.
    `template`: name of its template in `src/prompts`.
    `answers`: one word per class, in the order of the classes.
    `words`: maximum number of words of all passages together.
    """

    name: str
    template: str
    answers: tuple[str, ...]
    words: int


ENTAILMENT_PROMPT = PromptLayout("passage_prompt", "passage_check", ("True", "False", "Unknown"), 260)
VERDICT_PROMPT = PromptLayout("verdict_prompt", "passages_verdict", ("True", "False", "Unknown", "Mixed"), 400)
PROMPT_LAYOUTS = {layout.name: layout for layout in (ENTAILMENT_PROMPT, VERDICT_PROMPT)}


def prompt(item: Input, layout: PromptLayout = ENTAILMENT_PROMPT) -> str:
    """Return the prompt for a claim and its passages, which are cut to the layout's number of words."""
    claim, pairs = (item, ()) if isinstance(item, str) else (item[0], item[1][:MAX_PAIRS])
    texts = [_joined(*pair).split() for pair in pairs]
    shares = fair_shares([len(text) for text in texts], layout.words)
    passages = [f"Passage: {' '.join(text[:share])}" for text, share in zip(texts, shares, strict=True)]
    short = " ".join(claim.split()[:CLAIM_WORDS])
    return load(layout.template).substitute(claim=short, passages="\n".join(passages) or "Passage: none")


def _joined(title: str, text: str) -> str:
    """Join a question and its answer, or a page's title and its text, into one passage."""
    if not title:
        return text
    return f"{title} {text}" if title.rstrip().endswith("?") else f"{title}: {text}"


CONTEXT = 2048  # tokens on llama.cpp: more than any prompt has, unless its words are very long


class PromptedClassifier:
    """A loaded language model as a classifier. `trained` has its classes, temperature and biases."""

    def __init__(self, model: LanguageModel, trained: Trained, info: ModelInfo) -> None:
        self._model, self.trained, self.info = model, trained, info
        self._layout = PROMPT_LAYOUTS[trained.layout]

    def logits(self, inputs: Sequence[Input]) -> "Tensor":
        """Return each input's logits: float32 [inputs, classes]. Raises ModelError when the model fails."""
        import torch

        replies = self._model.complete([_request(item, self._layout) for item in inputs])
        return torch.tensor([reply.scores for reply in replies]).reshape(len(inputs), len(self._layout.answers))


def _request(item: Input, layout: PromptLayout) -> Request:
    return Request(
        prompt(item, layout), chat=True, system=SYSTEM, choices=layout.answers, first_tokens=True, role="entailment"
    )


def load_prompted(folder: Path, task: str, dtype: str | None = None, device: str | None = None) -> PromptedClassifier:
    """Load the prompted classifier of an adapter's folder.

    Raises InputError when the folder is damaged or of another task or layout, MissingExtra when its base is missing.
    """
    trained = read_trained(folder, task)
    layout = PROMPT_LAYOUTS.get(trained.layout)
    if layout is None or len(trained.labels) != len(layout.answers):
        raise InputError(
            "no classifier by prompts with an answer for each label", path=folder / TRAINED, field="layout"
        )
    spec = fastest(trained.base)
    context = CONTEXT if spec == trained.base else 0
    model = get_llm(spec, Options(dtype=dtype, device=device, context=context, adapter=folder))
    details = model.info.details | {"base": trained.base, "base_sha256": str(trained.base_sha256)}
    info = msgspec.structs.replace(
        model.info, spec=str(folder), name=folder.name, sha256=model.info.details["adapter_sha256"], details=details
    )
    return PromptedClassifier(model, trained, info)
