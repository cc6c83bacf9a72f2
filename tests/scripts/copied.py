"""The shell scripts in a separate folder, with a replacement for Python that records how it is called."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

# Ends with the code that the file `code.MODULE` holds, 0 without one. `-c` is run by the real Python: it reads tables.
STAND_IN = """#!/usr/bin/env bash
[ "$1" != -c ] || PYTHONPATH=@PROJECT@ exec @PYTHON@ "$@"
here=$(cd "$(dirname "$0")" && pwd)
printf '%s\\t' "$@" >>"$here/calls"
printf '\\n' >>"$here/calls"
[ ! -e "$here/code.$2" ] || exit "$(cat "$here/code.$2")"
"""


@dataclass(frozen=True)
class Scripts:
    root: Path

    @property
    def tools(self) -> Path:
        return self.root / ".venv" / "bin"

    def bash(self, name: str, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = ["bash", str(self.root / "script" / name), *arguments]
        return subprocess.run(command, cwd=cwd or self.root, capture_output=True, text=True, check=False)

    def calls(self) -> list[list[str]]:
        """Return the arguments of all calls of Python so far."""
        path = self.tools / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.split("\t")[:-1] for line in lines]

    def fail(self, module: str, code: int) -> None:
        (self.tools / f"code.{module}").write_text(str(code))


def copy_scripts(project_root: Path, folder: Path) -> Scripts:
    scripts = Scripts(folder / "a folder (with spaces)")
    shutil.copytree(project_root / "script", scripts.root / "script")
    scripts.tools.mkdir(parents=True)
    python = scripts.tools / "python"
    real = {"@PROJECT@": project_root.absolute(), "@PYTHON@": sys.executable}
    python.write_text(reduce(lambda text, one: text.replace(one, shlex.quote(str(real[one]))), real, STAND_IN))
    os.chmod(python, 0o755)
    return scripts


def value_of(flag: str, call: Sequence[str]) -> str:
    return call[call.index(flag) + 1]
