"""The trained recipe in our decoder beside transformers' batched `generate` with a stop at the question mark.

Both sides have the same prompts, adapter, number format and rows of a batch, and the library's batches are sorted by
length. Our decoder reads a prompt once for all its draws; the library draws them with `num_return_sequences`.

Limitations: draws have other random numbers, so only their speed is compared.
"""

import argparse
from collections.abc import Sequence
from typing import Any
from unittest import mock

from bench.questions.asking import ENGINE, one_claim, row_name
from bench.turns import Rows, rate, speeds
from src.llm import Options, get_llm
from src.llm.batching import sub_batches
from src.llm.loading import load_pretrained
from src.llm.weights import PRETRAINED, SMOLLM2
from src.reranking.questions.prompt import claim_evidence_prompt
from src.reranking.questions.recipe import SHIPPED, TRAINED
from src.store import sha256


def library(args: argparse.Namespace) -> Rows:
    """Return the speed of the likeliest questions alone, and with the recipe's draws."""
    ranked = one_claim(args.averitec, args.sentences)
    prompts = [claim_evidence_prompt(ranked.claim, one.sentence) for one in ranked.sentences]
    likeliest = [TRAINED.request(prompt, chat=False, system="") for prompt in prompts]
    draws = [
        TRAINED.request(prompt, chat=False, system="", seed=number)
        for prompt in prompts
        for number in range(TRAINED.samples)
    ]
    model = get_llm(ENGINE, Options(adapter=SHIPPED, batch_rows=args.batch_rows, dtype=args.dtype))
    rival = Library(args)
    model.complete(likeliest[:4])
    rival.questions(prompts[:4], 0)
    found: dict[str, tuple[list[float], list[float]]] = {"likeliest": ([], []), "with draws": ([], [])}
    for _ in range(args.turns):
        count = len(prompts)
        found["likeliest"][0].append(rate(count, lambda: model.complete(likeliest)))
        found["likeliest"][1].append(rate(count, lambda: rival.questions(prompts, 0)))
        found["with draws"][0].append(rate(count, lambda: model.complete([*likeliest, *draws])))
        found["with draws"][1].append(rate(count, lambda: rival.both(prompts)))
    ours = [reply.text for reply in model.complete(likeliest)]
    differing = sum(one != other for one, other in zip(ours, rival.questions(prompts, 0), strict=True))
    notes: dict[str, float | str] = {"dtype": args.dtype, "differing": differing}
    return {
        row_name(f"trained, {what}, beside batched generate", args): speeds("questions/s", *both, notes)
        for what, both in found.items()
    }


class Library:
    """transformers' `generate`, in batches of similar length with a stop at the question mark."""

    def __init__(self, args: argparse.Namespace) -> None:
        import torch
        from transformers import StoppingCriteriaList, StopStringCriteria

        folder = PRETRAINED / SMOLLM2.folder
        weights = sha256(folder / SMOLLM2.files[0].path)
        options = Options(adapter=SHIPPED, dtype=args.dtype, device="cpu")
        with mock.patch("src.llm.packed.pack"):  # the library's own layers
            loaded = load_pretrained(str(folder / "transformers"), options, weights)
        self._torch, self._model, self._tokenizer = torch, loaded.model, loaded.tokenizer
        self._tokenizer.padding_side, self._rows, self._tokens = "left", args.batch_rows, args.batch_tokens
        self._tokenizer.pad_token = self._tokenizer.pad_token or self._tokenizer.eos_token
        self._stop = StoppingCriteriaList([StopStringCriteria(self._tokenizer, ["?"])])

    def both(self, prompts: Sequence[str]) -> list[str]:
        return [*self.questions(prompts, 0), *self.questions(prompts, TRAINED.samples)]

    def questions(self, prompts: Sequence[str], draws: int) -> list[str]:
        """Return the likeliest question of each prompt, or that many drawn ones."""
        texts = [prompt.rstrip(" ") for prompt in prompts]
        each = max(1, draws)
        ids = self._tokenizer(texts)["input_ids"]
        how: dict[str, Any] = {"do_sample": bool(draws), "num_return_sequences": each, "stopping_criteria": self._stop}
        if draws:
            how |= {"temperature": TRAINED.temperature, "top_k": 0, "top_p": 1.0}
        found = [""] * (len(texts) * each)
        lengths = [len(row) + TRAINED.max_new_tokens for row in ids]
        with self._torch.inference_mode():
            for places in sub_batches(lengths, max(1, self._rows // each), self._tokens // each):
                rows = self._tokenizer.pad({"input_ids": [ids[place] for place in places]}, return_tensors="pt")
                out = self._model.generate(**rows, **how, max_new_tokens=TRAINED.max_new_tokens,
                                           pad_token_id=self._tokenizer.pad_token_id)  # fmt: skip
                said = self._tokenizer.batch_decode(out[:, rows["input_ids"].shape[1] :], skip_special_tokens=True)
                for number, text in enumerate(said):
                    found[places[number // each] * each + number % each] = text.partition("?")[0]
        return found
