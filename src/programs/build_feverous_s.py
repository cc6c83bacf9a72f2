"""Step: FEVEROUS-S from FEVEROUS' released claims: those whose evidence is sentences alone.

Reads FEVEROUS' JSON lines (`feverous_dev_challenges.jsonl`) and, for the sentences' text, its SQLite file of Wikipedia
(`feverous_wikiv1.db`). Writes the layout of ProgramFC's `claims/dev.json`, which all steps of programs read. The rule
is that of ProgramFC, section 4: claims that require exclusively sentence evidence, labeled supports or refutes.

Limitations: a claim counts when all of its evidence sets are sentences; its evidence is its first set. The paper does
not say how it treats several sets. Neither released file is in the project's data, so its count of 2,962 is unchecked.
"""

import argparse
import json
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from src.errors import InputError
from src.runner.arguments import existing_file, step, step_parser
from src.runner.console import say
from src.store import located, read_bytes
from src.whole_file import write_whole

MODULE = "src.programs.build_feverous_s"
SENTENCE = "_sentence_"
LABELS = {"SUPPORTS": "supports", "REFUTES": "refutes"}
SOURCE = "FEVEROUS' release (https://fever.ai/dataset/feverous.html)"

Text = Callable[[str, str], str]  # of a page and a sentence's name there


class _Set(msgspec.Struct):
    content: list[str]


class _Line(msgspec.Struct):
    """The first line of the release is empty: it has neither claim nor evidence."""

    claim: str = ""
    id: int | str = ""
    label: str = ""
    evidence: list[_Set] = []
    challenge: str = ""


class FeverousClaim(msgspec.Struct):
    """A claim as ProgramFC's file has it. `evidence` has a line for each sentence: its page, a tab, its text."""

    id: int | str
    claim: str
    label: str
    challenge: str
    evidence: str


def chosen(path: Path) -> Iterator[tuple[int, _Line]]:
    """Yield each claim whose evidence is sentences alone, with its line. Raises InputError (file, line, field)."""
    for line, one in located(read_bytes(path), _Line, path):
        named = [name for found in one.evidence for name in found.content]
        if one.label in LABELS and named and all(SENTENCE in name for name in named):
            yield line, one


def built(path: Path, text: Text) -> list[FeverousClaim]:
    """Return the claims of FEVEROUS-S. Raises InputError (file, line, field)."""
    claims = []
    for line, one in chosen(path):
        try:
            evidence = "\n".join(f"{page}\t{text(page, name)}" for page, name in map(_place, one.evidence[0].content))
        except KeyError as error:
            raise InputError(f"no such sentence: {error.args[0]}", path=path, line=line, field="evidence") from None
        claims.append(FeverousClaim(one.id, one.claim, LABELS[one.label], one.challenge, evidence))
    return claims


def _place(name: str) -> tuple[str, str]:
    """`Lund_sentence_3` -> `Lund`, `sentence_3`."""
    page, _, number = name.rpartition(SENTENCE)
    return page, f"{SENTENCE[1:]}{number}"


def sentences_of(wiki: sqlite3.Connection) -> Text:
    """Return what looks a sentence up; it raises KeyError where there is none."""

    def text(page: str, name: str) -> str:
        row = wiki.execute("SELECT data FROM wiki WHERE id = ?", (unicodedata.normalize("NFD", page),)).fetchone()
        if row is None or name not in (held := json.loads(row[0])):
            raise KeyError(f"{page}, {name}")
        return " ".join(str(held[name]).split())

    return text


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-c", "--claim_file", type=Path, required=True, help="FEVEROUS' claims, as released")
    flags.add_argument("-w", "--wiki_file", type=Path, required=True, help="FEVEROUS' Wikipedia, as released (SQLite)")
    flags.add_argument("-o", "--output_file", type=Path, required=True, help="FEVEROUS-S, a JSON list")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    claim_file, wiki_file = (existing_file(path, SOURCE) for path in (args.claim_file, args.wiki_file))
    if args.dry_run:
        say(f"build_feverous_s: {sum(1 for _ in chosen(claim_file))} claims", quiet=args.quiet)
        return 0
    if args.output_file.exists() and not args.overwrite:
        raise InputError("is there; --overwrite replaces it", path=args.output_file)
    try:
        with closing(sqlite3.connect(f"{wiki_file.resolve().as_uri()}?mode=ro", uri=True)) as wiki:
            claims = built(claim_file, sentences_of(wiki))
    except (sqlite3.Error, json.JSONDecodeError) as error:
        raise InputError(f"is no file of FEVEROUS' Wikipedia: {error}", path=wiki_file) from None
    write_whole(args.output_file, msgspec.json.format(msgspec.json.encode(claims), indent=2) + b"\n")
    supports = sum(one.label == "supports" for one in claims)
    counts = f"{len(claims)} claims ({supports} supports, {len(claims) - supports} refutes)"
    say(f"build_feverous_s: {counts} -> {args.output_file}", quiet=args.quiet)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
