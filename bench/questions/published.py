"""The published way to ask: its prompts and its loop.

Limitations: transformers' `generate` as the published code calls it; nothing of this project runs in it.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from src.llm.weights import PRETRAINED, SMOLLM2
from src.reranking.questions.examples import ExampleCorpus
from src.reranking.questions.prompt import write_prompt
from src.reranking.questions.recipe import PUBLISHED
from src.store import read_claims

FOLDER = PRETRAINED / SMOLLM2.folder / "transformers"


def prompts(sentences: Sequence[str], averitec: Path) -> list[str]:
    """Return the published prompt of each sentence, with ten examples."""
    corpus = ExampleCorpus(read_claims(averitec / "train.json"))
    return [
        write_prompt([example.piece for example in corpus.similar(text, PUBLISHED.num_examples)], text)
        for text in sentences
    ]


def loop(cap: int, dtype: str) -> Callable[[Sequence[str]], list[str]]:
    """Return a function that answers one prompt at a time as published: two beams, no bigram twice, `cap` new
    tokens.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from src.llm.loading import find_device

    device = find_device()
    tokenizer: Any = AutoTokenizer.from_pretrained(FOLDER)
    model: Any = AutoModelForCausalLM.from_pretrained(FOLDER, dtype=dtype).eval().to(device)

    def answers(prompts: Sequence[str]) -> list[str]:
        texts = []
        for prompt in prompts:
            ids = tokenizer(prompt, return_tensors="pt").input_ids.to(device)
            with torch.inference_mode():
                out = model.generate(
                    ids, attention_mask=torch.ones_like(ids), max_new_tokens=cap, num_beams=PUBLISHED.num_beams,
                    no_repeat_ngram_size=PUBLISHED.no_repeat_ngram_size, early_stopping=True, do_sample=False,
                )  # fmt: skip
            texts.append(tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True))
        return texts

    return answers
