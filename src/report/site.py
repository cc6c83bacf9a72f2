"""The files of a report: overview, list of claims, a page for each claim, and a page for each other run."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from src.errors import InputError
from src.report.claim_page import claim_page, view_of_run
from src.report.comparison import compare, compare_page
from src.report.judged import JudgedView
from src.report.overview import failed_claims, list_page, listed, overview, overview_page
from src.report.rendering import Link
from src.report.run import Run
from src.report.scores import Golds, Scored, claim_scores
from src.runner.manifest import read_manifest
from src.runner.paths import output_folder
from src.store import storable

MANIFEST = "report"  # report.manifest.json, in the report's folder


class Site(NamedTuple):
    """Contents of a report.

    `run`: the run.
    `split`: name of the split.
    `labels`: where the labels are from, or why there are none.
    `golds`: labeled claims by claim_id.
    `scored`: scores of the run; None if some claim has no label.
    `others`: runs to compare with.
    `judged`: scores of the run by a judge; None if there are none.
    """

    run: Run
    split: str
    labels: str
    golds: Golds
    scored: Scored | None
    others: Sequence[Run] = ()
    judged: JudgedView | None = None


def check_report_folder(path: Path, step: str) -> Path:
    """Return the path of the report's folder. Raises InputError if it has anything other than an earlier report of this
    step.
    """
    if not output_folder(path).exists() or not any(path.iterdir()):
        return path
    manifest = read_manifest(path / MANIFEST)
    if manifest is None or manifest.fingerprint.step != step:
        raise InputError("is not empty, and no earlier report; name another folder", path=path)
    return path


def write_site(site: Site, folder: Path) -> None:
    """Write the report to a folder that does not exist yet.

    Raises InputError when a run to compare with has other claims, OSError when a file cannot be written.
    """
    (folder / "claim").mkdir(parents=True)
    links = _links(site)
    scores = site.scored.claims if site.scored else claim_scores(site.run, site.golds)
    rows = listed(site.run, scores, failed_claims(site.run))
    view = overview(site.run, site.split, site.labels, site.scored, site.judged)
    _write(folder / "index.html", overview_page(view, links))
    _write(folder / "claims.html", list_page(site.run.name, rows, links))
    for number, other in enumerate(site.others, 1):
        comparison = compare(site.run, scores, other, claim_scores(other, site.golds))
        _write(folder / _compare(number), compare_page(comparison, links, _compare(number)))
    for place, one in enumerate(site.run.predictions):
        shown = view_of_run(site.run, one, site.golds.get(one.claim_id), scores.get(one.claim_id))
        around = (*_upwards(links), *_around(site.run, place))
        _write(folder / "claim" / f"{one.claim_id}.html", claim_page(shown, around))


def _links(site: Site) -> tuple[Link, ...]:
    others = (Link(_compare(number), f"Beside {other.name}") for number, other in enumerate(site.others, 1))
    return (Link("index.html", f"Run {site.run.name}"), Link("claims.html", "All claims"), *others)


def _compare(number: int) -> str:
    return "compare.html" if number == 1 else f"compare_{number}.html"


def _upwards(links: Sequence[Link]) -> list[Link]:
    """Return the links as they are written on a page one folder below."""
    return [Link(f"../{one.address}", one.text) for one in links]


def _around(run: Run, place: int) -> list[Link]:
    """Return links to the claims before and after the one at index `place` (from 0), if they exist."""
    ids = [one.claim_id for one in run.predictions]
    before = [Link(f"{ids[place - 1]}.html", f"Previous: claim {ids[place - 1]}")] if place else []
    after = [Link(f"{ids[place + 1]}.html", f"Next: claim {ids[place + 1]}")] if place + 1 < len(ids) else []
    return before + after


def _write(path: Path, html: str) -> None:
    path.write_text(storable(html), encoding="utf-8")
