"""Checker whose own models are loaded when the first sentence needs them.

A sentence that is copied from the evidence needs neither the tagger nor spaCy, and most justifications of a check only
quote.

Limitations: a model that cannot be loaded is reported when it is needed.
"""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from src.explanation.checks.bearing import Bearing
from src.explanation.checks.checker import Checker, load_language, tagger_files
from src.models.faithfulness import Premise, Tagger, Word, load_tagger

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


class TaggerWhenNeeded:
    """The tagger of a folder, loaded by the first sentence that it tags."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _tagger(self) -> Tagger:
        return load_tagger(self._folder)

    def tag(self, pairs: Sequence[tuple[str, Premise]]) -> list[list[Word]]:
        """Return the tokens of each sentence, as `Tagger.tag` does. Raises InputError or MissingExtra."""
        return self._tagger.tag(pairs) if pairs else []


class LanguageWhenNeeded:
    """spaCy's pipeline, loaded by the first text that it parses."""

    @cached_property
    def _language(self) -> "Language":
        return load_language()

    def __call__(self, text: str) -> "Doc":
        """Return the parsed text. Raises MissingExtra."""
        return self._language(text)


def checker_when_needed(text: str | None, bearing: Bearing | None = None) -> Checker:
    """Return the checker of `chosen_checker`, whose tagger and language are loaded when they are needed.

    Raises InputError if the folder has no tagger.
    """
    files = tagger_files(text)
    tagger = TaggerWhenNeeded(files["tagger"].parent) if files else None
    return Checker(LanguageWhenNeeded(), tagger, bearing=bearing)
