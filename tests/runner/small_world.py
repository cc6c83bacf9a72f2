"""Small data set for tests of steps: claims and their pages, written into a folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from src.records import Claim, Document
from src.runner.manifest import manifest_path
from src.runner.output import Failure, failures_path
from src.store import encode_line, encode_lines, encode_list, read_records

CLAIMS = ("The river froze in May.", "A ferry sank.", "The ferry never sank, said the mayor.", "Prices doubled.")
PAGES = (
    ("In May the river was warm.", "Ice covered the river in January.", "A ferry crossed it."),
    ("The ferry sank at noon.", "", "The ferry sank at noon.", "All passengers of the ferry were saved."),
    ("The mayor said that no ferry sank.", "Freezing weather came.", "It was the mayor who said it, not the ferry."),
    ("Prices rose by 4 per cent.",),
)

ODD_CLAIMS = {
    "long": "word ferry, " * 5_000,
    "newlines": "A\nferry\r\n\n sank.\u2028",
    "nul": "A ferry\x00 sank \x07\x1b[31m",
    "right to left": "\u0627\u0644\u0639\u0628\u0627\u0631\u0629 \u200f\u063a\u0631\u0642\u062a \u05d4\u05de\u05e2",
    "emoji": "\U0001f6a2\U0001f30a \U0001f469\u200d\U0001f692 ferry \ufe0f",
    "quotes": '\\" }],{ "claim_id": 7',
    "unknown words": "zzz qqq",
}


@dataclass(frozen=True)
class World:
    """Paths of the data set: `claims` is its file of claims, `store` the folder of pages, `output` a step's output."""

    folder: Path

    @property
    def claims(self) -> Path:
        return self.folder / "claims.json"

    @property
    def store(self) -> Path:
        return self.folder / "knowledge_store"

    @property
    def output(self) -> Path:
        return self.folder / "out" / "result.json"

    def page_file(self, claim_id: int) -> Path:
        return self.store / f"{claim_id}.json"

    def leftovers(self) -> list[str]:
        """Return the names of all files in the output's folder, sorted."""
        return sorted(path.name for path in self.output.parent.iterdir())


def write_world(folder: Path, claims: Sequence[str] = CLAIMS, pages: Sequence[Sequence[str]] = PAGES) -> World:
    """Write one page of sentences for each claim; claims beyond `pages` get the first page."""
    world = World(folder)
    world.store.mkdir(parents=True)
    world.claims.write_bytes(encode_list([Claim(text) for text in claims]))
    for number in range(len(claims)):
        sentences = list(pages[number] if number < len(pages) else pages[0])
        world.page_file(number).write_bytes(encode_line(Document(url=f"https://{number}.example/", url2text=sentences)))
    return world


def outcome(output: Path) -> dict[str, bytes]:
    """Return the files beside the output by name, without the manifest, which contains times."""
    files = (path for path in sorted(output.parent.iterdir()) if path != manifest_path(output))
    return {path.name: path.read_bytes() for path in files}


def failed(output: Path) -> list[int]:
    """Return the claim_ids in the failures file; [] if there is no such file."""
    path = failures_path(output)
    return [failure.claim_id for failure in read_records(path, Failure)] if path.exists() else []


def write_script(path: Path, outputs: Mapping[str, Sequence[str]]) -> str:
    """Write a script with these outputs for each role; return the value for `--llm`."""
    lines = [{"role": role, "output": output} for role, texts in outputs.items() for output in texts]
    path.write_bytes(encode_lines(lines))
    return f"scripted:{path}"


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def raw(path: Path) -> list[msgspec.Raw]:
    """Return each record of a file as undecoded JSON."""
    return read_records(path, msgspec.Raw)
