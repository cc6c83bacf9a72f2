"""Stage: correct explanations that are not faithful to their evidence, by several agents in debate or one agent."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from msgspec.structs import replace

from src.errors import InputError
from src.explanation.checks.checker import chosen_checker, tagger_files, tagger_flag
from src.explanation.claims_file import MADE_BY, justified_only, read_claims_to_explain
from src.explanation.debate.methods import MADR, MADR_AGENTS, METHODS
from src.explanation.debate.refiner import Drafter, Refiner, RefinerSettings
from src.explanation.records import ExplainedClaim
from src.explanation.writer import ZERO_SHOT, Writer
from src.llm import BACKENDS, Options, get_llm
from src.llm.flags import EngineOptions, engine_of, llm_flag, model_file
from src.llm.protocol import ModelInfo
from src.models.model_files import named_model_files
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.console import how_many
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.sharding import in_shard, input_file
from src.settings import Flag, Natural, Positive, refuse_unread, values_of

STEP = "src.explanation.refine_explanations"
CAREFUL, PUBLISHED = "careful", "published"
FLAGGED, ALWAYS = "flagged", "always"
DRAFTS = "draft"  # name of the drafting model, beside the names of the agents
BATCH = 8  # claims whose debates advance together
METHOD_HELP = (
    "madr: two debaters give feedback and answer each other until a judge finds that they agree, then a refiner "
    "revises; self_refine: one agent gives feedback on its text and revises it, until it finds nothing; self_correct: "
    "one agent rewrites its text as often as MADR may call, 5 + 3 * max_rounds with the draft; debate: two agents "
    "rewrite their texts, given each other's, and the first begins with the draft. Roles of scripted: replies: "
    "debater_1, debater_2, judge, refiner; self_refine_feedback, self_refine; self_correct; debater_1, debater_2; and "
    "explanation_zero_shot for missing drafts"
)
ACCEPT_HELP = (
    "careful: a revision must pass the checks, else the draft is kept and the record says why; two empty or unchanged "
    "feedbacks end a debate. published: every draft is debated as in the papers (madr: 10 rounds), judge and refiner "
    "are always asked, each revision is accepted, its citation marks are kept as cites, and missing drafts are as long "
    "as the model finds fit"
)
ROUNDS_HELP = (
    "of answers to each other (madr), of feedback and new text (self_refine), of new texts given each other's (debate) "
    "(default: 3; debate: 2; with --accept published madr: 10, self_refine: 1)"
)
CALLS_HELP = (
    "of a claim's agents, with retries, without its draft; none begins beyond it, nor one whose answer could not be "
    "used: madr and self_refine keep a call for the new text"
)


def _agent(name: str) -> Flag:
    return Flag(f"the model of the {name} (default: --llm)", metavar="SPEC", or_path=True, names=BACKENDS)


class RefineSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `refine_job`. `max_rounds` None: the method's default. `policy` None: the default of `accept`."""

    explanations_file: Annotated[Path, Flag("explanations with their claims and evidence", "-i")] = Path(
        "data_store/dev_explanations.json"
    )
    output: Annotated[Path, Flag("refined explanations and their debates, one claim a line", "-o", "--output_file")] = (
        Path("data_store/dev_debates.json")
    )
    method: Annotated[str, Flag(METHOD_HELP, choices=tuple(METHODS))] = MADR
    accept: Annotated[str, Flag(ACCEPT_HELP, choices=(CAREFUL, PUBLISHED))] = CAREFUL
    debater_1: Annotated[str | None, _agent("debater 1")] = None
    debater_2: Annotated[str | None, _agent("debater 2")] = None
    judge: Annotated[str | None, _agent("judge")] = None
    refiner: Annotated[str | None, _agent("refiner")] = None
    max_rounds: Annotated[Natural | None, Flag(ROUNDS_HELP)] = None
    max_calls: Annotated[Positive | None, Flag(CALLS_HELP)] = None
    typology: Annotated[Literal["both", "debater_1", "none"], Flag("who is shown the nine types")] = "both"
    policy: Annotated[
        str | None,
        Flag(
            "debate what the checks flag, or all (default: flagged; with --accept published: always)",
            choices=(FLAGGED, ALWAYS),
        ),
    ] = None
    grammar: Annotated[
        bool,
        Flag("hold feedback and judge to their form, quotes to phrases of the draft, where the engine can"),
    ] = True
    source_words: Annotated[
        Positive | None,
        Flag(
            "of the evidence, nearest to the claim, that agents read (default: all; "
            "a claim for which the model has not enough context fails with a line that says so)"
        ),
    ] = None
    max_words: Annotated[Positive, Flag("of an explanation, whole sentences; not with --accept published")] = 80
    tagger: Annotated[str | None, tagger_flag()] = None
    llm: Annotated[str, llm_flag()] = "qwen2.5-coder-1.5b"
    engine: EngineOptions = Options()


def refine_job(settings: RefineSettings) -> Job[ExplainedClaim, ExplainedClaim]:
    """Return the job that refines a file of explanations. Raises InputError for bad input."""
    settings = _completed(settings)
    source = input_file(settings.explanations_file, MADE_BY, settings.range)
    everyone = read_claims_to_explain(source)
    settings = in_shard(settings, everyone, source)
    claims = in_range(everyone, settings.range.start, settings.range.end, source)
    justified = justified_only(source) & {claim.claim_id for claim in claims}
    notes = [f"{how_many(len(justified), 'claim')} without an explanation: the justification is the draft"]
    specs = _specs(settings, claims)
    flag_of = {name: "llm" if spec == settings.llm else name for name, spec in specs.items()}
    files = {flag_of[name]: path for name, spec in specs.items() for path in model_file(spec).values()}
    return Job(
        step=STEP,
        settings=settings,
        claims=claims,
        inputs={"explanations_file": source, **files, **tagger_files(settings.tagger)},
        start=lambda: start_refining(settings, specs, notes if justified else []),
        without_result=lambda claim: claim,
        batch=BATCH,
        numbered=sorted(everyone, key=lambda claim: claim.claim_id),
        node_files=named_model_files(settings),
    )


def start_refining(
    settings: RefineSettings, specs: dict[str, str], notes: Sequence[str] = ()
) -> Engine[ExplainedClaim, ExplainedClaim]:
    """Load the models and return the engine that refines explanations; `specs` has the model of each agent.

    Raises InputError or MissingExtra when a model does not exist.
    """
    load = cache(lambda spec: get_llm(spec, engine_of(settings, settings.engine)))
    models = {name: load(spec) for name, spec in specs.items()}
    is_published = settings.accept == PUBLISHED
    refiner_settings = RefinerSettings(
        method=settings.method,
        max_rounds=settings.max_rounds or 0,
        most_calls=settings.max_calls,
        typology=settings.typology,
        grammar=settings.grammar,
        always=settings.policy == ALWAYS,
        source_words=settings.source_words,
        most_words=settings.max_words,
        published=is_published,
    )
    drafter = None
    if (model := models.get(DRAFTS)) is not None:
        most_words = None if is_published else settings.max_words
        drafter = Drafter(Writer(model, ZERO_SHOT, settings.source_words, most_words), model)
    infos: dict[str, ModelInfo] = {name: model.info for name, model in models.items()}
    return Engine(
        Refiner(models, drafter, chosen_checker(settings.tagger), refiner_settings).refine,
        model=infos,
        notes=notes,
        deterministic=all(info.deterministic for info in infos.values()),
    )


def _completed(settings: RefineSettings) -> RefineSettings:
    """Return the settings with the defaults of `max_rounds` and `policy` filled in.

    Raises InputError if settings contradict each other or would have no effect.
    """
    method, why = METHODS[settings.method], f"changes nothing with --method {settings.method}"
    agents = method.agents if method.roles else ()
    refuse_unread(settings, [agent for agent in MADR_AGENTS if agent not in agents], why)
    if not method.types:
        refuse_unread(settings, ["typology"], f"{why}: it shows no types")
    elif settings.typology not in method.types:
        raise InputError(f"--typology {settings.typology} goes with --method madr")
    if settings.method in ("self_correct", "debate"):
        refuse_unread(settings, ["grammar"], f"{why}: its agents write texts alone")
    is_published = settings.accept == PUBLISHED
    if is_published:
        refuse_unread(settings, ["max_words"], "changes nothing with --accept published: no text is cut")
        if settings.policy == FLAGGED:
            raise InputError("--policy flagged goes with --accept careful: the paper debates every draft")
    rounds = settings.max_rounds
    if rounds is None:
        rounds = method.published if is_published else method.rounds
    if rounds < method.least_rounds:
        raise InputError(f"--max_rounds {rounds} leaves --method {settings.method} nothing to do")
    return replace(settings, max_rounds=rounds, policy=settings.policy or (ALWAYS if is_published else FLAGGED))


def _specs(settings: RefineSettings, claims: Sequence[ExplainedClaim]) -> dict[str, str]:
    """Return the model of each agent, by the agent's name.

    If a claim has no explanation, also return the drafting model.
    """
    method, values = METHODS[settings.method], values_of(settings)
    own = {agent: values[agent] if method.roles else None for agent in method.agents}
    specs = {agent.value: str(spec or settings.llm) for agent, spec in own.items()}
    return specs | ({DRAFTS: settings.llm} if any(claim.explanation is None for claim in claims) else {})
