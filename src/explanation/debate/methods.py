"""The refinement methods by their names on the command line."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from src.explanation.debate import exchange, madr, self_correct, self_refine
from src.explanation.debate.agents import Agent, Brief
from src.explanation.debate.conversation import Asking


class Method(NamedTuple):
    """A refinement method: its agents, the agent whose last text is the result, and its debate on one draft.

    `rounds` is the default number of rounds, `least_rounds` the smallest, `published` that of the paper's code. `roles`
    is True if each agent may be another model, by a flag of its name. `types` are the allowed values of `--typology`.
    """

    agents: tuple[Agent, ...]
    writer: Agent
    debate: Callable[[Brief, int, int | None], Asking]
    rounds: int
    least_rounds: int
    roles: bool
    published: int = 3
    types: tuple[str, ...] = ()


MADR = (Agent.DEBATER_1, Agent.DEBATER_2, Agent.JUDGE, Agent.REFINER)
METHODS: Mapping[str, Method] = {
    madr.NAME: Method(
        MADR, madr.WRITER, madr.madr, 3, 0, roles=True, published=10, types=("both", "debater_1", "none")
    ),
    self_refine.NAME: Method(
        (Agent.SELF_REFINE_FEEDBACK, Agent.SELF_REFINE), self_refine.WRITER, self_refine.self_refine, 3, 1,
        roles=False, published=1, types=("both", "none"),
    ),
    self_correct.NAME: Method(
        (Agent.SELF_CORRECT,), self_correct.WRITER, self_correct.self_correct, 3, 0, roles=False,
        types=("both", "none"),
    ),
    exchange.NAME: Method(
        (Agent.DEBATER_1, Agent.DEBATER_2), exchange.WRITER, exchange.exchange, 2, 1, roles=True, published=2
    ),
}  # fmt: skip
