"""Causal and encoder-decoder models with transformers: `hf:NAME_OR_FOLDER`, or OWNER/NAME of the hub.

A call's requests are grouped by decoding settings, sorted by length and run in batches. Answers are returned in the
order of the requests.

Limitations: one process, one copy of the model. A prompt that is too long is refused, not truncated. A closed set is
always scored by its whole choices, as they are, even if `first_tokens` is set.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from src.errors import ModelError
from src.llm import Options
from src.llm.batching import sub_batches
from src.llm.chat import prompt_text
from src.llm.generation import Generator
from src.llm.label_scores import causal_scores, exact_head, seq2seq_scores
from src.llm.loading import Loaded, context_of, load_pretrained
from src.llm.protocol import ModelInfo, Reply, Request
from src.llm.replies import choice_reply
from src.llm.rows import Row, beams_of, row_of
from src.llm.schema_mask import follows_schema
from src.llm.special_tokens import harmless, special_of
from src.llm.weights import hash_of


def load(spec: str, argument: str, options: Options) -> "TransformersModel":
    """Load the model of the spec `hf:NAME_OR_FOLDER`. Raises InputError or MissingExtra when it cannot be loaded."""
    folder = Path(argument)
    weights = hash_of(folder) if folder.is_dir() else None
    return TransformersModel(spec, argument, load_pretrained(argument, options, weights), options, weights)


class TransformersModel:
    """Language model of the transformers library."""

    def __init__(self, spec: str, name: str, loaded: Loaded, options: Options, sha256: str | None) -> None:
        self._model, self._tokenizer, self._seq2seq = loaded.model, loaded.tokenizer, loaded.seq2seq
        self._special = special_of(loaded.tokenizer.added_tokens_decoder)
        self._batch_rows, self._batch_tokens = options.batch_rows, options.batch_tokens
        self._generator = Generator(loaded)
        details = {"dtype": loaded.dtype, "device": loaded.device, "batch_rows": str(options.batch_rows)}
        details |= {} if options.batch_tokens == Options().batch_tokens else {"batch_tokens": str(options.batch_tokens)}
        self.info = ModelInfo(
            spec,
            "transformers",
            name,
            sha256=sha256,
            context=options.limited(context_of(self._model.config)),
            can=frozenset({"beams", "ngram_ban", "seed", "label_tokens"}),
            deterministic=loaded.device == "cpu",
            details=details
            | ({"revision": loaded.revision} if loaded.revision else {})
            | (loaded.adapter.details if loaded.adapter else {}),
            seq2seq=loaded.seq2seq,
        )

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        return [len(ids) for ids in self._tokenize([harmless(text, self._special) for text in texts], special=False)]

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Return the reply to each request, in order.

        Raises ModelError, with the token counts, when a prompt leaves no room for an answer.
        """
        rows = [self._row(request, tokens) for request, tokens in zip(requests, self._prompts(requests), strict=True)]
        groups: dict[tuple[object, ...], list[int]] = {}
        for index, row in enumerate(rows):
            groups.setdefault(decoded_alike(row.request), []).append(index)
        replies: dict[int, Reply] = {}
        with torch.inference_mode():
            for group in groups.values():
                for index_in_group, reply in self._answers([rows[index] for index in group]):
                    replies[group[index_in_group]] = reply
        return [replies[index] for index in range(len(rows))]

    def _answers(self, rows: list[Row]) -> Iterator[tuple[int, Reply]]:
        if not rows[0].request.choices:
            yield from self._generator.answers(rows, self._batch_rows, self._batch_tokens)
            return
        for batch in sub_batches([row.cost for row in rows], self._batch_rows, self._batch_tokens):
            yield from zip(batch, self._score([rows[index] for index in batch]), strict=True)

    def _score(self, rows: list[Row]) -> list[Reply]:
        score = seq2seq_scores if self._seq2seq else causal_scores
        choices = [self._tokenize(row.request.choices, special=False) for row in rows]
        with exact_head(self._model):
            all_scores = score(self._model, [row.tokens for row in rows], choices, self._generator.pad)
        return [
            choice_reply(row.request, scores, "label_tokens", len(row.tokens))
            for row, scores in zip(rows, all_scores, strict=True)
        ]

    def _row(self, request: Request, tokens: list[int]) -> Row:
        """Return a request's row. Raises ModelError when there is no room for an answer, or a choice has no tokens."""
        longest = self._longest_choice(request) if request.choices else 0
        return row_of(self.info, request, tokens, self._generator.pad, longest)

    def _longest_choice(self, request: Request) -> int:
        lengths = self.count_tokens(request.choices)
        if not all(lengths):
            raise ModelError(f"{self.info.spec}: one of the choices {request.choices} has no tokens")
        return max(lengths)

    def _prompts(self, requests: Sequence[Request]) -> list[list[int]]:
        """Return the token ids of each prompt."""
        prompts = [prompt_text(self._tokenizer, request, self._special) for request in requests]
        plain = iter(self._tokenize([prompt.text for prompt in prompts if prompt.special], special=True))
        chats = iter(self._tokenize([prompt.text for prompt in prompts if not prompt.special], special=False))
        return [next(plain if prompt.special else chats) for prompt in prompts]

    def _tokenize(self, texts: Sequence[str], *, special: bool) -> list[list[int]]:
        if not texts:
            return []
        ids: list[list[int]] = self._tokenizer(list(texts), add_special_tokens=special, verbose=False)["input_ids"]
        return ids


def decoded_alike(request: Request) -> tuple[object, ...]:
    """Return the batching key of a request: requests with equal keys may share a batch."""
    if request.choices:
        return ("choices", len(request.choices))
    return (
        request.stop, beams_of(request), request.no_repeat_ngram_size, request.reading, follows_schema(request)
    )  # fmt: skip
