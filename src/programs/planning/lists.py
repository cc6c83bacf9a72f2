"""Lists of nouns of which each is a fact of its own."""

from typing import TYPE_CHECKING

from src.programs.planning.phrases import Phrase
from src.programs.planning.plans import Fact, Plan

if TYPE_CHECKING:
    from spacy.tokens import Token


def listed(phrase: Phrase, head: "Token") -> list[Plan]:
    return [Fact(phrase)]
