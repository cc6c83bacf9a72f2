"""Step: check the faithfulness of explanations without a language model; write one line for each finding.

Reads explanations with their evidence or source. Each sentence is compared with the claim and the evidence. Rules check
numbers, names, quantifiers, relevance and the stated verdict. A small tagger finds nine types of errors and confirms or
rejects what the rules find. An entailment model finds the tenth type: justifications that do not bear on the claim. An
explanation without findings has no line. A claim without an explanation is reported and not counted.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from src.errors import InputError
from src.explanation.checks.checker import (
    add_reader_flag,
    add_tagger_flag,
    chosen_bearing,
    chosen_checker,
    reader_files,
    tagger_files,
)
from src.explanation.claims_file import MADE_BY, read_claims_to_explain
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.runner.arguments import StepParser, add_range, existing_file, in_range, step
from src.runner.console import how_many, say
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced
from src.store import encode_lines

MODULE = "src.explanation.check_explanations"


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog=f"python -m {MODULE}", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("-i", "--explanations_file", type=Path, default=Path("data_store/dev_explanations.json"),
                       help="explanations with their claims and evidence")  # fmt: skip
    flags.add_argument("-o", "--output_file", type=Path, default=Path("data_store/dev_flags.jsonl"),
                       help="findings, one a line")  # fmt: skip
    flags.add_argument("--quiet", action="store_true", help="print errors only")
    add_tagger_flag(flags)
    add_reader_flag(flags)
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    began = time.perf_counter()
    args = parser().parse_args(argv)
    source = existing_file(args.explanations_file, MADE_BY)
    claims = in_range(read_claims_to_explain(source), args.start, args.end, source)
    reading, notes = reader_files(args.reader, args.tagger)
    inputs = {"explanations_file": source, **tagger_files(args.tagger), **reading}
    check_output(args.output_file, inputs)
    check_replaced(args.output_file, MODULE, "file of findings")
    explained = [claim for claim in claims if (claim.explanation or "").strip()]
    if not explained:
        raise InputError("holds no explanation to check", path=source)
    findings = chosen_checker(args.tagger, chosen_bearing(reading)).check(explained)
    made = fingerprint(MODULE, args, inputs, [claim.claim_id for claim in claims])
    counts = Counter(one.type.value for found in findings for one in found)
    manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began}, counts=counts)
    write_output(args.output_file, encode_lines([one for found in findings for one in found]), [], manifest)
    for line in (*notes, *upstream_failures([source]), *_told(findings, len(claims) - len(explained))):
        say(f"check_explanations: {line}", quiet=args.quiet)
    say(f"check_explanations: {how_many(len(claims), 'claim')} -> {args.output_file}", quiet=args.quiet)
    return 0


def _told(findings: Sequence[Sequence[Finding]], without: int) -> list[str]:
    flagged = sum(map(bool, findings))
    counts = Counter(one.type for found in findings for one in found)
    by_type = [f"{kind.full_name} {counts[kind]}" for kind in ErrorType if counts[kind]]
    empty = [f"{how_many(without, 'claim')} without an explanation"] if without else []
    return [*empty, f"{flagged} of {how_many(len(findings), 'explanation')} flagged", *by_type]


if __name__ == "__main__":
    raise SystemExit(main())
