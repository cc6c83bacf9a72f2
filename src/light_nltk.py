"""Import of NLTK without the large libraries that it imports if they are there: a quarter of the time, half the memory.

NLTK imports scipy and scikit-learn for functions that this project does not use, and does without them.

Limitations: in a process that imported NLTK in this way, `nltk.classify.SklearnClassifier` and tests of association by
Fisher are missing.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import get_ident

OPTIONAL = frozenset({"matplotlib", "pandas", "scipy", "sklearn"})


class _Absent:
    """Import finder by which the modules of `OPTIONAL` are missing for one thread; other threads can import them."""

    def __init__(self) -> None:
        self._thread = get_ident()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> None:
        """Raise ModuleNotFoundError for these modules; return None for others, which other finders find."""
        if name.partition(".")[0] in OPTIONAL and get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def light_nltk() -> Iterator[None]:
    """Import NLTK, or a module of it, within this context for the first time."""
    finder = _Absent()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
