"""A small draft, and agents with a script to debate it."""

import json
from collections.abc import Callable, Mapping, Sequence

from src.explanation.debate.agents import Agent, Brief
from src.explanation.debate.conversation import DebateSteps, Result, run_debates
from src.explanation.pieces import pieces
from src.explanation.records import ExplainedClaim
from src.llm.protocol import Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine

DRAFT = "Eels swim. They fly to the sea; so the claim is false."
NOTHING = '{"errors": []}'


def feedback(*quotes: str) -> str:
    errors = [{"quote": quote, "type": "EV", "reason": "r", "fix": "f"} for quote in quotes]
    return json.dumps({"errors": errors}, separators=(",", ":"))


def played(
    method: Callable[[Brief], DebateSteps], replies: Mapping[str, Sequence[str]], source: str = "Eels swim.",
    typology: str = "both", published: bool = False,
) -> tuple[Result, list[Request]]:  # fmt: skip
    """Return the result of a debate, and all requests in order."""
    model = ScriptedModel([ScriptLine(agent, text) for agent, texts in replies.items() for text in texts])
    claim = ExplainedClaim(0, "Eels fly.", "false", source=source, explanation=DRAFT)
    (result,) = run_debates(
        [method(Brief(claim, pieces(claim), DRAFT, typology, published=published))], dict.fromkeys(Agent, model)
    )
    return result, model.asked


def roles(requests: Sequence[Request]) -> list[str]:
    return [request.role for request in requests]
