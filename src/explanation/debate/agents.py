"""The four agents: what each is asked, and by which model."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

import msgspec

from src.explanation.debate.records import Remark
from src.explanation.labels import conclusion
from src.explanation.pieces import Piece
from src.explanation.records import ExplainedClaim
from src.explanation.writer import listed
from src.llm.protocol import Request
from src.prompts import load

_NEW_TOKENS = {"debater_1": 320, "debater_2": 320, "judge": 8, "refiner": 192}


class Agent(StrEnum):
    """The values are the roles of scripted replies."""

    DEBATER_1 = "debater_1"
    DEBATER_2 = "debater_2"
    JUDGE = "judge"
    REFINER = "refiner"


class Brief(msgspec.Struct, frozen=True):
    """What a debate is on: the claim, the pieces that are read, the draft; `typology` names who is shown the types."""

    claim: ExplainedClaim
    read: Sequence[Piece]
    draft: str
    typology: str = "both"


def first_feedback(agent: Agent, brief: Brief) -> Request:
    types = load("madr_typology").template if _knows_types(agent, brief) else ""
    return _ask(agent, brief, f"madr_{agent}", types=types)


def next_feedback(agent: Agent, brief: Brief, own: Sequence[Remark], other: Sequence[Remark]) -> Request:
    types = load("madr_typology").template if _knows_types(agent, brief) else ""
    return _ask(agent, brief, "madr_cross", types=types, own=written(own), other=written(other))


def judgement(first: Sequence[Remark], second: Sequence[Remark], *, again: bool = False) -> Request:
    """The judge sees the two feedbacks and nothing else."""
    prompt = load("madr_judge").substitute(first=written(first), second=written(second))
    if again:
        prompt = f"{prompt}\n{load('madr_judge_again').template}"
    return Request(prompt, chat=True, max_new_tokens=_NEW_TOKENS["judge"], role=Agent.JUDGE)


def refinement(brief: Brief, remarks: Sequence[Remark]) -> Request:
    return _ask(Agent.REFINER, brief, "madr_refiner", feedback=written(remarks))


def written(remarks: Sequence[Remark]) -> str:
    """As JSON, which is how feedback is asked for."""
    items = [
        {"quote": one.quote, "type": one.type.value if one.type else "", "reason": one.reason, "fix": one.fix}
        for one in remarks
    ]
    return msgspec.json.encode({"errors": items}).decode()


def _knows_types(agent: Agent, brief: Brief) -> bool:
    return brief.typology == "both" or (brief.typology == "debater_1" and agent is Agent.DEBATER_1)


def _ask(agent: Agent, brief: Brief, prompt: str, **more: str) -> Request:
    values: Mapping[str, str] = {
        "evidence": listed(brief.read), "claim": " ".join(brief.claim.claim.split()), "label": brief.claim.label,
        "draft": brief.draft, "conclusion": conclusion(brief.claim.label).removeprefix("so "), **more,
    }  # fmt: skip
    head, _, _ = (text := load(prompt).substitute(values)).partition("\n\nClaim:")
    return Request(
        text, chat=True, system=load("explanation_system").template, max_new_tokens=_NEW_TOKENS[agent], role=agent,
        shared=len(head),
    )  # fmt: skip
