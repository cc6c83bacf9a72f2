"""Imports of NLTK and spaCy without large libraries that they import if they are there: a third of the processor time.

NLTK imports scipy and scikit-learn, spaCy imports torch, for functions that this project does not use. Both work
without them.

Limitations: in a process that imported NLTK in this way, `nltk.classify.SklearnClassifier` and tests of association by
Fisher are missing; in one that imported spaCy so, pipelines that run on torch cannot be loaded.
"""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import Lock, get_ident


def light_nltk() -> AbstractContextManager[None]:
    """Return a context in which NLTK, or a module of it, is imported for the first time."""
    return without("matplotlib", "pandas", "scipy", "sklearn")


def light_spacy() -> AbstractContextManager[None]:
    """Return a context in which spaCy is imported for the first time."""
    return without("torch")


_CHANGING = Lock()


class _Absent:
    """Import finder by which some packages are missing for one thread; other threads can import them."""

    def __init__(self, packages: Sequence[str]) -> None:
        self._packages = packages
        self._thread = get_ident()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> None:
        """Raise ModuleNotFoundError for these packages; return None for others, which other finders find."""
        if name.partition(".")[0] in self._packages and get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def without(*packages: str) -> Iterator[None]:
    """Within this context the packages cannot be imported by this thread, unless they are imported already."""
    finder = _Absent(packages)
    with _CHANGING:
        sys.meta_path = [finder, *sys.meta_path]  # a new list: another thread may be going through the old one
    try:
        yield
    finally:
        with _CHANGING:
            sys.meta_path = [one for one in sys.meta_path if one is not finder]
