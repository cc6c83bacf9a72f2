"""Prompts of the steps of programs: as the paper prints them, as its released code words them, or as a chat.

    published   EVIDENCE / Q: QUESTION? / The answer is:
                EVIDENCE / Q: Is it true that CLAIM? / True or False? The answer is:
    code        EVIDENCE / Question: QUESTION / The answer is:
                EVIDENCE / Based on the above information, is it true that CLAIM? True or false? The answer is:

The published prompt is from section 3.4 of ProgramFC; without evidence it is one line. The model then writes its
verdict in at most eight tokens. A text other than true, yes, false or no is unknown; the released code draws a label at
random. Only the first line of a reply that is not blank counts. With the other two prompts, True and False are scored,
and the likelier one is the verdict.

In all prompts the evidence comes first; an engine can then read a claim's evidence once for all of its steps.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

from src.llm.protocol import Request
from src.programs.answerers.refusals import is_refusal
from src.programs.functions import Call
from src.programs.records import Function, StepEvidence
from src.prompts import load

ROLES = {Function.VERIFY: "verify", Function.QUESTION: "question"}
CHOICES = ("True", "False")
ANSWER_TOKENS, VERDICT_TOKENS = 32, 8
LONGEST_EVIDENCE = 3000  # words, of all passages
_LEAD = re.compile(r"^(?:(?:the )?answer(?: is)?\s*:|the answer is\b(?!n't))\s*", re.IGNORECASE)


class Prompts(StrEnum):
    """The kinds of prompts for steps."""

    PUBLISHED = "published"
    CODE = "code"
    CHAT = "chat"


class Forms:
    """Builder of the requests of steps. `longest` is the maximum number of words of evidence in a prompt."""

    def __init__(self, prompts: Prompts, longest: int = LONGEST_EVIDENCE) -> None:
        self._prompts, self._longest = prompts, longest

    @property
    def scores(self) -> bool:
        """Return True if True and False are scored; otherwise the model writes its verdict."""
        return self._prompts is not Prompts.PUBLISHED

    def request(self, call: Call, evidence: Sequence[StepEvidence] | None, *, shared: bool = True) -> Request:
        """Return the request of a call.

        Without evidence the prompt is closed-book. `shared` is True if other requests begin with the same evidence.
        """
        shown = "" if evidence is None else evidence_text(evidence, self._longest)
        chat, verifies = self._prompts is Prompts.CHAT, call.function is Function.VERIFY
        system = load("step_system_closed" if evidence is None else "step_system").template if chat else ""
        before = f"{shown}\n\n" if shown and chat else f"{shown}\n" if shown else ""
        choices = CHOICES if verifies and self.scores else ()
        stop = ("\n",) if self.scores else ()  # a model may begin its reply on a new line
        return Request(
            before + self._text(call, closed=evidence is None), chat=chat, system=system,
            max_new_tokens=VERDICT_TOKENS if verifies and not self.scores else ANSWER_TOKENS, stop=stop,
            choices=choices, first_tokens=bool(choices), role=ROLES[call.function], shared=len(shown) if shared else 0,
        )  # fmt: skip

    def _text(self, call: Call, *, closed: bool) -> str:
        match self._prompts:
            case Prompts.PUBLISHED:
                return _as_published(call, closed=closed)
            case Prompts.CODE:
                return _as_released(call, closed=closed)
            case Prompts.CHAT:
                name = "verify_step" if call.function is Function.VERIFY else "question_step"
                return load(name).substitute(text=call.text)


def evidence_text(evidence: Sequence[StepEvidence], longest: int) -> str:
    """Return the passages, one a line, cut to `longest` words in all. Titles come first where the url is not an
    address."""
    lines = [f"{title}: {one.sentence}" if (title := one.title) else one.sentence for one in evidence]
    kept, room = [], longest
    for line in lines:
        words = line.split()[:room]
        room -= len(words)
        kept.append(" ".join(words))
    return "\n".join(line for line in kept if line)


def _as_published(call: Call, *, closed: bool) -> str:
    """Return the prompt of section 3.4 without its evidence."""
    between = " " if closed else "\n"
    if call.function is Function.QUESTION:
        return f"Q: {call.text.strip().removesuffix('?').rstrip()}?{between}The answer is:"
    claim = call.text.strip().removesuffix(".")
    return f"Q: Is it true that {claim}?{between}True or False? The answer is:"


def _as_released(call: Call, *, closed: bool) -> str:
    """Return the released code's prompt without its evidence."""
    if call.function is Function.QUESTION:
        return f"Question: {call.text}\nThe answer is:"
    asked = f"s it true that {call.text.strip().removesuffix('.')}? True or false? The answer is: "
    return f"I{asked}" if closed else f"Based on the above information, i{asked}"


def first_line(text: str) -> str:
    """Return the first line that is not blank, stripped; empty if there is none."""
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def as_answer(text: str) -> str | None:
    """Return the answer that a model wrote, in one line; None if it is empty or begins by saying that there is none."""
    answer = _LEAD.sub("", first_line(text)).strip().strip("\"'“”").rstrip(".").strip()
    return None if not answer or is_refusal(answer) else answer
