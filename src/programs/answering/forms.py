"""How steps are put to a language model: the published form for encoder-decoders, a chat otherwise.

The published forms are those that FLAN-T5 was asked with (ProgramFC, section 3.4 and its code), kept to the letter. In
both forms the evidence stands first, so that a claim's evidence can be read once for all its steps. A yes or no is the
choice that the model finds likelier, never a word that is looked for in what it wrote.
"""

import re
from collections.abc import Sequence

from src.llm.protocol import Request
from src.programs.answering.refusals import is_refusal
from src.programs.functions import Call
from src.programs.records import Function, StepEvidence
from src.prompts import load

ROLES = {Function.VERIFY: "verify", Function.QUESTION: "question"}
CHOICES = ("True", "False")
ANSWER_TOKENS = 32
LONGEST_EVIDENCE = 3000  # words, of all passages
_LEAD = re.compile(r"^(?:(?:the )?answer(?: is)?\s*:|the answer is\b(?!n't))\s*", re.IGNORECASE)


class Forms:
    """`chat` asks through the model's chat template, else as published. `longest` bounds the evidence, in words."""

    def __init__(self, *, chat: bool, longest: int = LONGEST_EVIDENCE) -> None:
        self._chat, self._longest = chat, longest

    def request(self, call: Call, evidence: Sequence[StepEvidence] | None, *, shared: bool = True) -> Request:
        """Without evidence it is closed-book. `shared`: other requests begin with the same evidence."""
        shown = "" if evidence is None else self.shown(evidence)
        text = self._in_chat(call) if self._chat else _as_published(call, closed=evidence is None)
        system = load("step_system_closed" if evidence is None else "step_system").template if self._chat else ""
        before = f"{shown}\n\n" if shown and self._chat else f"{shown}\n" if shown else ""
        choices = CHOICES if call.function is Function.VERIFY else ()
        return Request(
            before + text, chat=self._chat, system=system, max_new_tokens=ANSWER_TOKENS, stop=("\n",),
            choices=choices, first_tokens=bool(choices), role=ROLES[call.function], shared=len(shown) if shared else 0,
        )  # fmt: skip

    def shown(self, evidence: Sequence[StepEvidence]) -> str:
        """The passages, a line each, with their titles where these are names and not addresses."""
        lines = [f"{title}: {one.sentence}" if (title := one.title) else one.sentence for one in evidence]
        kept, room = [], self._longest
        for line in lines:
            words = line.split()[:room]
            room -= len(words)
            kept.append(" ".join(words))
        return "\n".join(line for line in kept if line)

    def _in_chat(self, call: Call) -> str:
        return load("verify_step" if call.function is Function.VERIFY else "question_step").substitute(text=call.text)


def _as_published(call: Call, *, closed: bool) -> str:
    if call.function is Function.QUESTION:
        return f"Question: {call.text}\nThe answer is:"
    asked = f"s it true that {call.text.strip().removesuffix('.')}? True or false? The answer is: "
    return f"I{asked}" if closed else f"Based on the above information, i{asked}"


def as_answer(text: str) -> str | None:
    """What a model wrote as an answer, in one line; None where that begins by saying that there is none."""
    line = next((line.strip() for line in text.split("\n") if line.strip()), "")
    answer = _LEAD.sub("", line).strip().strip("\"'“”").rstrip(".").strip()
    return None if not answer or is_refusal(answer) else answer
