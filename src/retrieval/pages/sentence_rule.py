"""The published rule that turns the lines of a page into the "sentences" of the knowledge store.

Short lines are menus and captions and are dropped. Long lines are split into sentences, which are joined again until
they are long enough to be understood alone. Source: `line_correction` of the published AVeriTeC scraper.

Limitations: as published, repeated sentences are kept and no language is filtered out. The caller chooses the sentence
splitter: spaCy's large English model as published, or NLTK's punkt, the default here.
"""

from collections.abc import Callable, Iterable

MIN_LENGTH = 50  # characters; shorter lines, and rests not longer than this, are dropped
MAX_LENGTH = 5000  # characters of a line that are read; the rest is cut off


def merge_sentences(lines: Iterable[str], split: Callable[[str], list[str]], max_size: int = 100) -> list[str]:
    """Return the sentences of a page in order, each of 50 characters or more.

    A line of 50 to `max_size` characters is kept as it is. A longer one is split, and its sentences are joined with a
    space until they are longer than `max_size`. The rest at the end of the line is kept if longer than 50.
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
