"""Interface of language models: one batch method, typed requests and replies, independent of claims.

Limitations: no chat history, no streaming, no tools; a request is one prompt.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from src.errors import ModelError

Stopped = Literal["stop", "eos", "length", "empty", "choices"]
ChoiceMethod = Literal["label_tokens", "first_tokens", "option_letters", "letters_read"]


class Reading(msgspec.Struct, frozen=True):
    """How much of an answer is read: its first `characters`, up to and including the first `until` in them."""

    characters: int
    until: str

    def of(self, text: str) -> str:
        """Return the part of the text that is read, including `until` if it occurs."""
        before, until, _ = text[: self.characters].partition(self.until)
        return before + until


class Request(msgspec.Struct, frozen=True):
    """One prompt and how to answer it.

    `chat` wraps the prompt as one user turn (with `system` before it) in the model's own chat template; otherwise the
    prompt is continued as it is. `max_length` counts prompt and answer together, as the published baseline does, and
    takes precedence over `max_new_tokens`. `temperature` 0 is greedy or beam search. `role` names the part of the
    program that asks; scripted replies are consumed in order for each role.

    With `choices` nothing is generated: the closed set is scored. An engine that cannot score whole choices asks twice,
    by option letters. With `first_tokens` it asks once for the probability of each choice's first token after the
    prompt, and by letters only if that gives no answer.

    With `reading` an engine may end an answer as soon as the part that is read can no longer change. The first `shared`
    characters of the prompt also begin other requests, so an engine may read them once for all. `grammar` is a text in
    llama.cpp's GBNF with a rule `root`. Engines with "grammar" in `can` generate only texts that match it; others
    ignore it.
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
    """The answer: text without the prompt and the stop string, token counts, and why it ended.

    With choices, `text` is the best choice. `scores` has one log-probability per choice (natural logarithm, in the
    order of the request, not normalized over the set), and `method` says how they were computed. If the model wrote
    nothing, the text is empty and `stopped` is "empty".
    """

    text: str
    prompt_tokens: int
    new_tokens: int
    stopped: Stopped
    scores: tuple[float, ...] = ()
    method: ChoiceMethod | None = None

    @property
    def calls(self) -> int:
        """Return the number of calls to the engine; choices take one call per token that they generate."""
        return max(1, self.new_tokens) if self.stopped == "choices" else 1


class PartialError(ModelError):
    """Raised when only some requests of a batch were answered; `replies` has each reply or error, in order."""

    def __init__(self, replies: "Sequence[Reply | ModelError]") -> None:
        self.replies = tuple(replies)
        super().__init__(str(next(one for one in replies if isinstance(one, ModelError))))


class ModelInfo(msgspec.Struct, frozen=True):
    """Description of a model for the manifest.

    `sha256` covers the weights if they are local files. `can` names what the engine can do beyond greedy decoding:
    "beams", "ngram_ban", "seed", "label_tokens", "grammar". `context` is the largest number of tokens of prompt and
    answer together, None if unknown. `deterministic` is False if scheduling or a remote server may change the output.
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
    """A loaded model. `complete` answers a batch in order, of any number of requests.

    Raises ModelError when a request cannot be answered, PartialError if it is known which ones. Raises MissingExtra or
    InputError when the engine cannot be started.
    """

    @property
    def info(self) -> ModelInfo: ...

    def complete(self, requests: Sequence[Request]) -> list[Reply]: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the token count of each text, without special tokens; an estimate without a local tokenizer."""
        ...
