"""The agents of all methods: what each is asked, and how its reply is read."""

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
    """The values are the roles of scripted replies. The first four are MADR's; the first two exchange texts, too."""

    DEBATER_1 = "debater_1"
    DEBATER_2 = "debater_2"
    JUDGE = "judge"
    REFINER = "refiner"
    SELF_REFINE_FEEDBACK = "self_refine_feedback"
    SELF_REFINE = "self_refine"
    SELF_CORRECT = "self_correct"


class Brief(msgspec.Struct, frozen=True):
    """What a debate is on: the claim, the pieces that are read, the draft.

    `typology` names who is shown the types; with `grammar` engines that can hold feedback and verdict to their form.
    `published`: as the papers have it, without what is added here.
    """

    claim: ExplainedClaim
    read: Sequence[Piece]
    draft: str
    typology: str = "both"
    grammar: bool = True
    published: bool = False

    def on(self, text: str) -> "Brief":
        """The same with another text in the draft's place."""
        return msgspec.structs.replace(self, draft=text)


class Question(NamedTuple, Generic[Said]):
    """`read` gives None for a reply that cannot be read; the prompt `again` then says so behind the request's own."""

    request: Request
    read: Callable[[str], Said | None]
    again: str

    def repeated(self) -> Request:
        prompt = f"{self.request.prompt}\n{load(self.again).template}"
        return msgspec.structs.replace(self.request, prompt=prompt)


def first_feedback(agent: Agent, brief: Brief) -> Question[Feedback]:
    """By a debater of MADR, or Self-Refine's one agent on its own text."""
    return _feedback(agent, brief, agent if agent is Agent.SELF_REFINE_FEEDBACK else f"madr_{agent}")


def next_feedback(agent: Agent, brief: Brief, own: Sequence[Remark], other: Sequence[Remark]) -> Question[Feedback]:
    return _feedback(agent, brief, "madr_cross", own=written(own), other=written(other))


def judgement(first: Sequence[Remark], second: Sequence[Remark], *, grammar: bool = True) -> Question[bool]:
    """The judge sees the two feedbacks and nothing else."""
    prompt = load("madr_judge").substitute(first=written(first), second=written(second))
    held = TRUE_OR_FALSE if grammar else ""
    request = Request(prompt, chat=True, max_new_tokens=_OF_JUDGE, role=Agent.JUDGE, grammar=held)
    return Question(request, read_judgement, "madr_judge_again")


def refinement(brief: Brief, remarks: Sequence[Remark], agent: Agent = Agent.REFINER) -> Question[str]:
    return _text(agent, brief, "madr_refiner", feedback=in_words(remarks) or "(none)")


def correction(brief: Brief) -> Question[str]:
    """The agent's own text, reviewed and written anew at once."""
    return _text(Agent.SELF_CORRECT, brief, "self_correct", types=_types(Agent.SELF_CORRECT, brief))


def own_text(agent: Agent, brief: Brief) -> Question[str]:
    """An explanation by an agent that has not seen the draft."""
    return _text(agent, brief, "debate_own")


def answer_to(agent: Agent, brief: Brief, other: str) -> Question[str]:
    """The agent's text of the brief, written anew beside the other's."""
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
