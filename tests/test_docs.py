"""README and docs: each bash block runs on the sample data, each link has a target, README stays short."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest

_ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    _ROOT / "README.md", _ROOT / "data_store" / "README.md", _ROOT / "pretrained_models" / "README.md",
    *sorted((_ROOT / "docs").rglob("*.md")),
]  # fmt: skip
MOST_LINES, MOST_WORDS = 200, 1800  # of README
SECONDS = 540  # for the blocks of one page
_BLOCK = re.compile(r"^(?:<!-- not run: (?P<why>[^\n]+) -->\n)?```bash\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_FLAG = re.compile(r"(?<=\s)--[a-z][\w-]*")
CALLED = {
    "bm25.sh": "src.reranking.bm25_sentences",
    "check.sh": "src.check",
    "fever8/check.sh": "src.fever8.check_folder",
    "fever8/make.sh": "src.fever8.make_folder",
    "pipeline.sh": "src.pipeline",
    "question_generation.sh": "src.reranking.question_generation_top_sentences",
    "scraper.sh": "src.retrieval.scraper_for_knowledge_store",
    "search.sh": "src.retrieval.search",
}
SHARED = {"out/quickstart"}  # of script/quickstart.sh
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<to>[^)\s]+)\)|<img src=\"(?P<image>[^\"]+)\"")


class Block(NamedTuple):
    """A bash block of a page; `why` is the reason why it is not run, "" if it is run."""

    code: str
    why: str


def blocks(page: Path) -> list[Block]:
    return [Block(one["code"], one["why"] or "") for one in _BLOCK.finditer(page.read_text(encoding="utf-8"))]


def name(page: Path) -> str:
    return str(page.relative_to(_ROOT))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of the project's root after set-up, in which commands may write."""
    root = tmp_path / "project"
    root.mkdir()
    for entry in _ROOT.iterdir():
        if entry.name not in (".git", "data", "data_store", "out"):
            (root / entry.name).symlink_to(entry)
    shutil.copytree(_ROOT / "data_store", root / "data_store", ignore=shutil.ignore_patterns("*.index"))
    return root


@pytest.mark.long
@pytest.mark.parametrize("page", [one for one in PAGES if any(not block.why for block in blocks(one))], ids=name)
def test_the_commands_of_a_page_run_on_the_sample_world(page: Path, project: Path, tmp_path: Path) -> None:
    code = "\n".join(block.code for block in blocks(page) if not block.why)
    paths = os.pathsep.join([str(_ROOT / ".venv" / "bin"), os.environ["PATH"]])
    output = tmp_path / "said.txt"
    with output.open("wb") as out:  # no pipe: a server that a page starts would hold it open
        shell = subprocess.Popen(
            ["bash", "-e", "-o", "pipefail", "-c", code], cwd=project, env={**os.environ, "PATH": paths},
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            ended = shell.wait(SECONDS)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
    assert ended == 0, f"{code}\n{output.read_text(encoding='utf-8', errors='replace')[-4000:]}"


def commands() -> Iterator[tuple[Path, str, str]]:
    """Yield the page, the module and the rest of each `python -m` command, those of scripts that only call one too."""
    for page in PAGES:
        for block in blocks(page):
            joined = block.code.replace("\\\n", " ")
            for script, module in CALLED.items():
                joined = joined.replace(f"bash script/{script} ", f"python -m {module} ")
            for match in re.finditer(r"python -m ((?:src|bench)\.[\w.]+)([^\n|&;]*)", joined):
                yield page, match[1], match[2].partition(" #")[0].partition(" -- ")[0]  # flags of another step follow


MODULES = sorted({module for _, module, _ in commands() if module.islower()})


@pytest.mark.parametrize("module", MODULES)
def test_the_flags_that_pages_use_are_there(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = import_module(module)
    main = found.main if hasattr(found, "main") else import_module(f"{module}.__main__").main
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = re.findall(r"^ {2,}(-.*?)(?: {2,}|$)", capsys.readouterr().out, re.MULTILINE)
    known = {flag for line in listed for flag in re.findall(r"--[\w-]+", line)}
    assert "--help" in known
    used = {(name(page), flag) for page, one, rest in commands() if one == module for flag in _FLAG.findall(rest)}
    assert {(page, flag) for page, flag in used if flag not in known} == set()


@pytest.mark.parametrize("page", sorted((_ROOT / "docs").glob("*.md")), ids=name)
def test_a_page_writes_into_a_folder_of_its_own(page: Path) -> None:
    """Whoever tries one page after another finds no file of another page in the way."""
    written = [path for block in blocks(page) for path in re.findall(r"(?<![\w/])out/[\w./-]+", block.code)]
    own = (f"out/{page.stem}", f"out/{page.stem}/")
    assert [path for path in written if path != own[0] and not path.startswith(own[1]) and path not in SHARED] == []


def test_no_two_pages_serve_on_the_same_port() -> None:
    """Pages are run by several processes at once."""
    used = {name(page): set(re.findall(r"--port (\d{4,})", page.read_text(encoding="utf-8"))) for page in PAGES}
    ports = [(port, page) for page, numbers in used.items() for port in numbers]
    assert ports
    assert len({port for port, _ in ports}) == len(ports), ports


def test_questions_on_the_sample_take_their_examples_from_it() -> None:
    """The default corpus of examples, data/train.json, is not part of the project."""
    step = "src.reranking.question_generation_top_sentences"
    questions = [rest for _, module, rest in commands() if module == step]
    asked = [rest for rest in questions if re.search(r"-i out/.*--llm (openai|vllm):", rest)]
    assert len(asked) >= 4
    assert [rest for rest in asked if "--reference_corpus data_store/sample/reference.json" not in rest] == []


def test_there_are_commands_that_are_run() -> None:
    assert sum(not block.why for page in PAGES for block in blocks(page)) >= 1


def links(page: Path) -> Iterator[str]:
    for match in _LINK.finditer(_FENCE.sub("", page.read_text(encoding="utf-8"))):
        yield match["to"] or match["image"]


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives the headings of a page."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    heads = (re.sub(r"[`*]|\]\([^)]*\)|\[", "", head) for head in re.findall(r"^#+ (.+)$", text, re.MULTILINE))
    return {re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    lost = []
    for link in links(page):
        to, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = page.parent / to if to else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []


def test_readme_is_short() -> None:
    text = (_ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert len(text.split()) <= MOST_WORDS


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_paths_that_a_page_names_are_there(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    named = re.findall(r"`((?:src|bench|tests|script)/[\w/.-]+)`", text)
    placeholders = ("NAME", "STEP", "FOLDER", "X.sh")
    lost = [path for path in named if not (_ROOT / path).exists() and not any(one in path for one in placeholders)]
    assert lost == []
