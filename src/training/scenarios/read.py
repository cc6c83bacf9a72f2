"""Reader of the scenarios of a folder."""

from pathlib import Path

from src.errors import InputError
from src.store import located, read_bytes
from src.training.scenarios.records import Page, Scenario
from src.training.split import number_of
from src.training.topic_files import topic_files

HELD_OUT = 0.15  # of the scenarios, by their claims
_AT_LEAST = {"supports": 2, "refutes": 2, "silent": 1, "repeats": 1}
_DECIDE = ("supports", "refutes", "partial")


def scenario_files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by their roles. Raises InputError when there are none."""
    return topic_files(folder, "scenarios")


def read_scenarios(folder: Path) -> list[Scenario]:
    """Return the scenarios of all files. Raises InputError (file, line, field) when one is invalid."""
    return [
        _checked(one, path, line)
        for path in scenario_files(folder).values()
        for line, one in located(read_bytes(path), Scenario, path)
    ]


def is_held_out(scenario: Scenario) -> bool:
    """Return True if no model learns from the scenario."""
    return number_of("scenario", scenario.claim) < HELD_OUT


def _checked(one: Scenario, path: Path, line: int) -> Scenario:
    pages: dict[str, list[Page]] = {
        "supports": one.supports, "refutes": one.refutes, "silent": one.silent, "repeats": one.repeats,
        "partial": one.partial,
    }  # fmt: skip
    for name, least in _AT_LEAST.items():
        if len(pages[name]) < least:
            raise InputError(f"{len(pages[name])} pages; at least {least} are needed", path=path, line=line, field=name)
    for name in _DECIDE:
        for place, page in enumerate(pages[name]):
            if not page.key or page.key not in page.text:
                field = f"{name}[{place}].key"
                raise InputError("is not a part of the page's text", path=path, line=line, field=field)
    for name in ("silent", "repeats"):
        for place, page in enumerate(pages[name]):
            if page.key:
                message = "is not empty; nothing decides on such a page"
                raise InputError(message, path=path, line=line, field=f"{name}[{place}].key")
    return one
