"""Step: check the faithfulness of explanations without a language model; write one line for each finding.

Reads explanations with their evidence or source. Each sentence is compared with the claim and the evidence. Rules check
numbers, names, quantifiers, relevance and the stated verdict. A small tagger finds nine types of errors and confirms or
rejects what the rules find. An entailment model finds the tenth type: justifications that do not bear on the claim. An
explanation without findings has no line. A claim without an explanation is reported and not counted.
"""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.explanation.checks.checker import (
    chosen_bearing,
    chosen_checker,
    reader_files,
    reader_flag,
    tagger_files,
    tagger_flag,
)
from src.explanation.claims_file import MADE_BY, read_claims_to_explain
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.runner.claim_range import ClaimRange, Claims, in_range
from src.runner.console import how_many, say
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced, existing_file
from src.runner.step import step
from src.settings import Flag
from src.store import encode_line

STEP = "src.explanation.check_explanations"


class CheckSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `check_explanations`."""

    explanations_file: Annotated[Path, Flag("explanations with their claims and evidence", "-i")] = Path(
        "data_store/dev_explanations.json"
    )
    output_file: Annotated[Path, Flag("findings, one a line", "-o")] = Path("data_store/dev_flags.jsonl")
    quiet: Annotated[bool, Flag("print errors only")] = False
    tagger: Annotated[str | None, tagger_flag()] = None
    reader: Annotated[str | None, reader_flag()] = None
    range: Claims = ClaimRange()


@step(CheckSettings)
def main(settings: CheckSettings) -> int:
    began = time.perf_counter()
    source = existing_file(settings.explanations_file, MADE_BY)
    claims = in_range(read_claims_to_explain(source), settings.range.start, settings.range.end, source)
    reading, notes = reader_files(settings.reader, settings.tagger)
    inputs = {"explanations_file": source, **tagger_files(settings.tagger), **reading}
    check_output(settings.output_file, inputs)
    check_replaced(settings.output_file, STEP, "file of findings")
    explained = [claim for claim in claims if (claim.explanation or "").strip()]
    if not explained:
        raise InputError("holds no explanation to check", path=source)
    findings = chosen_checker(settings.tagger, chosen_bearing(reading)).check(explained)
    everything = [one for of_claim in findings for one in of_claim]
    made = fingerprint(STEP, settings, inputs, [claim.claim_id for claim in claims])
    counts = Counter(one.type.value for one in everything)
    manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began}, counts=counts)
    write_output(settings.output_file, map(encode_line, everything), [], manifest)
    for line in (*notes, *upstream_failures([source]), *_summary(findings, len(claims) - len(explained))):
        say(f"check_explanations: {line}", quiet=settings.quiet)
    say(f"check_explanations: {how_many(len(claims), 'claim')} -> {settings.output_file}", quiet=settings.quiet)
    return 0


def _summary(findings: Sequence[Sequence[Finding]], without: int) -> list[str]:
    flagged = sum(map(bool, findings))
    counts = Counter(one.type for of_claim in findings for one in of_claim)
    by_type = [f"{kind.full_name} {counts[kind]}" for kind in ErrorType if counts[kind]]
    empty = [f"{how_many(without, 'claim')} without an explanation"] if without else []
    return [*empty, f"{flagged} of {how_many(len(findings), 'explanation')} flagged", *by_type]


if __name__ == "__main__":
    raise SystemExit(main())
