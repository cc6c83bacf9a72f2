"""Closed-book baseline: a claim's verdict from what a model knows, directly or after reasoning.

If only the verdict is wanted, True and False are scored. If the model reasons first, its closing words are read. If
they contain no verdict, the model is asked again with its reasoning, and True and False are scored (Kojima et al.,
"Large Language Models are Zero-Shot Reasoners", NeurIPS 2022). No answer is lost, and none is made up.

A verdict is written as the trace of a program that verifies the whole claim; the reasoning is its evidence.
"""

from collections.abc import Sequence

from src.claims.texts import ClaimText
from src.llm.protocol import LanguageModel, Reply, Request
from src.programs.answerers.two_choices import told
from src.programs.baselines.closing_words import closing_verdict
from src.programs.baselines.methods import HEAD, Method, asked_about, examples
from src.programs.baselines.trace_of import trace_of
from src.programs.records import ClaimTrace, StepEvidence
from src.prompts import load
from src.records import Value
from src.runner.outcome import Outcome

MAX_NEW_TOKENS = 256
STOP = f"\n{HEAD}"  # the head of the next claim
WORDS = ("True", "False")
_CLAIM = "\0"  # a marker that no demonstration contains


class ClosedBook:
    """One method with one model.

    The roles of its requests are the method's name and, for the request after the reasoning, `NAME_answer`.
    """

    def __init__(self, model: LanguageModel, method: Method, *, chat: bool) -> None:
        self._model, self._method, self._chat = model, method, chat
        shown = "\n\n".join(one.written for one in examples(method))
        filled = load(method.prompt).substitute(demonstrations=shown, claim=_CLAIM)
        self._before, self._after = filled.split(_CLAIM)

    def answer(self, claims: Sequence[ClaimText]) -> list[Outcome[ClaimTrace]]:
        """Return the verdict of each claim, in order. All first requests are sent together, then the second ones.

        Raises ModelError when the model fails.
        """
        prompts = [f"{self._before}{asked_about(claim.claim)}{self._after}" for claim in claims]
        if not self._method.reasons:
            replies = self._model.complete([self._scored(prompt, self._method.name) for prompt in prompts])
            return [_outcome(claim, told(reply), reply) for claim, reply in zip(claims, replies, strict=True)]
        thoughts = self._model.complete([self._reasoned(prompt) for prompt in prompts])
        said = [closing_verdict(thought.text) for thought in thoughts]
        open_ = [at for at, value in enumerate(said) if value is None]
        asked = [self._scored(_again(prompts[at], thoughts[at].text), f"{self._method.name}_answer") for at in open_]
        answers = dict(zip(open_, self._model.complete(asked) if asked else [], strict=True))
        return [self._concluded(claim, thoughts[at], said[at], answers.get(at)) for at, claim in enumerate(claims)]

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
        self, claim: ClaimText, thought: Reply, said: Value | None, answer: Reply | None
    ) -> Outcome[ClaimTrace]:
        if answer is None:
            return _outcome(claim, (said or Value.UNKNOWN, 0.0, ""), thought, reasoning=thought.text)
        return _outcome(claim, told(answer), thought, answer, reasoning=thought.text)


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
