"""The server with scripted checks, as a process of its own: `python -m tests.report.server.served FOLDER [WAITING]`."""

import os
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated

import msgspec

from src.report.server.app import app
from src.report.server.check_service import CheckService
from src.report.server.history import History
from src.report.server.records import Limits
from src.runner.step import step
from src.serving.run import serve
from src.settings import Flag
from tests.report.server.scripted import Scripted
from tests.serving.served import served as as_process

PROVIDERS = ("brave", "serper")
KEYS = {"BRAVE_API_KEY": "x", "SERPER_API_KEY": "x"}  # nothing is asked with them


def served(
    project_root: Path, history: Path, waiting: int = 20
) -> AbstractContextManager[tuple[str, "subprocess.Popen[str]"]]:
    """Gives the address that it prints first, and its process, which ends with the block."""
    return as_process(project_root, __name__, str(history), str(waiting), environment=os.environ | KEYS)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    folder: Annotated[Path, Flag("the history", positional=True)]
    waiting: Annotated[int, Flag("checks that may wait", positional=True)]


@step(Settings)
def main(settings: Settings) -> int:
    limits = Limits(waiting=settings.waiting)
    with History(settings.folder, limits.kept) as history:
        service = CheckService(Scripted(), history, limits, PROVIDERS)
        serve(app(service), "127.0.0.1", 0, "checks", "ask for checks", service.stop)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
