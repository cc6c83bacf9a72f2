"""Step: write a check in a form for publication: ClaimReview (JSON-LD), BibTeX of its sources, or its page.

Reads the record that `check.sh --json` prints, or the answer of the served page's API. Files are replaced.
"""

import sys
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from src.atomic_file import write_whole
from src.canonical_url import web_address
from src.check.own_sources import STDIN
from src.check.records import CheckedClaim
from src.errors import InputError
from src.json_decoding import decode
from src.report.claim_page import claim_page, view_of_check
from src.report.exports.bibliography import bibliography
from src.report.exports.claim_review import Publication, claim_review
from src.retrieval.leakage import read_day
from src.runner.console import say
from src.runner.paths import check_output
from src.runner.step import step
from src.settings import Flag, refuse_unread
from src.store import read_bytes

_OF_REVIEW = ("publisher", "review_url", "day", "rating", "rating_value", "as_checked")
_RATINGS = ((True, True, False), (False, False, True))  # with --rating, with --rating_value, with --as_checked


class ExportSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `export_check`."""

    record: Annotated[Path, Flag("the check's record as JSON; - is standard input", positional=True)]
    claim_review: Annotated[Path | None, Flag("ClaimReview, for the page of the fact-check", metavar="FILE.jsonld")] = (
        None
    )
    bibliography: Annotated[Path | None, Flag("BibTeX of the sources", metavar="FILE.bib")] = None
    page: Annotated[Path | None, Flag("the answer as a page", metavar="FILE.html")] = None
    publisher: Annotated[str, Flag("who answers for the review")] = ""
    review_url: Annotated[str, Flag("address at which the review is published")] = ""
    day: Annotated[str, Flag("day of publication (default: today)")] = ""
    rating: Annotated[str, Flag("the publisher's rating, in words")] = ""
    rating_value: Annotated[
        Literal["1", "2", "3", "4", "5", "-1"] | None, Flag("its value: 1 false, 5 true, -1 neither")
    ] = None

    as_checked: Annotated[bool, Flag("rate by the verdict of the check, if it has a level")] = False

    def publication(self) -> Publication:
        """Return what the review is published with. Raises InputError for what is missing or wrong."""
        if not (self.publisher and self.review_url):
            raise InputError("--claim_review needs --publisher and --review_url")
        if (bool(self.rating), self.rating_value is not None, self.as_checked) not in _RATINGS:
            raise InputError("--claim_review needs either both --rating and --rating_value, or --as_checked alone")
        if not web_address(self.review_url):
            raise InputError(f"--review_url {self.review_url!r} is no http or https address")
        day = read_day(self.day) if self.day else date.today()
        if day is None:
            raise InputError(f"--day {self.day!r} is no day, such as 2026-10-31")
        value = None if self.rating_value is None else int(self.rating_value)
        return Publication(self.publisher, self.review_url, day, self.rating, value)


@step(ExportSettings)
def main(settings: ExportSettings) -> int:
    outputs = {"claim_review": settings.claim_review, "bibliography": settings.bibliography, "page": settings.page}
    wanted = {name: path for name, path in outputs.items() if path}
    if not wanted:
        raise InputError("name a file: --claim_review, --bibliography or --page")
    if len({path.absolute() for path in wanted.values()}) < len(wanted):
        raise InputError("two outputs are the same file")
    if settings.claim_review is None:
        refuse_unread(settings, _OF_REVIEW, "goes with --claim_review")
    for name, path in wanted.items():
        check_output(path, {"record": settings.record}, name)
    checked = _read(settings.record)
    texts = {
        "claim_review": lambda: claim_review(checked, settings.publication()),
        "bibliography": lambda: bibliography(checked).encode(),
        "page": lambda: claim_page(view_of_check(checked)).encode(),
    }
    written = {path: texts[name]() for name, path in wanted.items()}
    for path, content in written.items():
        write_whole(path, content)
        say(f"{path}: written")
    return 0


class _Answer(msgspec.Struct):
    """An answer of the API has the record as `result`."""

    result: msgspec.Raw | UnsetType = UNSET


def _read(path: Path) -> CheckedClaim:
    """Return the record of a check. Raises InputError for a file that has none."""
    data = sys.stdin.buffer.read() if str(path) == STDIN else read_bytes(path)
    try:
        answer = decode(data, _Answer)
        return decode(data if isinstance(answer.result, UnsetType) else answer.result, CheckedClaim)
    except msgspec.DecodeError as error:
        raise InputError(f"is no record of a check ({error})", path=path) from None


if __name__ == "__main__":
    raise SystemExit(main())
