"""The language-model seam: one batch method, typed requests and replies. Knows no claim.

But: no chat history, no streaming, no tools; a request is one prompt.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from src.errors import ModelError

Stopped = Literal["stop", "eos", "length", "empty", "choices"]
ChoiceMethod = Literal["label_tokens", "first_tokens", "option_letters", "letters_read"]


class Reading(msgspec.Struct, frozen=True):
    """How much of an answer is read: its first `characters`, and of these nothing behind the first `until`."""

    characters: int
    until: str

    def of(self, text: str) -> str:
        """What is read, with `until` where that stands in it."""
        before, until, _ = text[: self.characters].partition(self.until)
        return before + until


class Request(msgspec.Struct, frozen=True):
    """One prompt and how to answer it.

    `chat` wraps the prompt as one user turn (with `system` before it) in the model's own chat template; otherwise the
    prompt is continued as it stands. `max_length` counts prompt and answer together, as the published baseline does,
    and wins over `max_new_tokens`. With `choices` nothing is generated: the closed set is scored. An engine that cannot
    score whole choices asks twice, by option letters; with `first_tokens` it asks once how likely the prompt goes on
    with the first token of each, and by letters only where that does not tell. `role` names the part that asks
    (scripted replies are consumed in order for each role). `temperature` 0 is greedy or beam search. With `reading` an
    engine may end an answer as soon as what is read of it can no longer change. The first `shared` characters of the
    prompt are those of other requests, too: an engine may read them once for all. What is generated follows `grammar`,
    a text in llama.cpp's GBNF with a rule `root`, where the engine can do so ("grammar"); others ignore it.
    """

    prompt: str
    chat: bool = False
    system: str = ""
    max_new_tokens: int = 64
    max_length: int | None = None
    stop: tuple[str, ...] = ()
    num_beams: int = 1
    no_repeat_ngram_size: int = 0
    temperature: float = 0.0
    seed: int = 0
    choices: tuple[str, ...] = ()
    first_tokens: bool = False
    role: str = "model"
    reading: Reading | None = None
    shared: int = 0
    grammar: str = ""


class Reply(msgspec.Struct, frozen=True):
    """The answer: text without the prompt and without the stop string, token counts, and why it ended.

    With choices: `text` is the best choice, `scores` holds one log-probability for each choice (natural logarithm, in
    the order asked, not normalised over the set) and `method` says how they were found. The text is empty and `stopped`
    is "empty" when the model said nothing.
    """

    text: str
    prompt_tokens: int
    new_tokens: int
    stopped: Stopped
    scores: tuple[float, ...] = ()
    method: ChoiceMethod | None = None

    @property
    def calls(self) -> int:
        """How often the engine was asked; choices take one call for each token that they wait for."""
        return max(1, self.new_tokens) if self.stopped == "choices" else 1


class PartialError(ModelError):
    """Some requests of a batch were answered and some not: `replies` holds each reply or error, in the order asked."""

    def __init__(self, replies: "Sequence[Reply | ModelError]") -> None:
        self.replies = tuple(replies)
        super().__init__(str(next(one for one in replies if isinstance(one, ModelError))))


class ModelInfo(msgspec.Struct, frozen=True):
    """What the manifest says of a model.

    `sha256` covers the weights where they are local files. `can` names what the engine can do beyond greedy decoding:
    "beams", "ngram_ban", "seed", "label_tokens", "grammar". `context` is the largest prompt and answer together in
    tokens, None when unknown. `deterministic` is false where scheduling or a remote server may change the output.
    `seq2seq`: an encoder-decoder, such as FLAN-T5.
    """

    spec: str
    engine: str
    name: str
    sha256: str | None = None
    context: int | None = None
    can: frozenset[str] = frozenset()
    deterministic: bool = True
    details: dict[str, str] = {}
    seq2seq: bool = False


class LanguageModel(Protocol):
    """A loaded model. `complete` answers a batch in order; the caller may send any number of requests at once.

    Raises ModelError when a request cannot be answered, as PartialError where it is known which; MissingExtra or
    InputError when the engine cannot be started.
    """

    @property
    def info(self) -> ModelInfo: ...

    def complete(self, requests: Sequence[Request]) -> list[Reply]: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, special tokens not counted; an estimate where the engine has no tokenizer here."""
        ...
