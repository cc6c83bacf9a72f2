"""Explanations of several methods on the same claims, joined by claim_id.

Limitations: a claim that some method does not explain is left out for all methods; these claims are reported.
"""

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.errors import InputError
from src.explanation.claims_file import MADE_BY, read_claims_to_explain
from src.explanation.records import Cost, Debate, ExplainedClaim
from src.runner.claim_range import in_words
from src.runner.paths import existing_file
from src.store import read_records
from src.text import folded


class Named(NamedTuple):
    """A file of explanations and the name of the method that wrote it."""

    name: str
    path: Path


class _Refined(msgspec.Struct):
    debate: Debate | None = None
    drafting: Cost | None = None


class Explanations:
    """All claims in the file of one method, including those without an explanation."""

    def __init__(self, named: Named) -> None:
        """Read the file.

        Raises InputError with file, line and field if the file is invalid or has no explanation.
        """
        self.name, self.path = named
        claims = read_claims_to_explain(existing_file(self.path, MADE_BY))
        joined = zip(claims, read_records(self.path, _Refined), strict=True)
        self.claims = [
            msgspec.structs.replace(claim, debate=how.debate, drafting=how.drafting) for claim, how in joined
        ]
        if not self.explained:
            raise InputError("holds no explanation", path=self.path)

    @cached_property
    def explained(self) -> dict[int, ExplainedClaim]:
        """Return the claims that have an explanation, by claim_id."""
        return {one.claim_id: one for one in self.claims if (one.explanation or "").strip()}


def named_files(texts: Sequence[str], against: str | None) -> list[Named]:
    """Return the files with the names of their methods; the method `against`, if it is not None, comes first.

    Each text is NAME=FILE, or a file, whose stem is then the name.
    Raises InputError if a name is missing, given twice or unknown.
    """
    files = [_named(text) for text in texts]
    names = [one.name for one in files]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two methods are called {double}; name them: -i NAME=FILE")
    if against is not None and against not in names:
        raise InputError(f"--against {against}: the methods are {', '.join(names)}")
    return sorted(files, key=lambda one: against is not None and one.name != against)


def joined(methods: Sequence[Explanations]) -> list[list[ExplainedClaim]]:
    """Return, for each method, its explanations of the claims that all methods explain, ordered by claim_id.

    Raises InputError if there is no such claim, or claims with the same claim_id have different texts.
    """
    first = methods[0]
    shared = set(first.explained).intersection(*(one.explained for one in methods[1:]))
    if not shared:
        raise InputError("there is no claim that all of these files explain")
    texts = {claim.claim_id: folded(claim.claim) for claim in first.claims}
    for other in methods[1:]:
        for claim in other.claims:
            if folded(claim.claim) != texts.get(claim.claim_id, folded(claim.claim)):
                raise InputError(f"claim {claim.claim_id} is another one than in {first.path}", path=other.path)
    return [[one.explained[claim_id] for claim_id in sorted(shared)] for one in methods]


def left_out(methods: Sequence[Explanations]) -> list[str]:
    """Return a warning for each method that does not explain some of the claims."""
    everyone = {claim.claim_id for one in methods for claim in one.claims}
    lacking = [(one.name, everyone - one.explained.keys()) for one in methods]
    return [_left_out(name, ids) for name, ids in lacking if ids]


def _left_out(name: str, ids: Collection[int]) -> str:
    if len(ids) == 1:
        return f"claim {in_words(ids)} is left out: {name} has no explanation of it"
    return f"{len(ids)} claims are left out ({in_words(ids)}): {name} has no explanation of them"


def _named(text: str) -> Named:
    name, equals, file = text.partition("=")
    if not equals or Path(text).is_file():
        return Named(Path(text).name.partition(".")[0], Path(text))
    if not name or not file:
        raise InputError(f"{text!r} is neither NAME=FILE nor a file")
    return Named(name, Path(file))
