"""Agents of all methods: their requests, and the parsers of their replies."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

import msgspec

from src.explanation.debate.grammar import TRUE_OR_FALSE, feedback_grammar
from src.explanation.debate.reading import Feedback, read_feedback, read_judgement, read_revision
from src.explanation.debate.records import Remark
from src.explanation.debate.wording import in_words, written
from src.explanation.labels import clause
from src.explanation.pieces import Piece
from src.explanation.records import ExplainedClaim
from src.explanation.writer import LENGTHS, listed
from src.llm.protocol import Request
from src.prompts import load

Said = TypeVar("Said")
_OF_FEEDBACK, _OF_JUDGE, _OF_TEXT, _OF_PUBLISHED = 1024, 8, 192, 768  # new tokens
_OF_WORD = 3  # new tokens for each word of a long draft


class Agent(StrEnum):
    """An agent; the value is the role in scripted replies.

    The first four are MADR's; the first two are also the agents of the method `debate`.
    """

    DEBATER_1 = "debater_1"
    DEBATER_2 = "debater_2"
    JUDGE = "judge"
    REFINER = "refiner"
    SELF_REFINE_FEEDBACK = "self_refine_feedback"
    SELF_REFINE = "self_refine"
    SELF_CORRECT = "self_correct"


class Brief(msgspec.Struct, frozen=True):
    """Input of a debate: the claim, the pieces of evidence that are read, the draft.

    `typology` names the agents who are shown the nine types. With `grammar`, engines that support it restrict feedback
    and judgment to their form. `published` follows the papers, without this project's additions.
    """

    claim: ExplainedClaim
    read: Sequence[Piece]
    draft: str
    typology: str = "both"
    grammar: bool = True
    published: bool = False

    def on(self, text: str) -> "Brief":
        """Return the same brief with another text as draft."""
        return msgspec.structs.replace(self, draft=text)


class Question(NamedTuple, Generic[Said]):
    """A request with its parser: `read` returns None for an unreadable reply; the prompt `again` then asks once
    more.
    """

    request: Request
    read: Callable[[str], Said | None]
    again: str

    def repeated(self) -> Request:
        prompt = f"{self.request.prompt}\n{load(self.again).template}"
        return msgspec.structs.replace(self.request, prompt=prompt)


def first_feedback(agent: Agent, brief: Brief) -> Question[Feedback]:
    """Return the request for feedback by a debater of MADR, or by Self-Refine's agent on its own text."""
    return _feedback(agent, brief, agent if agent is Agent.SELF_REFINE_FEEDBACK else f"madr_{agent}")


def next_feedback(agent: Agent, brief: Brief, own: Sequence[Remark], other: Sequence[Remark]) -> Question[Feedback]:
    return _feedback(agent, brief, "madr_cross", own=written(own), other=written(other))


def judgement(first: Sequence[Remark], second: Sequence[Remark], *, grammar: bool = True) -> Question[bool]:
    """Return the request for the judge, who sees only the two feedbacks."""
    prompt = load("madr_judge").substitute(first=written(first), second=written(second))
    held = TRUE_OR_FALSE if grammar else ""
    request = Request(prompt, chat=True, max_new_tokens=_OF_JUDGE, role=Agent.JUDGE, grammar=held)
    return Question(request, read_judgement, "madr_judge_again")


def refinement(brief: Brief, remarks: Sequence[Remark], agent: Agent = Agent.REFINER) -> Question[str]:
    return _text(agent, brief, "madr_refiner", feedback=in_words(remarks) or "(none)")


def correction(brief: Brief) -> Question[str]:
    """Return the request to review and rewrite the agent's own text in one step."""
    return _text(Agent.SELF_CORRECT, brief, "self_correct", types=_types(Agent.SELF_CORRECT, brief))


def own_text(agent: Agent, brief: Brief) -> Question[str]:
    """Return the request for an explanation by an agent that has not seen the draft."""
    return _text(agent, brief, "debate_own")


def answer_to(agent: Agent, brief: Brief, other: str) -> Question[str]:
    """Return the request to rewrite the agent's text, given the other agent's text."""
    return _text(agent, brief, "debate_exchange", other=other)


def _types(agent: Agent, brief: Brief) -> str:
    shown = brief.typology == "both" or (brief.typology == "debater_1" and agent is Agent.DEBATER_1)
    return load("madr_typology").template if shown else ""


def _feedback(agent: Agent, brief: Brief, prompt: str, **more: str) -> Question[Feedback]:
    request = _ask(agent, brief, prompt, _OF_FEEDBACK, types=_types(agent, brief), **more)
    held = ""
    if brief.grammar:
        held = feedback_grammar(brief.draft, counted=agent is Agent.SELF_REFINE_FEEDBACK)
    return Question(
        msgspec.structs.replace(request, grammar=held),
        lambda text: read_feedback(text, brief.draft, published=brief.published),
        "feedback_again",
    )


def _text(agent: Agent, brief: Brief, prompt: str, **more: str) -> Question[str]:
    new_tokens = max(_OF_PUBLISHED if brief.published else _OF_TEXT, _OF_WORD * len(brief.draft.split()))
    return Question(
        _ask(agent, brief, prompt, new_tokens, **more),
        lambda text: read_revision(text, published=brief.published) or None,
        "text_again",
    )


def _ask(agent: Agent, brief: Brief, prompt: str, new_tokens: int, **more: str) -> Request:
    values: Mapping[str, str] = {
        "length": LENGTHS[brief.published],
        "evidence": listed(brief.read), "claim": " ".join(brief.claim.claim.split()), "label": brief.claim.label,
        "draft": brief.draft, "conclusion": clause(brief.claim.label), **more,
    }  # fmt: skip
    head, _, _ = (text := load(prompt).substitute(values)).partition("\n\nClaim:")
    return Request(
        text, chat=True, system=load("explanation_system").template, max_new_tokens=new_tokens, role=agent,
        shared=len(head),
    )  # fmt: skip
