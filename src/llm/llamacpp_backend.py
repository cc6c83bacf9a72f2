"""GGUF models with llama.cpp's server inside this process (xllamacpp): `gguf:FILE`.

The server listens on a loopback port chosen by the system and accepts only a random key of this process. With one slot,
requests run one after another, and the same call gives the same text. With more slots llama.cpp batches the requests in
progress. This is faster on some machines and may change a near tie, so `info.deterministic` is False.

llama.cpp's cache of prompts is off, since an answer would depend on the calls before it. A prefix shared by requests is
read once instead (`SharedPrefixes`): the state after it is kept in a file, from which each of these requests starts.

Limitations: no beams, no n-gram ban, no scores of label tokens. A closed set is scored by first tokens if the request
allows it, else by option letters. Only the last few shared prefixes are kept; a state takes some tens of kilobytes per
token.
"""

import json
import os
import re
import secrets
import shutil
import threading
import urllib.error
import urllib.request
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import count, takewhile
from pathlib import Path
from queue import SimpleQueue
from tempfile import mkdtemp
from typing import Any, NamedTuple

import msgspec

from src.errors import InputError, ModelError
from src.llm import Options
from src.llm.adapter import Adapter, check_base, read_adapter
from src.llm.choices import Likeliest, first_tokens, score_choices
from src.llm.gguf_files import check_gguf, lora_gguf
from src.llm.progress import answered
from src.llm.protocol import ModelInfo, Reply, Request, Stopped
from src.llm.replies import text_reply
from src.store import sha256

MOST_PREFIXES = 8
_ENDS = ("A", "\n1")  # possible continuations of a prompt: the tokens before both do not depend on them


class SharedPrefix(NamedTuple):
    """A shared prefix: its token ids, and the name of the file with llama.cpp's state after them."""

    tokens: list[int]
    name: str


class Server(NamedTuple):
    """Functions by which SharedPrefixes calls a llama.cpp server.

    `call`: sends a path and a body to the server and returns its JSON.
    `tokens`: returns the token ids of a request's prompt.
    """

    call: Callable[[str, object], Any]
    tokens: Callable[[Request], list[int]]


class SharedPrefixes:
    """Cache of llama.cpp's states after shared prefixes of prompts; the server writes the states to `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: OrderedDict[tuple[str, bool, str], SharedPrefix] = OrderedDict()
        self._names = (f"{number}.state" for number in count())
        self._lock = threading.Lock()

    def begin(self, server: Server, request: Request, prompt: list[int], slot: int) -> bool:
        """Load the state after the request's shared prefix into the slot; return False if it has no such prefix.

        Raises ModelError when the server fails.
        """
        if not request.shared:
            return False
        with self._lock:
            prefix = self._prefix(server, request, slot)
            if not prefix.tokens or prompt[: len(prefix.tokens)] != prefix.tokens:
                return False
            server.call(f"/slots/{slot}?action=restore", {"filename": prefix.name})
        return True

    def forget(self) -> None:
        """Clear the cache of states, and delete their files."""
        with self._lock:
            while self._known:
                self._drop()

    def _prefix(self, server: Server, request: Request, slot: int) -> SharedPrefix:
        key = (request.prompt[: request.shared], request.chat, request.system)
        if key not in self._known:
            self._known[key] = self._read(server, request, slot)
            if len(self._known) > MOST_PREFIXES:
                self._drop()
        self._known.move_to_end(key)
        return self._known[key]

    def _drop(self) -> None:
        _, oldest = self._known.popitem(last=False)
        (self._folder / oldest.name).unlink(missing_ok=True)

    def _read(self, server: Server, request: Request, slot: int) -> SharedPrefix:
        text = request.prompt[: request.shared]
        variants = [server.tokens(msgspec.structs.replace(request, prompt=text + end)) for end in _ENDS]
        tokens = [token for token, _ in takewhile(lambda pair: pair[0] == pair[1], zip(*variants, strict=False))]
        prefix = SharedPrefix(tokens, next(self._names))
        if not prefix.tokens:
            return prefix
        server.call("/completion", {"prompt": prefix.tokens, "n_predict": 0, "id_slot": slot, "cache_prompt": False})
        try:
            server.call(f"/slots/{slot}?action=save", {"filename": prefix.name})
        except ModelError:  # no room for the file: requests are read whole
            return SharedPrefix([], prefix.name)
        return prefix


ENDED: dict[str, Stopped] = {"eos": "eos", "word": "stop", "limit": "length"}
_SUSPECT = re.compile(r"[<\[|]")  # a text without these contains no special token
_MARK = "text-of-a-turn-"  # placeholder for a text while a template is applied
LIKELIEST = 100  # number of likeliest next tokens, in which first tokens and option letters are looked for


def load(spec: str, argument: str, options: Options) -> "LlamaCppModel":
    """Load the model of the spec `gguf:FILE`. Raises InputError when llama.cpp cannot read the file."""
    path = Path(argument)
    if not path.is_file():
        raise InputError("no such GGUF file", path=path)
    return LlamaCppModel(spec, path, options)


class LlamaCppModel:
    """Language model in a GGUF file."""

    def __init__(self, spec: str, path: Path, options: Options) -> None:
        self._spec, self._path, self._slots = spec, path, options.slots
        self._threads = options.threads or len(os.sched_getaffinity(0))
        self._key = secrets.token_hex()
        self._sha256 = sha256(path)
        check_gguf(path, self._sha256)
        self._adapter = self._read_adapter(options)
        self._folder = Path(mkdtemp())
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._server = self._start(options.context)
        self._shared = SharedPrefixes(self._folder)
        self._first_tokens: dict[tuple[str, ...], dict[str, int]] = {}
        self._free = SimpleQueue[int]()
        for slot in range(self._slots):
            self._free.put(slot)
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self._context = int(self._call("/props")["default_generation_settings"]["n_ctx"])

    @cached_property
    def info(self) -> ModelInfo:
        return ModelInfo(
            self._spec,
            "llama.cpp",
            self._path.name,
            sha256=self._sha256,
            context=self._context,
            can=frozenset({"seed", "grammar"}),
            deterministic=self._slots == 1,
            details={"slots": str(self._slots), "threads": str(self._threads)}
            | (self._adapter.details if self._adapter else {}),
        )

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Return the reply to each request, in order.

        Raises ModelError, with the token counts, when a prompt leaves no room for an answer.
        """
        replies = []
        with ThreadPoolExecutor(self._slots) as pool:
            for reply in pool.map(self._answer, requests):
                replies.append(reply)
                answered(1)
        return replies

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        return [len(self._tokenize(text)) for text in texts]

    def forget(self) -> None:
        """Clear the cache of shared prefixes, for measurements; answers do not change."""
        self._shared.forget()

    def _read_adapter(self, options: Options) -> Adapter | None:
        if options.adapter is None:
            return None
        adapter = read_adapter(options.adapter)
        check_base(adapter.folder, adapter.training, self._sha256)
        return adapter

    def _start(self, context: int) -> Any:
        import xllamacpp

        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.n_parallel = self._slots
        params.n_ctx = context * self._slots
        params.api_keys = [self._key]
        params.cache_prompt, params.cache_ram_mib, params.slot_prompt_similarity = False, 0, 0.0
        params.slot_save_path = f"{self._folder}/"
        params.verbosity, params.warmup, params.ui = 0, False, False
        if self._adapter is not None:
            params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(lora_gguf(self._adapter, self._path)), 1.0)]
        for threads in (params.cpuparams, params.cpuparams_batch):
            threads.n_threads = self._threads
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            raise InputError(f"llama.cpp cannot load it: {error}", path=self._path) from error

    def _call(self, path: str, body: object = None) -> Any:
        """Send a request to the server (POST with a body, else GET) and return the JSON of its response."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        try:
            with self._opener.open(urllib.request.Request(self._server.listening_address + path, data, headers)) as got:
                return json.load(got)
        except urllib.error.HTTPError as error:
            with error:
                reason = json.load(error)["error"]["message"]
            raise ModelError(f"{self._spec}: {reason}") from None
        except OSError as error:
            raise ModelError(f"{self._spec}: llama.cpp's server does not answer: {error}") from None

    def _tokenize(self, text: str, *, special: bool = False, is_template: bool = False) -> list[int]:
        """Return the token ids of a text.

        With `special`, the model's special tokens are added before it. With `is_template`, special tokens that are
        written in the text are read as such; otherwise they are plain text.
        """
        body = {"content": text, "add_special": special, "parse_special": is_template}
        tokens: list[int] = self._call("/tokenize", body)["tokens"]
        return tokens

    def _prompt(self, request: Request) -> list[int]:
        """Return the prompt's token ids; with a chat template, the special tokens come from the template."""
        if not request.chat:
            return self._tokenize(request.prompt, special=True)
        texts = {"system": request.system, "user": request.prompt} if request.system else {"user": request.prompt}
        suspect = filter(_SUSPECT.search, texts.values())
        if any(self._tokenize(text) != self._tokenize(text, is_template=True) for text in suspect):
            return self._tokenized_apart(texts)
        return self._tokenize(self._in_template(texts), is_template=True)

    def _in_template(self, texts: Mapping[str, str]) -> str:
        turns = [{"role": role, "content": text} for role, text in texts.items()]
        prompt: str = self._call("/apply-template", {"messages": turns})["prompt"]
        return prompt

    def _tokenized_apart(self, texts: Mapping[str, str]) -> list[int]:
        """Return the token ids of chat turns, with texts and template tokenized separately.

        Special tokens that are written in the texts thus remain plain text.
        """
        tokens: list[int] = []
        rest = self._in_template({role: _MARK + role for role in texts})
        for role, text in texts.items():
            before, _, rest = rest.partition(_MARK + role)
            tokens += [*self._tokenize(before, is_template=True), *self._tokenize(text)]
        return tokens + self._tokenize(rest, is_template=True)

    def _answer(self, request: Request) -> Reply:
        if request.choices:
            return score_choices(
                request, self._likeliest, self._begin(request.choices) if request.first_tokens else None
            )
        prompt = self._prompt(request)
        limit = request.max_new_tokens if request.max_length is None else request.max_length - len(prompt)
        if limit < 1:
            raise ModelError(f"{self._spec}: the prompt has {len(prompt)} tokens, max_length is {request.max_length}")
        answer = self._complete(request, prompt, limit)
        ended = ENDED.get(answer["stop_type"], "length")
        return text_reply(request, answer["content"], len(prompt), answer["tokens_predicted"], ended)

    def _complete(self, request: Request, prompt: list[int], limit: int, likeliest: int = 0) -> Any:
        if len(prompt) >= self._context:
            raise ModelError(f"{self._spec}: the prompt has {len(prompt)} tokens, the context is {self._context}")
        held_to = (
            {"json_schema": msgspec.json.decode(request.schema)} if request.schema else {"grammar": request.grammar}
        )
        body = {
            "prompt": prompt or [self._call("/tokenize", {"content": "\n"})["tokens"][0]],
            "n_predict": min(limit, self._context - len(prompt)),
            "samplers": ["temperature"],
            "temperature": request.temperature,
            "seed": request.seed,
            "stop": list(request.stop),
            "n_probs": likeliest,
            **held_to,
        }
        slot = self._free.get()
        try:
            shared = self._shared.begin(Server(self._call, self._prompt), request, prompt, slot)
            return self._call("/completion", body | {"id_slot": slot, "cache_prompt": shared})
        finally:
            self._free.put(slot)

    def _likeliest(self, request: Request) -> Likeliest:
        prompt = self._prompt(request)
        answer = self._complete(request, prompt, 1, LIKELIEST)
        top = answer["completion_probabilities"][0]["top_logprobs"]
        return Likeliest({entry["token"]: entry["logprob"] for entry in top}, len(prompt))

    def _begin(self, choices: tuple[str, ...]) -> dict[str, int]:
        """Map tokens that begin a choice at the start of a line to the choice's index (from 0); cached.

        After a chat template, an answer starts a line.
        """
        if choices not in self._first_tokens:
            self._first_tokens[choices] = first_tokens(choices, self._first_token)
        return self._first_tokens[choices]

    def _first_token(self, text: str) -> str:
        """Return the first token of a text at the start of a line.

        Returns "" if the tokenizer joins the token with the line break, or splits a character.
        """
        body = {"content": f"\n{text}", "add_special": False, "with_pieces": True}
        pieces = [token["piece"] for token in self._call("/tokenize", body)["tokens"]]
        return pieces[1] if len(pieces) > 1 and pieces[0] == "\n" and isinstance(pieces[1], str) else ""
