"""Step: programs that say how each claim is to be checked, written by a language model or by rules.

Reads the claims of AVeriTeC, HOVER or FEVEROUS. Writes one line a claim, with its programs as texts. A program that
cannot be used is requested again, at most twice; then it is replaced by one that verifies the claim as a whole, and is
marked. With `--accept published`, programs are kept as the model writes them. With `--llm none`, no model is used: one
program a claim is derived from its grammar.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from src.claims import ClaimText, passed_over, read_claim_texts, with_keys
from src.errors import InputError
from src.llm import Options, get_llm
from src.llm.flags import SCALE, EngineOptions, engine_of, llm_flag, model_file
from src.models.model_files import named_model_files
from src.programs.decomposition.planner import NO_MODEL, planner
from src.programs.generation import (
    REPAIRS,
    SHIPPED,
    Accept,
    Demonstration,
    Generator,
    notes_on,
    read_demonstrations,
    refuse_overlap,
)
from src.programs.records import ClaimPrograms
from src.programs.whole_claim import fallback
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.console import say
from src.runner.engine import Engine
from src.runner.job import Job, run
from src.runner.sharding import in_shard
from src.runner.step import step
from src.settings import Flag, NotNegative, Positive, Seed, refuse_unread

MODULE = "src.programs.generate_programs"
UNREAD = (
    "num_programs", "temperature", "seed", "demonstrations", "chat", "grammar", "accept", "cache_dir", "dtype",
    "device", *SCALE,
)  # fmt: skip
DRAWN = ("temperature", "seed")  # they matter for several programs, and for repairs
BATCH = 8  # claims; shards that start at multiples of it give the same bytes as one run


class GenerateSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `generate_programs`.

    `grammar` None: constrain the model if programs are accepted by Accept.CAREFUL.
    """

    claim_file: Annotated[Path, Flag("claims", "-c")] = Path("data/dev.json")
    ids: Annotated[Path | None, Flag("the claims to take, by their data set's own ids, one a line")] = None
    output: Annotated[Path, Flag("programs, one claim a line", "-o", "--output_file")] = Path(
        "data_store/dev_programs.json"
    )
    num_programs: Annotated[Positive, Flag("programs of each claim")] = 1
    temperature: Annotated[NotNegative, Flag("of several programs, and of repairs; one alone is the likeliest")] = 0.7
    seed: Annotated[Seed, Flag("seed of the sampling")] = 0
    demonstrations: Annotated[str, Flag(f"{', '.join(SHIPPED)}, or a file of claims with programs")] = "multi_hop"
    chat: Annotated[bool, Flag("ask in a chat, not as a text to continue", negatable=True)] = False
    accept: Annotated[
        Accept,
        Flag(
            "published: keep what the model writes; careful: ask again after faults and dropped names, then verify the "
            "whole claim"
        ),
    ] = Accept.CAREFUL
    grammar: Annotated[
        bool | None,
        Flag("hold the model to the form of programs, where its engine can (default: with --accept careful)"),
    ] = None
    llm: Annotated[str, llm_flag(also=f"{NO_MODEL} (by rules)")] = "qwen2.5-coder-1.5b"
    engine: EngineOptions = Options()


@step(GenerateSettings)
def main(settings: GenerateSettings) -> int:
    by_rules = settings.llm == NO_MODEL
    settings = _with_defaults(settings)
    everyone = read_claim_texts(settings.claim_file)
    for note in passed_over(everyone, settings.ids):
        say(f"generate_programs: note: {note}", quiet=settings.quiet)
    chosen = with_keys(everyone, settings.ids)
    settings = in_shard(settings, chosen, settings.claim_file)
    claims = in_range(chosen, settings.range.start, settings.range.end, settings.claim_file)
    inputs = {"claim_file": settings.claim_file} | ({} if settings.ids is None else {"ids": settings.ids})
    if by_rules:
        start: Callable[[], Engine[ClaimText, ClaimPrograms]] = _by_rules
    else:
        shown = SHIPPED.get(settings.demonstrations, Path(settings.demonstrations))
        demonstrations = read_demonstrations(shown)
        refuse_overlap(demonstrations, [(one.claim_id, one.claim) for one in everyone], settings.demonstrations)
        inputs |= {"demonstrations": shown, **model_file(settings.llm)}
        start = partial(_start, settings, demonstrations)
    return run(
        Job(
            step=MODULE,
            settings=settings,
            claims=claims,
            inputs=inputs,
            start=start,
            without_result=lambda claim: ClaimPrograms(claim.claim_id, claim.claim, [fallback(claim.claim)], [True]),
            batch=BATCH,
            numbered=sorted(chosen, key=lambda claim: claim.claim_id),
            node_files=named_model_files(settings),
        )
    )


def _with_defaults(settings: GenerateSettings) -> GenerateSettings:
    """Return the settings with the default of `grammar` filled in. Raises InputError if settings do not go together."""
    if settings.llm == NO_MODEL:
        refuse_unread(settings, UNREAD, f"changes nothing with --llm {NO_MODEL}: rules write the programs")
    elif settings.accept is Accept.PUBLISHED and settings.num_programs == 1:
        why = "changes nothing with --accept published and one program: it is the likeliest"
        refuse_unread(settings, DRAWN, why)
    if settings.seed + settings.num_programs * (1 + REPAIRS) >= 2**32:
        raise InputError(f"--seed {settings.seed}: seeds of programs and repairs, counted from it, are below 2**32 - 1")
    if settings.llm == NO_MODEL or settings.grammar is not None:
        return settings
    return replace(settings, grammar=settings.accept is Accept.CAREFUL)


def _start(settings: GenerateSettings, demonstrations: Sequence[Demonstration]) -> Engine[ClaimText, ClaimPrograms]:
    model = get_llm(settings.llm, engine_of(settings, settings.engine))
    generator = Generator(
        model, demonstrations, settings.num_programs, settings.temperature, settings.seed, chat=settings.chat,
        grammar=bool(settings.grammar), accept=settings.accept,
    )  # fmt: skip
    return Engine(generator.generate, model=model.info, deterministic=model.info.deterministic, notes_on=notes_on)


def _by_rules() -> Engine[ClaimText, ClaimPrograms]:
    generator = planner()
    return Engine(generator.generate, model=generator.info)


if __name__ == "__main__":
    raise SystemExit(main())
