"""Step: make a benchmark for faithfulness checks: copies of clean explanations, each with exactly one known error.

Reads explanations, AVeriTeC's gold justifications, or the sentences that PolitiHop's annotators chose from a ruling.
For each kind of error it writes one copy of every explanation in which the error can be planted, with its twin (the
same text without the error). `--words train` and `--words test` share no phrase: train on one, measure on the other.

    python -m src.explanation.plant_errors --averitec data/dev.json -o data_store/dev_planted.jsonl
"""

import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.explanation.claims_file import gold_explanations, read_claims_to_explain
from src.explanation.politihop import copied_explanations
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.planting import planted_copies
from src.explanation.synthetic_errors.records import Kind
from src.explanation.synthetic_errors.scene import elsewhere, scenes
from src.explanation.synthetic_errors.word_lists import LISTS
from src.runner.console import how_many, say
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced, existing_file
from src.runner.step import step
from src.settings import Flag, Positive, Seed
from src.spacy_pipelines import FROM_PYPI, load
from src.store import encode_line

STEP = "src.explanation.plant_errors"


def _plain(text: str) -> str:
    """Return the name of a kind of error in the form of the option `--kinds`: without spaces and commas."""
    return text.replace(" ", "_").replace(",", "")


KINDS = tuple(kind.name.lower() for kind in Kind)


class PlantSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `plant_errors`; exactly one of the three sources is given."""

    explanations_file: Annotated[
        Path | None, Flag("explanations with their claims and evidence", "-i", one_of="source", required=True)
    ] = None
    averitec: Annotated[
        Path | None, Flag("AVeriTeC's claims with gold evidence and justification", one_of="source", required=True)
    ] = None
    politihop: Annotated[Path | None, Flag("PolitiHop's table of a split", one_of="source", required=True)] = None
    output_file: Annotated[Path, Flag("copies, one a line", "-o")] = Path("data_store/dev_planted.jsonl")
    clean_file: Annotated[Path | None, Flag("write the clean explanations to this file, too")] = None
    words: Annotated[
        str, Flag("which word lists: those that measure, or those to learn from", choices=tuple(LISTS))
    ] = "test"
    kinds: Annotated[
        tuple[str, ...],
        Flag("such as intrinsic_number (default: all fourteen)", choices=KINDS, parse=_plain, metavar="KIND"),
    ] = KINDS
    most: Annotated[Positive | None, Flag("explanations that are read, from the first")] = None
    seed: Annotated[Seed, Flag("of what is drawn")] = 0
    quiet: Annotated[bool, Flag("print errors only")] = False


@step(PlantSettings)
def main(settings: PlantSettings) -> int:
    began = time.perf_counter()
    source = _source(settings)
    claims = _clean(settings, source)[: settings.most]
    inputs = {"explanations_file": source}
    _check_outputs(settings, inputs)
    explained = [one for one in scenes(claims, load(FROM_PYPI, [])) if one.sentences]
    if not explained:
        raise InputError("holds no explanation to plant an error in", path=source)
    kinds = [Kind[kind.upper()] for kind in settings.kinds]
    planted = list(planted_copies(explained, kinds, elsewhere(explained), LISTS[settings.words], settings.seed))
    made = fingerprint(STEP, settings, inputs, [one.claim.claim_id for one in explained])
    counts = Counter(one.planted.kind.value for one in planted)
    manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began}, counts=counts)
    write_output(settings.output_file, map(encode_line, planted), [], manifest)
    if settings.clean_file is not None:
        write_output(settings.clean_file, map(encode_line, (one.claim for one in explained)), [], manifest)
    by_kind = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    of = how_many(len(explained), "explanation")
    say(
        f"plant_errors: {of}, {how_many(len(planted), 'planted error')}: {by_kind} -> {settings.output_file}",
        quiet=settings.quiet,
    )
    return 0


def _check_outputs(settings: PlantSettings, inputs: Mapping[str, Path]) -> None:
    """Raise InputError or OutputError, as `check_output` does, if an output cannot be written or would replace another
    file.
    """
    named = {"output_file": settings.output_file, "clean_file": settings.clean_file}
    outputs = {name: path for name, path in named.items() if path is not None}
    for name, path in outputs.items():
        others = {other: its for other, its in outputs.items() if other != name}
        check_output(path, {**inputs, **others})
        check_replaced(path, STEP, "file of planted errors")


def _source(settings: PlantSettings) -> Path:
    if settings.averitec is not None:
        return settings.averitec  # its reader says how to get the file
    if settings.politihop is not None:
        return existing_file(settings.politihop, "the authors of PolitiHop")
    if settings.explanations_file is None:
        raise InputError("name the clean explanations: --explanations_file, --averitec or --politihop")
    return existing_file(settings.explanations_file, "src.explanation.generate_explanations")


def _clean(settings: PlantSettings, source: Path) -> list[ExplainedClaim]:
    if settings.averitec is not None:
        return gold_explanations(source)
    return copied_explanations(source) if settings.politihop is not None else read_claims_to_explain(source)


if __name__ == "__main__":
    raise SystemExit(main())
