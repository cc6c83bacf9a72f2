"""Interface of language models: one batch method, typed requests and replies, independent of claims.

Limitations: no chat history, no streaming, no tools; a request is one prompt.
"""

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from src.errors import ModelError

Stopped = Literal["stop", "eos", "length", "empty", "choices"]
ChoiceMethod = Literal["label_tokens", "first_tokens", "option_letters", "letters_read"]


SCHEMA = "schema"  # part of a reply's `left_out`
SERVER_FIELDS = "server_fields"  # detail of a model's info: the user's fields of each request to its server


class Reading(msgspec.Struct, frozen=True):
    """The part of an answer that the caller reads.

    `characters`: only this many characters at the beginning are read.
    `until`: reading ends after the first occurrence of this text.
    """

    characters: int
    until: str

    def of(self, text: str) -> str:
        """Return the part of an answer that is read, including `until` if it occurs."""
        before, until, _ = text[: self.characters].partition(self.until)
        return before + until


class Request(msgspec.Struct, frozen=True):
    """One prompt and how to answer it.

    `prompt`: the text that the model continues.
    `chat`: wrap the prompt as one user turn in the model's chat template.
    `system`: text of the system turn before it.
    `max_new_tokens`: maximum number of tokens of the answer.
    `max_length`: maximum number of tokens of prompt and answer together, as in the published baseline; overrides
        `max_new_tokens`.
    `stop`: the answer ends before the first of these strings.
    `num_beams`: beams of a beam search; 1: greedy decoding.
    `no_repeat_ngram_size`: n-grams of this size may not repeat; 0: no ban.
    `temperature`: sampling temperature; 0: no sampling.
    `seed`: seed of the sampling.
    `choices`: closed set to score, instead of generating text. An engine that cannot score whole choices asks for
    option letters, in two calls.
    `first_tokens`: such an engine scores the choices by their first tokens, in one call; by letters if that fails.
    `role`: name of the part of the program that sends the request; scripted replies are consumed in order per role.
    `reading`: the engine may end an answer as soon as this part of it can no longer change.
    `shared`: the first `shared` characters of the prompt begin other prompts too; an engine may read them once for all.
    `grammar`: GBNF grammar of llama.cpp with a rule `root`; engines without "grammar" in `can` ignore it.
    `schema`: JSON schema of the answer, as JSON. All engines follow it, chats of servers if the server can; other
        calls of a server, beams, choices, and encoder-decoders ignore it.
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
    schema: str = ""


class Reply(msgspec.Struct, frozen=True):
    """Answer to a request.

    `text`: the answer without the prompt and the stop string; with choices, the best choice.
    `prompt_tokens`, `new_tokens`: token counts of prompt and answer.
    `stopped`: why the answer ended; "empty" if the model wrote nothing but white space.
    `scores`: natural-log probability of each choice, in the request's order, not normalized over the choices.
    `method`: how the choices were scored.
    `left_out`: parts of the request that a server was not sent, since it had refused them or the user leaves them out:
        "schema", "temperature", "seed", "stop".
    """

    text: str
    prompt_tokens: int
    new_tokens: int
    stopped: Stopped
    scores: tuple[float, ...] = ()
    method: ChoiceMethod | None = None
    left_out: tuple[str, ...] = ()

    @property
    def calls(self) -> int:
        """Return the number of calls to the engine: for scored choices, one per generated token, else 1."""
        return max(1, self.new_tokens) if self.stopped == "choices" else 1


class PartialError(ModelError):
    """Raised when only some requests of a batch were answered; `replies` has the reply or error of each, in order."""

    def __init__(self, replies: "Sequence[Reply | ModelError]") -> None:
        self.replies = tuple(replies)
        super().__init__(str(next(reply for reply in replies if isinstance(reply, ModelError))))


class ModelInfo(msgspec.Struct, frozen=True):
    """Description of a model for a run's manifest.

    `spec`: the spec by which it was loaded.
    `engine`: the engine's name.
    `name`: the model's name.
    `sha256`: hash of the weights if they are local files.
    `context`: maximum number of tokens of prompt and answer together; None: unknown.
    `can`: the engine's abilities beyond greedy decoding: "beams", "ngram_ban", "seed", "label_tokens", "grammar".
    `deterministic`: False if scheduling or a remote server may change the output.
    `details`: further fields of the manifest.
    `seq2seq`: the model is an encoder-decoder, such as FLAN-T5.
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
    """A loaded model. `complete` returns the replies to any number of requests, in order.

    `complete` raises ModelError when a request cannot be answered, PartialError if the failed requests are known, and
    MissingExtra or InputError when the engine cannot be started.
    """

    @property
    def info(self) -> ModelInfo: ...

    def complete(self, requests: Sequence[Request]) -> list[Reply]: ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the token count of each text, without special tokens; an estimate without a local tokenizer."""
        ...
