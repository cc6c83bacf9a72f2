"""Report of a check: text for people, and a record for JSON."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path

import msgspec

from src.fever8.checks import Finding, Speed
from src.fever8.memory import Estimate
from src.fever8.system import System
from src.llm.measure import machine

_MARKS = {True: "pass", False: "FAIL", None: "note"}


class Report(msgspec.Struct, frozen=True):
    """All findings on a submission folder.

    `passed`: no rule is broken.
    `machine`: processor, system and Python on which the trial ran.
    `speed`, `memory`: what the findings on them rest on; None without a trial, or without models.
    """

    folder: str
    system: System | None
    passed: bool
    machine: str
    findings: list[Finding]
    speed: Speed | None = None
    memory: Estimate | None = None


def report_of(
    folder: Path,
    system: System | None,
    findings: list[Finding],
    speed: Speed | None = None,
    memory: Estimate | None = None,
) -> Report:
    """Return the report on a folder with the findings of its checks."""
    broken = any(finding.passed is False for finding in findings)
    where = f"{machine()}, Python {platform.python_version()}, {os.uname().sysname}"
    return Report(str(folder), system, not broken, where, findings, speed, memory)


def text_of(report: Report) -> Iterator[str]:
    """Yield the lines of a report."""
    name = f" ({report.system.name}, {report.system.strategy})" if report.system else ""
    yield f"{report.folder}{name}, checked on {report.machine}"
    for finding in report.findings:
        yield f"  {_MARKS[finding.passed]}  {finding.rule:<10}  {finding.detail}"
    yield "passed: no rule is broken" if report.passed else "FAILED: a rule is broken"
