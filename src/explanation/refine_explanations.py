"""Step: make explanations faithful to their evidence, by several agents in debate or one agent alone.

Reads explanations with their claims and evidence, or claims without an explanation, which are drafted first. Writes the
same lines with the resulting explanation and the whole debate. `--accept careful` debates only what the checks flag. It
accepts a revision only if the checks find nothing new in it, and otherwise records why the draft is kept. `--accept
published` is the paper's Algorithm 1: it accepts each revision and moves its citation marks to `cites`. If such a
revision is empty, the draft is kept and the claim is among the failures. If an agent fails, the text written until then
is kept and the claim is among the failures.

    python -m src.explanation.refine_explanations -i explanations.json -o debates.json --llm qwen2.5-coder-1.5b
"""

import argparse
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from src.errors import InputError
from src.explanation.checks.checker import add_tagger_flag, chosen_checker, tagger_files
from src.explanation.claims_file import MADE_BY, read_claims_to_explain
from src.explanation.debate.methods import MADR_AGENTS, METHODS
from src.explanation.debate.refiner import Drafter, Refiner, RefinerSettings
from src.explanation.records import ExplainedClaim
from src.explanation.writer import ZERO_SHOT, Writer
from src.llm import get_llm
from src.llm.flags import add_model_flags, model_file, options_from
from src.llm.protocol import ModelInfo
from src.runner.arguments import (
    add_range,
    existing_file,
    in_range,
    natural,
    positive,
    refuse_unread,
    step,
    step_parser,
)
from src.runner.job import Engine, Job, run

MODULE = "src.explanation.refine_explanations"
CAREFUL, PUBLISHED = "careful", "published"
FLAGGED, ALWAYS = "flagged", "always"
DRAFTS = "draft"  # name of the drafting model, beside the names of the agents
BATCH = 8  # claims whose debates advance together
HELP = {
    "method": "madr: two debaters give feedback, answer each other until a judge finds that they agree, a refiner "
    "mends; self_refine: one agent gives feedback on its text and mends it, until nothing is found; self_correct: one "
    "agent rewrites its text as often as MADR may call, 5 + 3 * max_rounds with the draft; debate: two agents rewrite "
    "their texts beside each other's, the first begins with the draft. Roles of scripted: replies: debater_1, "
    "debater_2, judge, refiner; self_refine_feedback, self_refine; self_correct; debater_1, debater_2; and "
    "explanation_zero_shot for missing drafts",
    "accept": "careful: a revision must pass the checks, else the draft is kept and the record says why; two empty or "
    "unchanged feedbacks end a debate. published: every draft is debated as in the papers (madr: 10 rounds), judge and "
    "refiner are always asked, the revision is taken, its citation marks kept as cites, and missing drafts are as long "
    "as the model finds fit",
    "max_rounds": "of answers to each other (madr), of feedback and new text (self_refine), of new texts beside each "
    "other's (debate) (default: 3; debate: 2; with --accept published madr: 10, self_refine: 1)",
    "max_calls": "of a claim's agents, retries counted, its draft not; none begins beyond it, nor one whose answer "
    "could not be acted on: madr and self_refine keep a call for the new text",
}


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    add = flags.add_argument
    add("-i", "--explanations_file", type=Path, default=Path("data_store/dev_explanations.json"),
        help="explanations with their claims and evidence")  # fmt: skip
    add("-o", "--output_file", dest="output", default="data_store/dev_debates.json",
        help="what became of them, one claim a line")  # fmt: skip
    add("--method", choices=[*METHODS], default="madr", help=HELP["method"])
    add("--accept", choices=[CAREFUL, PUBLISHED], default=CAREFUL, help=HELP["accept"])
    for agent in MADR_AGENTS:
        add(f"--{agent}", metavar="SPEC", help=f"the model of the {agent.replace('_', ' ')} (default: --llm)")
    add("--max_rounds", type=natural, help=HELP["max_rounds"])
    add("--max_calls", type=positive, help=HELP["max_calls"])
    add("--typology", choices=["both", "debater_1", "none"], default="both", help="who is shown the nine types")
    add("--policy", choices=[FLAGGED, ALWAYS], help="debate what the checks flag, or all "
        "(default: flagged; with --accept published: always)")  # fmt: skip
    add("--grammar", action=argparse.BooleanOptionalAction, default=True,
        help="hold feedback and judge to their form, quotes to phrases of the draft, where the engine can")  # fmt: skip
    add("--source_words", type=positive, help="of the evidence, nearest to the claim, that agents read (default: all; "
        "a claim for which the model has not enough context fails with a line that says so)")  # fmt: skip
    add(
        "--max_words", type=positive, default=80, help="of an explanation, whole sentences; not with --accept published"
    )
    add_tagger_flag(flags)
    add_model_flags(flags, default="qwen2.5-coder-1.5b")
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    _check(args, flags)
    source = existing_file(args.explanations_file, MADE_BY)
    everyone = read_claims_to_explain(source)
    claims = in_range(everyone, args.start, args.end, source)
    specs = _specs(args, claims)
    flag_of = {name: "llm" if spec == args.llm else name for name, spec in specs.items()}
    files = {flag_of[name]: path for name, spec in specs.items() for path in model_file(spec).values()}
    return run(
        Job(
            step=MODULE,
            settings=args,
            claims=claims,
            inputs={"explanations_file": source, **files, **tagger_files(args.tagger)},
            start=lambda: _start(args, specs),
            without_result=lambda claim: claim,
            batch=BATCH,
            numbered=sorted(everyone, key=lambda claim: claim.claim_id),
        )
    )


def _check(args: argparse.Namespace, flags: argparse.ArgumentParser) -> None:
    """Set the method's default number of rounds and the policy.

    Raises: InputError if flags contradict each other or would have no effect.
    """
    method, why = METHODS[args.method], f"changes nothing with --method {args.method}"
    asked = method.agents if method.roles else ()
    refuse_unread(args, flags, [agent for agent in MADR_AGENTS if agent not in asked], why)
    if not method.types:
        refuse_unread(args, flags, ["typology"], f"{why}: it shows no types")
    elif args.typology not in method.types:
        raise InputError(f"--typology {args.typology} goes with --method madr")
    if args.method in ("self_correct", "debate"):
        refuse_unread(args, flags, ["grammar"], f"{why}: its agents write texts alone")
    is_published = args.accept == PUBLISHED
    if is_published:
        refuse_unread(args, flags, ["max_words"], "changes nothing with --accept published: no text is cut")
        if args.policy == FLAGGED:
            raise InputError("--policy flagged goes with --accept careful: the paper debates every draft")
    args.policy = args.policy or (ALWAYS if is_published else FLAGGED)
    if args.max_rounds is None:
        args.max_rounds = method.published if is_published else method.rounds
    if args.max_rounds < method.least_rounds:
        raise InputError(f"--max_rounds {args.max_rounds} leaves --method {args.method} nothing to do")


def _specs(args: argparse.Namespace, claims: Sequence[ExplainedClaim]) -> dict[str, str]:
    """Return the model of each agent, and that of the drafter if a draft is missing."""
    method = METHODS[args.method]
    specs = {agent.value: (getattr(args, agent) if method.roles else None) or args.llm for agent in method.agents}
    return specs | ({DRAFTS: args.llm} if any(claim.explanation is None for claim in claims) else {})


def _start(args: argparse.Namespace, specs: dict[str, str]) -> Engine[ExplainedClaim, ExplainedClaim]:
    load = cache(lambda spec: get_llm(spec, options_from(args)))
    models = {name: load(spec) for name, spec in specs.items()}
    settings = RefinerSettings(
        args.method, args.max_rounds, args.max_calls, args.typology, args.grammar, args.policy == ALWAYS,
        args.source_words, args.max_words, args.accept == PUBLISHED,
    )  # fmt: skip
    drafter = None
    if (model := models.get(DRAFTS)) is not None:
        most = None if settings.published else args.max_words
        drafter = Drafter(Writer(model, ZERO_SHOT, args.source_words, most), model)
    infos: dict[str, ModelInfo] = {name: model.info for name, model in models.items()}
    return Engine(
        Refiner(models, drafter, chosen_checker(args.tagger), settings).refine,
        model=infos,
        deterministic=all(info.deterministic for info in infos.values()),
    )


if __name__ == "__main__":
    raise SystemExit(main())
