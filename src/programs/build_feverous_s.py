"""Step: build FEVEROUS-S, the claims of FEVEROUS' release whose evidence is only sentences.

Reads FEVEROUS' JSON lines (`feverous_dev_challenges.jsonl`) and its SQLite file of Wikipedia (`feverous_wikiv1.db`),
which has the text of the sentences. Writes the layout of ProgramFC's `claims/dev.json`, which all steps of programs
read. The rule is that of ProgramFC, section 4: claims that require exclusively sentence evidence, labeled supports or
refutes.

A claim with a missing sentence fails: it is left out and listed in the failures file. A claim whose first evidence set
is empty is left out and counted.

Limitations: a claim counts if all of its evidence sets are sentences; its evidence is its first set. The paper does
not say how it treats several sets. Neither released file is in the project's data, so its count of 2,962 is unchecked.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import ClaimError, InputError, locate
from src.programs.feverous_release import Released, Text, opened, sentences_alone
from src.runner.console import how_many, say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import Manifest, new_manifest
from src.runner.output import Failure, write_output
from src.runner.paths import check_output, existing_file
from src.runner.step import step
from src.settings import Flag, OutputSettings

MODULE = "src.programs.build_feverous_s"
SOURCE = "FEVEROUS' release (https://fever.ai/dataset/feverous.html)"


class FeverousClaim(msgspec.Struct):
    """A claim in the layout of ProgramFC's file.

    `evidence`: one line per sentence: its page, a tab, its text.
    """

    id: int
    claim: str
    label: str
    challenge: str
    evidence: str


def built(released: Sequence[Released], text: Text, path: Path) -> tuple[list[FeverousClaim], list[Failure]]:
    """Return the claims of FEVEROUS-S, and the failures of those left out. `text` looks up a sentence by its name.

    `path` is the file of the released claims, for messages. Raises InputError (file, page) when a page cannot be read.
    """
    claims, failures = [], []
    for one in released:
        try:
            evidence = "\n".join("\t".join(text(name)) for name in one.names)
        except ClaimError as error:
            message = locate(str(error), path=path, line=one.line, field="evidence")
            failures.append(Failure(one.id, MODULE, type(error).__name__, message, ""))
        else:
            claims.append(FeverousClaim(one.id, one.claim, one.label, one.challenge, evidence))
    return claims, failures


class BuildSettings(OutputSettings, frozen=True, kw_only=True):
    """Settings of `build_feverous_s`."""

    claim_file: Annotated[Path, Flag("FEVEROUS' claims, as released", "-c")]
    wiki_file: Annotated[Path, Flag("FEVEROUS' Wikipedia, as released (SQLite)", "-w")]
    output: Annotated[Path, Flag("FEVEROUS-S, a JSON list", "-o", "--output_file")]


@step(BuildSettings)
def main(settings: BuildSettings) -> int:
    began = time.perf_counter()
    inputs = {
        "claim_file": existing_file(settings.claim_file, SOURCE),
        "wiki_file": existing_file(settings.wiki_file, SOURCE),
    }
    check_output(settings.output, inputs)
    everyone = sentences_alone(settings.claim_file)
    released = [one for one in everyone if one.names]
    if settings.dry_run:
        say(f"build_feverous_s: {how_many(len(released), 'claim')}", quiet=settings.quiet)
        return 0
    if settings.output.exists() and not settings.overwrite:
        raise InputError("already exists; --overwrite replaces it", path=settings.output)
    with opened(settings.wiki_file) as text:
        claims, failures = built(released, text, settings.claim_file)
    labels = Counter(one.label for one in claims)
    counts = {"claims": len(claims), **labels, "first_set_empty": len(everyone) - len(released)}
    manifest = _manifest(settings, inputs, counts, began)
    data = msgspec.json.format(msgspec.json.encode(claims), indent=2) + b"\n"
    write_output(settings.output, [data], failures, manifest)
    for note in manifest.notes:
        say(f"build_feverous_s: note: {note}", quiet=settings.quiet)
    summary = f"{how_many(len(claims), 'claim')} ({labels['supports']} supports, {labels['refutes']} refutes)"
    say(f"build_feverous_s: {summary} -> {settings.output}", quiet=settings.quiet)
    if failures:
        how_much = f"{len(failures)} of {how_many(len(released), 'claim')} failed and are left out of {settings.output}"
        say_error(f"build_feverous_s: {how_much}. The first, claim {failures[0].claim_id}: {failures[0].message}")
    return int(bool(failures))


def _manifest(settings: BuildSettings, inputs: Mapping[str, Path], counts: dict[str, int], began: float) -> Manifest:
    """Return the manifest of the output. Claims are numbered by their index in it, like in the steps that read it."""
    made = fingerprint(MODULE, settings, inputs, range(counts["claims"]))
    empty = counts["first_set_empty"]
    notes = [f"{how_many(empty, 'claim')} left out: the first evidence set is empty"] if empty else []
    return new_manifest(made, settings, seconds={"wall": time.perf_counter() - began}, counts=counts, notes=notes)


if __name__ == "__main__":
    raise SystemExit(main())
