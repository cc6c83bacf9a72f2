"""Step: explanations made faithful to their evidence by a debate of four agents (MADR), where the checks flag them.

Reads explanations with their claims and evidence, or claims without one, which are drafted first; writes the same lines
with the explanation as it came out and the whole debate. A revision is taken only where the checks find nothing new in
it; the verdict is never changed. An agent that fails leaves the draft, and the claim among the failures.

    python -m src.explanation.refine_explanations -i explanations.json -o debates.json --llm qwen2.5-coder-1.5b
"""

import argparse
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from src.explanation.checks.checker import checker
from src.explanation.claims_file import read_claims_to_explain
from src.explanation.debate.agents import Agent
from src.explanation.records import ExplainedClaim
from src.explanation.refiner import Refiner, Settings
from src.explanation.writer import ZERO_SHOT, Writer
from src.llm import get_llm
from src.llm.flags import add_model_flags, model_file, options_from
from src.runner.arguments import add_range, existing_file, in_range, natural, positive, step, step_parser
from src.runner.job import Engine, Job, run

MODULE = "src.explanation.refine_explanations"
BATCH = 8  # claims whose debates advance together


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    add = flags.add_argument
    add("-i", "--explanations_file", type=Path, default=Path("data_store/dev_explanations.json"),
        help="explanations with their claims and evidence")  # fmt: skip
    add("-o", "--output_file", dest="output", default="data_store/dev_debates.json",
        help="what became of them, one claim a line")  # fmt: skip
    for agent in Agent:
        add(f"--{agent}", metavar="SPEC", help=f"the model of the {agent.replace('_', ' ')} (default: --llm)")
    add("--max_rounds", type=natural, default=3, help="answers to each other before the refiner")
    add("--max_calls", type=positive, help="of a claim's agents; no round begins that would need more")
    add("--typology", choices=["both", "debater_1", "none"], default="both", help="who is shown the nine types")
    add("--policy", choices=["flagged", "always"], default="flagged", help="debate what the checks flag, or all")
    add("--source_words", type=positive, default=400, help="of the evidence, nearest to the claim, that agents read")
    add("--max_words", type=positive, default=80, help="of an explanation, whole sentences")
    add_model_flags(flags, default="qwen2.5-coder-1.5b")
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    source = existing_file(args.explanations_file, "src.explanation.generate_explanations")
    everyone = read_claims_to_explain(source)
    claims = in_range(everyone, args.start, args.end, source)
    specs = {agent.value: getattr(args, agent) or args.llm for agent in Agent}
    files = {name: path for name, spec in specs.items() for path in model_file(spec).values()}
    return run(
        Job(
            step=MODULE,
            args=args,
            claims=claims,
            inputs={"explanations_file": source, **model_file(args.llm), **files},
            start=lambda: _start(args, specs),
            without_result=lambda claim: claim,
            batch=BATCH,
            numbered=sorted(everyone, key=lambda claim: claim.claim_id),
        )
    )


def _start(args: argparse.Namespace, specs: dict[str, str]) -> Engine[ExplainedClaim, ExplainedClaim]:
    load = cache(lambda spec: get_llm(spec, options_from(args)))
    models = {agent: load(spec) for agent, spec in specs.items()}
    settings = Settings(
        args.max_rounds, args.max_calls, args.typology, args.policy == "always", args.source_words, args.max_words
    )
    writer = Writer(load(args.llm), ZERO_SHOT, args.source_words, args.max_words)
    infos = {agent: model.info for agent, model in models.items()}
    alike = all(info == infos[Agent.JUDGE] for info in infos.values())
    return Engine(
        Refiner(models, writer, checker(), settings).refine,
        model=infos[Agent.JUDGE] if alike else infos,
        deterministic=all(info.deterministic for info in infos.values()),
    )


if __name__ == "__main__":
    raise SystemExit(main())
