"""A corpus of FEVEROUS-S's gold evidence: all sentences and table rows of one page, of whatever claim, are a paragraph.

    python -m bench.pooled_evidence OUT.jsonl

It stands in for the five million pages that the paper searched: every gold page is in it and few others are, so that
finding them is easy.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.command import command
from src.atomic_file import write_whole
from src.claims import LabelledClaim, read_labelled_claims
from src.records import Paragraph
from src.store import encode_lines

FEVEROUS = Path("../shared/data/programfc/feverous_dev.json.gz")


def paragraphs(claims: Iterable[LabelledClaim]) -> list[Paragraph]:
    """Return a paragraph for each page title, in order of appearance, with each sentence once."""
    pages: dict[str, dict[str, None]] = {}
    for claim in claims:
        for one in claim.gold:
            pages.setdefault(one.url, {})[one.sentence] = None
    return [Paragraph(title, " ".join(sentences)) for title, sentences in pages.items()]


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("out", type=Path)
    flags.add_argument("--feverous", type=Path, default=FEVEROUS)
    args = flags.parse_args(argv)
    pages = paragraphs(read_labelled_claims(args.feverous))
    write_whole(args.out, encode_lines(pages))
    print(f"{args.out}: {len(pages)} pages")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
