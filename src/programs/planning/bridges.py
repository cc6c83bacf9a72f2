"""Things that a claim describes and does not name, each asked for by a question of its own."""

from src.programs.planning.plans import Plan


def with_answers(plan: Plan) -> Plan:
    return plan
