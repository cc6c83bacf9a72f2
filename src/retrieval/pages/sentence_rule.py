"""The published rule that turns the lines of a page into the "sentences" of the knowledge store.

Short lines are menus and captions and go; long lines are cut into sentences, and sentences are put together again
until they are long enough to be understood alone. This is `line_correction` of the published AVeriTeC scraper.

But: sentences that stand twice stay twice, and no language is filtered out, as published. What cuts a line into
sentences is the caller's choice: spaCy's large English model as published, NLTK's punkt here.
"""

from collections.abc import Callable, Iterable

MIN_LENGTH = 50  # characters; shorter lines, and leftovers not longer than this, are dropped
MAX_LENGTH = 5000  # characters of a line that are read; the rest is cut off


def merge_sentences(lines: Iterable[str], split: Callable[[str], list[str]], max_size: int = 100) -> list[str]:
    """The sentences of a page in order, each of 50 characters or more.

    A line of 50 to `max_size` characters is kept as it is. A longer one is split, and its sentences are joined with a
    space until they are longer than `max_size`; what is left at the end of the line counts if longer than 50.
    """
    merged: list[str] = []
    for line in lines:
        if len(line) > max_size:
            merged += _joined(split(line[:MAX_LENGTH]), max_size)
        elif len(line) >= MIN_LENGTH:
            merged.append(line)
    return merged


def _joined(sentences: Iterable[str], max_size: int) -> list[str]:
    done, stack = [], ""
    for sentence in sentences:
        stack = f"{stack} {sentence.strip()}".strip()
        if len(stack) > max_size:
            done.append(stack)
            stack = ""
    return [*done, stack] if len(stack) > MIN_LENGTH else done
