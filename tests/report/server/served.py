"""The server with scripted checks, as a process of its own: `python -m tests.report.server.served FOLDER [WAITING]`."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from src.check.records import Strategy
from src.report.server.app import app
from src.report.server.check_service import Desk
from src.report.server.history import History
from src.report.server.jobs import Jobs
from src.report.server.limits import Limits
from src.runner.arguments import step
from src.serving.run import serve
from tests.report.server.scripted import Scripted
from tests.serving.served import served as as_process

PROVIDERS = ("brave", "serper")
KEYS = {"BRAVE_API_KEY": "x", "SERPER_API_KEY": "x"}  # nothing is asked with them


def served(
    project_root: Path, history: Path, waiting: int = 20
) -> AbstractContextManager[tuple[str, "subprocess.Popen[str]"]]:
    """Gives the address that it prints first, and its process, which ends with the block."""
    return as_process(project_root, __name__, str(history), str(waiting), environment=os.environ | KEYS)


@step
def main(argv: Sequence[str] | None = None) -> int:
    folder, waiting = argv or sys.argv[1:]
    limits = Limits(waiting=int(waiting))
    with History(Path(folder), limits.kept) as history:
        jobs = Jobs(Scripted(), history, limits)
        desk = Desk(jobs, history, limits, PROVIDERS, Strategy.QUESTIONS)
        serve(partial(app, desk), "127.0.0.1", 0, "checks", "ask for checks", jobs.stop)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
