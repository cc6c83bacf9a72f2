"""Closed-book baseline: a language model gives the verdict on a claim without evidence, directly or after reasoning.

The methods follow Table 3 of ProgramFC and its appendix E. The prompts and examples are our own; all methods use the
same eight claims as examples.

If only the verdict is wanted, the model's probabilities of True and False give it. If the model reasons first, the
verdict at the end of its text is read: "Therefore, the answer is: False." and similar forms. If the text has none, the
model is asked again with its reasoning in the prompt, and the probabilities of True and False count (Kojima et al.,
"Large Language Models are Zero-Shot Reasoners", NeurIPS 2022). Thus every claim has a verdict that comes from the
model.

A verdict is written as the trace of a program that verifies the whole claim; the reasoning is its evidence.

Limitations: only explicit answers count as a verdict at the end, not "The answer is not clear".
"""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.claims import ClaimText
from src.errors import InputError
from src.llm.protocol import LanguageModel, Reply, Request
from src.programs.answerers.by_language_model import scored_verdict
from src.programs.functions import as_value
from src.programs.generation import FOLDER
from src.programs.records import ClaimTrace, StepEvidence
from src.programs.whole_claim import trace_of
from src.prompts import load
from src.records import Value
from src.runner.outcome import Outcome
from src.store import read_bytes

HEAD = "Is it true that "


class Method(msgspec.Struct, frozen=True):
    """A way to ask a language model for a verdict without evidence.

    `prompt`: name of a prompt in src/prompts.
    `demonstrations`: file of examples; by default None: no examples are shown.
    `reasons`: True if the model writes its reasoning before the verdict.
    """

    name: str
    prompt: str
    demonstrations: Path | None = None
    reasons: bool = False


METHODS = {
    one.name: one
    for one in (
        Method("direct", "closed_book_direct", FOLDER / "direct.txt"),
        Method("zs_cot", "closed_book_zs_cot", reasons=True),
        Method("cot", "closed_book_cot", FOLDER / "chain_of_thought.txt", reasons=True),
        Method("self_ask", "closed_book_self_ask", FOLDER / "self_ask.txt", reasons=True),
        Method("verify", "closed_book_verify"),
    )
}


class Example(msgspec.Struct, frozen=True):
    """An example that is shown to the model.

    `claim`: the claim.
    `written`: the text of the example in a prompt, with the answer.
    """

    claim: str
    written: str


def examples(method: Method) -> list[Example]:
    """Return the examples that the method shows, which may be none. Raises the InputError of `read_examples`."""
    if method.demonstrations is None:
        return []
    return read_examples(method.demonstrations)


def read_examples(path: Path) -> list[Example]:
    """Return the examples of a file, which are separated by empty lines.

    Raises InputError (file, line) when a block does not begin with a question about a claim.
    """
    text, blocks, line = read_bytes(path).decode("utf-8").strip("\n"), [], 1
    for block in text.split("\n\n"):
        question = re.match(rf"{HEAD}(.+?)\?", block)
        if question is None:
            raise InputError(f"no example begins with {HEAD.strip()!r}", path=path, line=line)
        blocks.append(Example(question[1], block))
        line += block.count("\n") + 2
    return blocks


def asked_about(claim: str) -> str:
    """Return the claim as it is put into a question: on one line, without its final period."""
    return " ".join(claim.split()).removesuffix(".")


def method_names(text: str) -> str:
    """Return the names of methods in `text`, which are separated by commas, each once.

    Raises ValueError when a name is unknown.
    """
    names = dict.fromkeys(name.strip() for name in text.split(","))
    if unknown := [name for name in names if name not in METHODS]:
        raise ValueError(f"{unknown[0]!r} is none of {', '.join(METHODS)}")
    return ",".join(names)


_ANSWER = re.compile(
    r"\banswer\b(?:\s*\([^()]*\))?(?:\s+is\b|\s*:)[\s:*_\"'(“]*"
    r"(?:(true|false)\b(?!\s*/|\W+(?:or|and|nor)\b)|(yes|no)\b(?=[^\w\s]|\s*$))",
    re.IGNORECASE | re.MULTILINE,
)
_ALONE = re.compile(r"\W*(true|false)\W*", re.IGNORECASE)


def closing_verdict(text: str) -> Value | None:
    """Return the verdict at the end of a model's reasoning; None if there is none.

    If the last line is only true or false, it is the verdict. Otherwise it is in the last sentence that states the
    answer.
    """
    lines = text.strip().splitlines()
    if lines and (alone := _ALONE.fullmatch(lines[-1])):
        return as_value(alone[1])
    answers = [match[1] or match[2] for match in _ANSWER.finditer(text)]
    return as_value(answers[-1]) if answers else None


MAX_NEW_TOKENS = 256
STOP = f"\n{HEAD}"  # the head of the next claim
WORDS = ("True", "False")
_CLAIM = "\0"  # a marker that no demonstration contains


class ClosedBook:
    """A closed-book method with a language model.

    Its requests have the name of the method as role. If the model's reasoning ends without a verdict, it is asked again
    for True or False; these requests have the role `NAME_answer`.
    """

    def __init__(self, model: LanguageModel, method: Method, *, chat: bool) -> None:
        self._model, self._method, self._chat = model, method, chat
        shown = "\n\n".join(one.written for one in examples(method))
        filled = load(method.prompt).substitute(demonstrations=shown, claim=_CLAIM)
        self._before, self._after = filled.split(_CLAIM)

    def answer(self, claims: Sequence[ClaimText]) -> list[Outcome[ClaimTrace]]:
        """Return the verdict on each claim, in order.

        The first requests of all claims are sent in one list. Then come, in another list, the requests for the verdict
        of claims whose reasoning ended without one. Raises ModelError when the model fails.
        """
        prompts = [f"{self._before}{asked_about(claim.claim)}{self._after}" for claim in claims]
        if not self._method.reasons:
            replies = self._model.complete([self._scored(prompt, self._method.name) for prompt in prompts])
            return [_outcome(claim, scored_verdict(reply), reply) for claim, reply in zip(claims, replies, strict=True)]
        thoughts = self._model.complete([self._reasoned(prompt) for prompt in prompts])
        verdicts = [closing_verdict(thought.text) for thought in thoughts]
        open_ = [at for at, value in enumerate(verdicts) if value is None]
        requests = [self._scored(_again(prompts[at], thoughts[at].text), f"{self._method.name}_answer") for at in open_]
        answers = dict(zip(open_, self._model.complete(requests) if requests else [], strict=True))
        return [self._concluded(claim, thoughts[at], verdicts[at], answers.get(at)) for at, claim in enumerate(claims)]

    def _reasoned(self, prompt: str) -> Request:
        return Request(
            prompt, chat=self._chat, system=self._system(), max_new_tokens=MAX_NEW_TOKENS, stop=(STOP,),
            role=self._method.name, shared=len(self._before),
        )  # fmt: skip

    def _scored(self, prompt: str, role: str) -> Request:
        choices = WORDS if self._chat else (" True", " False")
        return Request(
            prompt, chat=self._chat, system=self._system(), choices=choices, first_tokens=True, role=role,
            shared=len(self._before),
        )  # fmt: skip

    def _system(self) -> str:
        return load("closed_book_system").template if self._chat else ""

    def _concluded(
        self, claim: ClaimText, thought: Reply, verdict: Value | None, answer: Reply | None
    ) -> Outcome[ClaimTrace]:
        if answer is None:
            return _outcome(claim, (verdict or Value.UNKNOWN, 0.0, ""), thought, reasoning=thought.text)
        return _outcome(claim, scored_verdict(answer), thought, answer, reasoning=thought.text)


def _again(prompt: str, reasoning: str) -> str:
    return load("closed_book_answer").substitute(prompt=prompt, reasoning=reasoning.strip())


def _outcome(
    claim: ClaimText, verdict: tuple[Value, float, str], *replies: Reply, reasoning: str = ""
) -> Outcome[ClaimTrace]:
    value, confidence, failure = verdict
    thoughts = [StepEvidence(reasoning.strip(), "", 0.0)] if reasoning.strip() else []
    calls = sum(reply.calls for reply in replies)
    counts = {
        "model_calls": calls,
        "asked_again": len(replies) - 1,
        "prompt_tokens": sum(reply.prompt_tokens for reply in replies),
        "new_tokens": sum(reply.new_tokens for reply in replies),
    }
    return Outcome(trace_of(claim.claim_id, claim.claim, value, confidence, thoughts, calls), counts, failure)
