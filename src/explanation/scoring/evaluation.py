"""Evaluation of the explanations of several methods: settings, and the computation from files to a report."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from src.annotating.answers_file import read_whole
from src.errors import InputError, one_line
from src.explanation.annotation.ratings import read_ticked
from src.explanation.annotation.screening import read_key
from src.explanation.annotation.study import read_study, texts
from src.explanation.checks.checker import chosen_checker, tagger_files, tagger_flag
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.geval import GEvalSettings, Judge, geval
from src.explanation.scoring.human import Ratings, read_ratings, ticked_ratings
from src.explanation.scoring.justifications import against_gold
from src.explanation.scoring.methods import Explanations, joined, left_out, named_files
from src.explanation.scoring.people import People, counting, people
from src.explanation.scoring.records import GEval, Protocol, Report
from src.explanation.scoring.report import report, with_people
from src.llm import Options, get_llm
from src.llm.flags import SCALE, EngineOptions, llm_flag, model_file, refuse_batch
from src.runner.claim_range import ClaimRange, Claims, in_range
from src.runner.console import say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, plain_model, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced
from src.settings import Flag, Positive, Seed, refuse_unread
from src.store import read_claims

STEP = "src.explanation.evaluate_explanations"
ALL = "all"
Shared = Sequence[Sequence[ExplainedClaim]]
OF_JUDGE = ("protocol", "samples", "temperature", "weighted", "source_words", "dtype", "device", *SCALE)
OF_EXPLANATIONS = ("start", "end", "against", "gold", "judge", "human", "study", "key", "json", "seed", "tagger")


class EvaluationSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `evaluate_explanations`. `engine` is for the judge; exactly one of `explanations` and
    `scores` is given.
    """

    explanations: Annotated[
        tuple[str, ...] | None,
        Flag(
            "what generate_explanations or refine_explanations wrote",
            "-i",
            metavar="[NAME=]FILE",
            one_of="source",
            required=True,
        ),
    ] = None
    scores: Annotated[
        Path | None, Flag("print what --json kept", "--from", metavar="FILE", one_of="source", required=True)
    ] = None
    against: Annotated[
        str | None, Flag("the method that the others are compared with (default: the first)", metavar="NAME")
    ] = None
    gold: Annotated[Path | None, Flag("AVeriTeC's claims with justifications: METEOR", metavar="FILE")] = None
    human: Annotated[
        Path | None, Flag("people's ratings, higher is more faithful: Kendall's tau-c", metavar="FILE")
    ] = None
    study: Annotated[
        Path | None, Flag("the drawn study that --human rates (src.explanation.annotate)", metavar="FILE")
    ] = None
    key: Annotated[Path | None, Flag("its author's ratings", metavar="FILE")] = None
    protocol: Annotated[
        tuple[str, ...] | None,
        Flag("of G-Eval; may be repeated (default: all)", choices=(*map(str, Protocol), ALL), repeated=True),
    ] = None
    samples: Annotated[Positive, Flag("replies for each text")] = GEvalSettings().samples
    temperature: Annotated[float, msgspec.Meta(gt=0, le=2), Flag("of the replies")] = GEvalSettings().temperature
    weighted: Annotated[bool, Flag("no samples: each score times its probability, one call")] = False
    source_words: Annotated[
        Positive | None, Flag("of the evidence, nearest to the claim, that the judge reads (default: all)")
    ] = None
    tagger: Annotated[str | None, tagger_flag()] = None
    judge: Annotated[str | None, llm_flag("", "--judge", "")] = None
    engine: EngineOptions = Options()
    range: Claims = ClaimRange()
    paper: Annotated[bool, Flag("print the published tables, too")] = False
    json: Annotated[Path | None, Flag("write the scores here too", "-o", metavar="FILE")] = None
    seed: Annotated[Seed, Flag("of the resampling and of the judge's first sample")] = 0


def evaluated(settings: EvaluationSettings) -> Report:
    """Return the report on the explanations, and write it to the file `json` if one is named.

    Raises InputError for bad input, OutputError if the report cannot be written, FatalError if the judge cannot go on.
    """
    began = time.perf_counter()
    _check(settings)
    methods = [Explanations(one) for one in named_files(settings.explanations or (), settings.against)]
    inputs = _inputs(settings, methods)
    everyone = joined(methods)
    shared = [in_range(claims, settings.range.start, settings.range.end) for claims in everyone]
    ratings, judged = _people(settings, methods, everyone)
    for line in (*left_out(methods), *upstream_failures([one.path for one in methods])):
        say_error(line)
    result = replace(_report(settings, methods, shared, ratings), people=judged)
    if settings.json is not None:
        made = fingerprint(STEP, settings, inputs, result.claims)
        model = result.geval.model if result.geval is not None else None
        manifest = new_manifest(
            made,
            settings,
            seconds={"wall": time.perf_counter() - began},
            model=model,
            deterministic=model is None or model["deterministic"],
        )
        write_output(settings.json, [msgspec.json.format(msgspec.json.encode(result)) + b"\n"], [], manifest)
    return result


def refuse_all_but_scores(settings: EvaluationSettings) -> None:
    """Raise InputError if a setting has no effect with `--from`, which prints saved scores."""
    refuse_unread(settings, (*OF_EXPLANATIONS, *OF_JUDGE), "changes nothing with --from: its scores are kept ones")


def _check(settings: EvaluationSettings) -> None:
    """Raise InputError if settings contradict each other or would have no effect."""
    if settings.judge is None:
        refuse_unread(settings, OF_JUDGE, "changes nothing without --judge")
    refuse_batch(settings.engine, "G-Eval")
    has_study, has_key = settings.study is not None, settings.key is not None
    if has_study is not has_key or (has_study and settings.human is None):
        raise InputError("--study and --key go together, and with --human")
    if settings.weighted:
        why = "changes nothing with --weighted: nothing is sampled"
        refuse_unread(settings, ("samples", "temperature"), why)


def _inputs(settings: EvaluationSettings, methods: Sequence[Explanations]) -> dict[str, Path]:
    """Return the files that the step reads, by the name of their setting.

    Raises InputError or OutputError, as `check_output` does, if the scores cannot be written.
    """
    files = {f"explanations {number}": one.path for number, one in enumerate(methods, start=1)}
    others = {"gold": settings.gold, "human": settings.human, "study": settings.study, "key": settings.key}
    inputs = {**files, **{name: path for name, path in others.items() if path is not None}}
    inputs |= tagger_files(settings.tagger)
    inputs |= {"judge": path} if (path := model_file(settings.judge).get("llm")) else {}
    if settings.json is not None:
        check_output(settings.json, inputs, "file of scores")
        check_replaced(settings.json, STEP, "file of scores")
    return inputs


def _people(
    settings: EvaluationSettings, methods: Sequence[Explanations], everyone: Shared
) -> tuple[Ratings | None, People | None]:
    """Return people's ratings, and the results of the drawn study that they belong to. Each is None if the settings
    name no such file.

    Raises InputError if a file is invalid, or its ratings are of other texts.
    """
    if settings.human is None:
        return None, None
    names = [one.name for one in methods]
    known = texts(names, everyone)
    if settings.study is None or settings.key is None:
        return read_ratings(settings.human, names, known), None
    study = read_study(settings.study)
    key = read_key(settings.key, study)
    ratings = read_ticked(read_whole(settings.human), settings.human, {**study.texts(), **known})
    return ticked_ratings(counting(study, key, ratings)), people(study, key, ratings, settings.seed)


def _report(
    settings: EvaluationSettings, methods: Sequence[Explanations], shared: Shared, ratings: Ratings | None
) -> Report:
    result = report(methods, shared, chosen_checker(settings.tagger), settings.seed)
    if settings.gold is not None:
        golds = {gold.claim_id: gold for gold in read_claims(settings.gold)}
        result = replace(result, gold=against_gold(shared, golds, settings.gold, settings.seed))
    if settings.judge is not None:
        result = replace(result, geval=_geval(settings, settings.judge, shared))
    if ratings is not None and settings.human is not None:
        result = replace(result, human=with_people(result, settings.human, ratings))
    return result


def _geval(settings: EvaluationSettings, spec: str, shared: Shared) -> GEval:
    chosen = settings.protocol or (ALL,)
    protocols = [one for one in Protocol if ALL in chosen or one in chosen]
    how = GEvalSettings(
        samples=settings.samples,
        temperature=settings.temperature,
        seed=settings.seed,
        weighted=settings.weighted,
        source_words=settings.source_words,
    )
    model = get_llm(spec, settings.engine)
    result = geval(shared, Judge(model, how), protocols, settings.seed)
    return GEval(
        judge=spec,
        model=plain_model(model.info),
        weighted=settings.weighted,
        samples=0 if settings.weighted else settings.samples,
        temperature=settings.temperature,
        seed=settings.seed,
        source_words=settings.source_words,
        ways=result.ways,
        protocols=result.scores,
        failed=len(result.errors),
        first_error=one_line(str(result.errors[0])) if result.errors else "",
    )
