"""The trained recipe in the engine beside a plain use of transformers' batched `generate`, with a stop at "?".

Both sides have the same prompts, adapter, number format and rows of a batch, and the library's batches are sorted by
length. Both read a prompt once for all its draws.

Limitations: draws have other random numbers, so only their speed is compared. A speed is questions a second of
processor time: other work on the machine counts less than in seconds of a clock.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

from bench.questions.asking import ENGINE, one_claim, row_name
from bench.turns import Rows, speeds
from src.llm import Options, get_llm
from src.llm.batching import sub_batches
from src.llm.generation import RowSampling
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
    rates: dict[str, tuple[list[float], list[float]]] = {"likeliest": ([], []), "with draws": ([], [])}
    for _ in range(args.turns):
        count = len(prompts)
        rates["likeliest"][0].append(rate(count, lambda: model.complete(likeliest)))
        rates["likeliest"][1].append(rate(count, lambda: rival.questions(prompts, 0)))
        rates["with draws"][0].append(rate(count, lambda: model.complete([*likeliest, *draws])))
        rates["with draws"][1].append(rate(count, lambda: rival.questions(prompts, TRAINED.samples)))
        print({what: [[round(one, 3) for one in side] for side in both] for what, both in rates.items()}, flush=True)
    ours = [reply.text for reply in model.complete(likeliest)]
    differing = sum(one != other for one, other in zip(ours, rival.questions(prompts, 0), strict=True))
    notes: dict[str, float | str] = {"dtype": args.dtype, "differing": differing}
    return {
        row_name(f"trained, {what}, beside batched generate", args): speeds("questions/s", *both, notes)
        for what, both in rates.items()
    }


def rate(count: int, work: Callable[[], object]) -> float:
    """Return how many a second of processor time, once."""
    began = time.process_time()
    work()
    return count / (time.process_time() - began)


class Library:
    """transformers' `generate`, in batches of similar length with a stop at the question mark."""

    def __init__(self, args: argparse.Namespace) -> None:
        import torch
        from transformers import StoppingCriteriaList, StopStringCriteria

        folder = PRETRAINED / SMOLLM2.folder
        weights = sha256(folder / SMOLLM2.files[0].path)
        options = Options(adapter=SHIPPED, dtype=args.dtype, device="cpu")
        loaded = load_pretrained(str(folder / "transformers"), options, weights)
        self._torch, self._model, self._tokenizer = torch, loaded.model, loaded.tokenizer
        self._tokenizer.padding_side, self._rows, self._tokens = "left", args.batch_rows, args.batch_tokens
        self._tokenizer.pad_token = self._tokenizer.pad_token or self._tokenizer.eos_token
        self._stop = StoppingCriteriaList([StopStringCriteria(self._tokenizer, ["?"])])

    def questions(self, prompts: Sequence[str], draws: int) -> list[str]:
        """Return the likeliest question of each prompt, each followed by that many drawn ones."""
        each = 1 + draws
        ids = self._tokenizer([prompt.rstrip(" ") for prompt in prompts])["input_ids"]
        lengths = [len(row) + TRAINED.max_new_tokens for row in ids]
        questions = [""] * (len(prompts) * each)
        with self._torch.inference_mode():
            for places in sub_batches(lengths, max(1, self._rows // each), self._tokens // each):
                rows = self._tokenizer.pad({"input_ids": [ids[place] for place in places]}, return_tensors="pt")
                for number, text in enumerate(self._written(rows["input_ids"], rows["attention_mask"], each)):
                    questions[places[number // each] * each + number % each] = text.partition("?")[0]
        return questions

    def _written(self, ids: Any, mask: Any, each: int) -> list[str]:
        """Return `each` answers of every row. The prompts are read once, and their cache is repeated."""
        positions = (mask.cumsum(1) - 1).clamp(min=0)[:, :-1]
        read = self._model.base_model(
            input_ids=ids[:, :-1], attention_mask=mask[:, :-1], position_ids=positions, use_cache=True
        ).past_key_values
        read.batch_repeat_interleave(each)
        heat = [0.0, *[TRAINED.temperature] * (each - 1)] * len(ids)
        out = self._model.generate(
            input_ids=ids.repeat_interleave(each, 0), attention_mask=mask.repeat_interleave(each, 0),
            past_key_values=read, max_new_tokens=TRAINED.max_new_tokens, do_sample=False,
            logits_processor=[RowSampling(heat, range(len(heat)))] if each > 1 else [],
            stopping_criteria=self._stop, pad_token_id=self._tokenizer.pad_token_id,
        )  # fmt: skip
        texts: list[str] = self._tokenizer.batch_decode(out[:, ids.shape[1] :], skip_special_tokens=True)
        return texts
