"""Stage: validate a submission file."""

from pathlib import Path
from typing import Annotated

import msgspec

from src.prediction.submission_checks import check_items, read_items
from src.runner.claim_range import ClaimRange, Claims, in_range
from src.runner.console import how_many, say
from src.runner.manifest import upstream_failures
from src.settings import Flag
from src.store import read_bytes, read_claims


class ValidateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of `validate`."""

    file: Annotated[Path, Flag("a JSON list or JSON lines of predictions", positional=True)]
    label_file: Annotated[Path, Flag("claims of the split")] = Path("data/dev.json")
    quiet: Annotated[bool, Flag("print the closing line only")] = False
    range: Claims = ClaimRange()


def validate(settings: ValidateSettings) -> int:
    """Report all problems of a submission, one a line; return 1 if it has errors, else 0.

    Raises InputError if the file cannot be read.
    """
    claims = in_range(read_claims(settings.label_file), settings.range.start, settings.range.end, settings.label_file)
    items = read_items(read_bytes(settings.file), settings.file)
    problems = list(check_items(items, {claim.claim_id: claim.claim for claim in claims}))
    for problem in problems:
        say(str(problem), quiet=settings.quiet)
    for line in upstream_failures([settings.file]):
        say(f"warning: {line}")
    errors = sum(problem.error for problem in problems)
    warnings = len(problems) - errors
    verdict = "not valid" if errors else "valid"
    found = f"{how_many(errors, 'error')}, {how_many(warnings, 'warning')}"
    say(f"{verdict}: {how_many(len(items), 'claim')}, {found} in {settings.file}")
    return 1 if errors else 0
