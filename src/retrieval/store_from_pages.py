"""Makes a knowledge store from saved pages.

INPUT/<claim_id>/urls.tsv lists the pages in the published layout, without a header: claim, type, url, query. Row k
(from 0) is read from <k>.html or <k>.pdf beside it, two digits at least; a row without a file was not reachable.
Output: OUTPUT/<claim_id>.json, one line for each row. The same pages always give the same bytes.

But: brings nothing from the web, and leaves files of other claims in OUTPUT as they are.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from src.errors import InputError
from src.records import Document
from src.retrieval.html_text import html_lines
from src.retrieval.pdf_text import pdf_lines
from src.retrieval.sentence_rule import merge_sentences
from src.runner.arguments import step
from src.runner.console import say
from src.store import encode_lines, read_bytes, write_whole
from src.text import sentences

READERS = {".html": html_lines, ".pdf": pdf_lines}


@step
def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m src.retrieval.store_from_pages", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("-i", "--input", type=Path, required=True, help="folder with one folder of pages a claim")
    parser.add_argument("-o", "--output", type=Path, required=True, help="folder for the knowledge store")
    args = parser.parse_args(argv)
    claims = [folder for folder in args.input.glob("*") if folder.name.isdecimal()]
    if not claims:
        raise InputError("no folder there is named by a claim's number", path=args.input)
    for folder in sorted(claims, key=lambda folder: int(folder.name)):
        write_whole(args.output / f"{folder.name}.json", encode_lines(_documents(folder)))
    say(f"store_from_pages: {len(claims)} claims -> {args.output}")
    return 0


def _documents(folder: Path) -> list[Document]:
    """One document a row of the claim's urls.tsv. Raises InputError."""
    tsv = folder / "urls.tsv"
    rows = read_bytes(tsv).decode("utf-8").splitlines()
    pages = _pages(folder, len(rows))
    documents = []
    for number, row in enumerate(rows):
        columns = row.split("\t")
        if len(columns) < 4:
            raise InputError(f"{len(columns)} columns; claim, type, url, query are needed", path=tsv, line=number + 1)
        text = _text(pages[number]) if number in pages else []
        documents.append(
            Document(claim_id=folder.name, type=columns[1], query=columns[3], url=columns[2], url2text=text)
        )
    return documents


def _pages(folder: Path, rows: int) -> dict[int, Path]:
    """The page files by row. Raises InputError for a page that no row names, or two pages of one row."""
    pages: dict[int, Path] = {}
    for page in sorted(page for page in folder.iterdir() if page.suffix in READERS):
        number = int(page.stem) if page.stem.isdecimal() else rows
        if number >= rows or number in pages:
            raise InputError("urls.tsv has no row for this page", path=page)
        pages[number] = page
    return pages


def _text(page: Path) -> list[str]:
    try:
        lines = READERS[page.suffix](page.read_bytes())
    except ValueError as error:
        raise InputError(str(error), path=page) from None
    return merge_sentences(lines, sentences)


if __name__ == "__main__":
    raise SystemExit(main())
