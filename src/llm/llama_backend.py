"""The bundled SmolLM2 without transformers: greedy and sampled answers by `llama_layers.py`.

The prompts of a call are read once each, and all their answers are continued together, one token a step. An answer that
has ended leaves the batch. Requests for beams, a ban of n-grams, choices or a chat are answered by transformers, which
is loaded when the first of them comes.

Limitations: on the CPU only. In bfloat16 the other requests of a call may change an answer by rounding; weights are
multiplied in blocks of fixed size, so that this is rare.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from src.errors import InputError
from src.llm.adapter import Adapter, Merging, check_base, read_adapter
from src.llm.batching import sub_batches
from src.llm.llama_layers import WORDS, Llama, LlamaShape, fits, shapes_of
from src.llm.options import Options
from src.llm.protocol import LanguageModel, ModelInfo, Reply, Request, Stopped
from src.llm.replies import text_reply
from src.llm.rows import Row, beams_of, row_of
from src.llm.special_tokens import harmless, special_of
from src.llm.stopping import Stopping
from src.llm.tensor_file import LazyWeights, TensorFile
from src.store import read_json

if TYPE_CHECKING:
    from src.llm.branching import Answer

ABILITIES = frozenset({"beams", "ngram_ban", "seed", "label_tokens"})  # of transformers, which does what is not here


class _Ending(msgspec.Struct, frozen=True):
    """Fields of generation_config.json that are read."""

    eos_token_id: int
    pad_token_id: int | None = None


class LlamaModel:
    """Language model in a folder of transformers, run by `Llama`.

    The constructor raises InputError for a model that `Llama` cannot run, and for an adapter of another model.

    `sha256`: hash of the weights that the folder was made from.
    `dtype`: number format to compute in.
    `other`: loads the same model on transformers.
    """

    def __init__(
        self,
        spec: str,
        name: str,
        folder: Path,
        options: Options,
        sha256: str,
        dtype: str,
        other: Callable[[], LanguageModel],
    ) -> None:
        from tokenizers import Tokenizer

        config = read_json(folder / "config.json", dict[str, Any])
        if not fits(config):
            raise InputError("is not of a Llama that these layers can run", path=folder / "config.json")
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._special = special_of(self._tokenizer.get_added_tokens_decoder())
        ending = read_json(folder / "generation_config.json", _Ending)
        self._end = ending.eos_token_id
        self._pad = self._end if ending.pad_token_id is None else ending.pad_token_id
        self._batch_rows, self._batch_tokens = options.batch_rows, options.batch_tokens
        self._load_other = other
        adapter = read_adapter(options.adapter) if options.adapter else None
        if adapter is not None:
            check_base(adapter.folder, adapter.training, sha256)
        self._llama = Llama(_sound(weights_of(folder, adapter, dtype), config, folder), LlamaShape.of(config))
        details = {"dtype": dtype, "device": "cpu", "batch_rows": str(options.batch_rows)}
        details["other_requests"] = "transformers"  # that is_plain refuses
        details |= {} if options.batch_tokens == Options().batch_tokens else {"batch_tokens": str(options.batch_tokens)}
        self.info = ModelInfo(
            spec,
            "torch",
            name,
            sha256=sha256,
            context=options.limited(int(config["max_position_embeddings"])),
            can=ABILITIES,
            details=details | (adapter.details if adapter else {}),
        )

    @cached_property
    def _other(self) -> LanguageModel:
        return self._load_other()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        rows = self._tokenizer.encode_batch([harmless(text, self._special) for text in texts], add_special_tokens=False)
        return [len(row.ids) for row in rows]

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Return the reply to each request, in order.

        Raises ModelError, with the token counts, when a prompt leaves no room for an answer.
        """
        own = [place for place, request in enumerate(requests) if is_plain(request)]
        others = [place for place, request in enumerate(requests) if not is_plain(request)]
        replies = dict(zip(own, self._answers([requests[place] for place in own]), strict=True))
        if others:
            replies |= zip(others, self._other.complete([requests[place] for place in others]), strict=True)
        return [replies[place] for place in range(len(requests))]

    def _answers(self, requests: Sequence[Request]) -> list[Reply]:
        import torch

        texts = [harmless(request.prompt, self._special) for request in requests]
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        rows = [row_of(self.info, *both, self._pad) for both in zip(requests, tokens, strict=True)]
        replies: dict[int, Reply] = {}
        with torch.inference_mode():
            for batch in self._batches(rows):
                places = [place for prompt in batch for place in prompt]
                written = self._written([[rows[place] for place in prompt] for prompt in batch])
                replies |= zip(places, written, strict=True)
        return [replies[place] for place in range(len(rows))]

    def _batches(self, rows: Sequence[Row]) -> Iterator[list[list[int]]]:
        """Yield batches of rows, as lists of the rows of each of their prompts.

        All answers to a prompt are in one batch, unless there are more than `batch_rows`.
        """
        prompts: dict[tuple[int, ...], list[int]] = {}
        for place, row in enumerate(rows):
            prompts.setdefault(tuple(row.tokens), []).append(place)
        most = self._batch_rows
        parts = [own[first : first + most] for own in prompts.values() for first in range(0, len(own), most)]
        widest = max((len(part) for part in parts), default=1)
        for batch in sub_batches([rows[part[0]].cost for part in parts], max(1, most // widest), self._batch_tokens):
            yield [parts[place] for place in batch]

    def _written(self, batch: Sequence[Sequence[Row]]) -> list[Reply]:
        """Return the replies to the rows of a batch, given by prompt, in order."""
        from src.llm.branching import write

        answers = [[self._answer(row) for row in prompt] for prompt in batch]
        texts = write(self._llama, [prompt[0].tokens for prompt in batch], answers, self._end)
        return [self._reply(*both) for both in zip([row for prompt in batch for row in prompt], texts, strict=True)]

    def _answer(self, row: Row) -> "Answer":
        from src.llm.branching import Answer

        request = row.request
        until = () if request.reading is None else (request.reading.until,)
        stopping = Stopping(self._tokenizer, (*request.stop, *until))
        return Answer(request.temperature, request.seed, row.limit, stopping.ended)

    def _reply(self, row: Row, tokens: list[int]) -> Reply:
        text = self._tokenizer.decode(tokens, skip_special_tokens=True)
        stopped: Stopped = "eos" if tokens[-1] == self._end else "length"
        return text_reply(row.request, text, len(row.tokens), len(tokens), stopped)


def is_plain(request: Request) -> bool:
    """Return True if `LlamaModel` answers the request itself."""
    return not (request.choices or request.chat or request.no_repeat_ngram_size or beams_of(request) > 1)


def weights_of(folder: Path, adapter: Adapter | None, dtype: str) -> LazyWeights:
    """Return the weights of a folder of transformers in a number format, with an adapter merged into them."""
    import torch

    weights = TensorFile(folder / "model.safetensors").weights()
    change = Merging(adapter, weights.shapes) if adapter else None
    numbers = getattr(torch, dtype)
    only_cast = [] if change is not None and WORDS in change.names else [WORDS]
    return weights.mapped(
        lambda name, weight: (weight if change is None else change(name, weight)).to(numbers), only_cast
    )


def _sound(weights: LazyWeights, config: Mapping[str, Any], folder: Path) -> LazyWeights:
    """Return the weights. Raises InputError if one that the config asks for is missing or has another shape."""
    for name, shape in shapes_of(config).items():
        if (found := weights.shapes.get(name)) != shape:
            has = "is missing" if found is None else f"has the shape {list(found)}"
            raise InputError(f"{name} {has}, config.json asks for {list(shape)}", path=folder / "model.safetensors")
    return weights
