"""Writer of a submission folder: the tracked source, the models that flags name by path, the scripts, and a zip."""

import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from src.atomic_file import atomic
from src.errors import InputError, MissingExtra, OutputError
from src.fever8.system import OWN_FILES, OWN_MODELS, SCRIPTS, SYSTEM_FILE, System
from src.llm.weights import ARCHIVES, LARGER, PRETRAINED
from src.runner.flags import PATH_KINDS

TEMPLATES = Path(__file__).parent / "files"
PARTS = ("src/", "script/", "data_store/sample/", "pretrained_models/adapters/")
LEFT_OUT = ("script/pictures/",)
AT_ROOT = (".txt", "LICENSE", "LICENSE-DATA.md")


def tracked_files(root: Path) -> list[Path]:
    """Return the files of the project that git tracks, relative to `root`.

    Raises InputError outside a git checkout, and MissingExtra where git is not installed.
    """
    command = ["git", "-C", str(root), "ls-files", "-z"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise MissingExtra("git is not installed; it lists the files of the submission") from None
    if done.returncode or not done.stdout:
        raise InputError("is not a git checkout; a submission contains the files that git tracks", path=root)
    return [Path(name) for name in done.stdout.split("\0") if name]


def write_folder(root: Path, folder: Path, system: System) -> System:
    """Write a submission into a new folder, and return the system with the paths of the models that were copied.

    Raises InputError outside a git checkout and for a tracked file that is missing, and OutputError when a file cannot
    be written.
    """
    tracked = tracked_files(root)
    source = [path for path in tracked if _belongs(path)]
    if lost := next((path for path in source if not (root / path).exists()), None):
        raise InputError(f"is missing, but git tracks it; restore it: git checkout -- {lost}", path=root / lost)
    try:
        for path in source:
            _copy(root / path, folder / path)
        own = _OwnModels(root, folder, tracked)
        changed = {name: own.rewritten(getattr(system, name)) for name in ("flags", "then", "llms")}
        system = msgspec.structs.replace(system, **changed)
        for name in (*SCRIPTS, *OWN_FILES):
            _write_template(name, folder / name, system)
        (folder / SYSTEM_FILE).write_bytes(msgspec.json.format(msgspec.json.encode(system)) + b"\n")
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror or error}") from None
    return system


def _belongs(path: Path) -> bool:
    name = path.as_posix()
    if "/" not in name:
        return name.endswith(AT_ROOT)
    return name.startswith(PARTS) and not name.startswith(LEFT_OUT)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)


def _write_template(name: str, target: Path, system: System) -> None:
    text = (TEMPLATES / name).read_text("utf-8")
    setup = " --vllm-cuda" if system.vllm else ""
    marks = {"@NAME@": system.name, "@IMAGE@": system.name.lower(), "@PYTHON@": system.python, "@SETUP@": setup}
    for mark, value in marks.items():
        text = text.replace(mark, value)
    target.write_text(text, "utf-8")
    target.chmod(0o755 if name in SCRIPTS else 0o644)


class _OwnModels:
    """Copies of files and folders that flags name by path, and that are neither tracked nor brought by set-up."""

    def __init__(self, root: Path, folder: Path, tracked: Sequence[Path]) -> None:
        self._root, self._folder = root, folder
        self._known = {*tracked, *(parent for path in tracked for parent in path.parents)}
        self._known |= {PRETRAINED / archive.folder for archive in (ARCHIVES | LARGER).values()}
        self._names: dict[Path, str] = {}

    def rewritten(self, words: Iterable[str]) -> list[str]:
        """Return the words of a command line; paths of copies are those inside the folder."""
        return [self._rewritten(word) for word in words]

    def _rewritten(self, word: str) -> str:
        flag, is_joined, value = word.partition("=") if word.startswith("--") else ("", "", word)
        kind, colon, argument = value.partition(":")
        prefix, text = (f"{kind}:", argument) if colon and kind in PATH_KINDS else ("", value)
        path = Path(text)
        if not text or not (self._root / path).exists() or self._is_known(path):
            return word
        return f"{flag}{is_joined}{prefix}{self._copied(path)}"

    def _is_known(self, path: Path) -> bool:
        relative = Path(os.path.relpath(self._root / path, self._root))
        return relative in self._known

    def _copied(self, path: Path) -> str:
        source = (self._root / path).resolve()
        if source not in self._names:
            name = os.path.basename(os.path.abspath(self._root / path))  # a link's own: its target may be a hash
            self._names[source] = f"{OWN_MODELS}/{len(self._names)}_{name}"
            _copy(source, self._folder / self._names[source])
        return self._names[source]


def write_zip(folder: Path, target: Path) -> None:
    """Write a folder as a zip with the permissions of its files. Raises OutputError when it cannot be written."""
    with atomic(target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
