"""Commands without a network: in a new network namespace, or else with a guard inside Python."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from src.runner.manifest import ROOT

GUARD = Path(__file__).parent / "guard"
ATTEMPTS = "FEVER8_ATTEMPTS"
UNSHARE = ("unshare", "--map-root-user", "--net")


class Blocking(StrEnum):
    """How the network is blocked: by the system for all programs, or by a guard for Python only."""

    NAMESPACE = "network namespace"
    GUARD = "guard in Python"


def blocking() -> Blocking:
    """Return the strongest way to block the network that this machine allows."""
    try:
        done = subprocess.run([*UNSHARE, *_loopback(), "true"], capture_output=True, check=False)
    except OSError:
        return Blocking.GUARD
    return Blocking.GUARD if done.returncode else Blocking.NAMESPACE


def offline(command: Sequence[str], how: Blocking) -> list[str]:
    """Return a command that runs `command` without a network."""
    return [*UNSHARE, *_loopback(), *command] if how is Blocking.NAMESPACE else list(command)


def guarded(attempts: Path, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return an environment in which Python writes each attempt to reach another machine to the file `attempts`."""
    paths = [str(GUARD), *filter(None, [environment.get("PYTHONPATH", "")])]
    return {**environment, "PYTHONPATH": os.pathsep.join(paths), ATTEMPTS: str(attempts)}


def attempted(attempts: Path) -> list[str]:
    """Return the hosts that a guarded command tried to reach, each once."""
    return sorted(set(attempts.read_text("utf-8").splitlines())) if attempts.exists() else []


def _loopback() -> list[str]:
    """Return the command that becomes the command after it, with the loopback interface on."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from src.fever8.loopback import run; run(sys.argv[1:])"
    return [sys.executable, "-c", code]
