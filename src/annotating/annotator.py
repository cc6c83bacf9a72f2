"""An annotator's name, time spent, and stage of the study, for all annotation tasks."""

import re
import unicodedata
from enum import StrEnum
from typing import Annotated

import msgspec

from src.errors import InputError


def annotator_name(text: str) -> str:
    """Return the name with single spaces. Raises InputError if its characters or length are not allowed."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not re.fullmatch(r"\w[\w .'-]{0,39}", name):
        message = "a name has 1 to 40 letters, digits, spaces and . ' - _, and begins with a letter or digit"
        raise InputError(message, field="annotator")
    return name


MOST_SECONDS = 1e7
Seconds = Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)]


def added(before: float, more: float) -> float:
    """Return `before` + `more` seconds, rounded to 0.1 s and capped at MOST_SECONDS."""
    return min(round(before + more, 1), MOST_SECONDS)


class Stage(StrEnum):
    """Stage of an annotator: in a qualification round, in the study, or closed (nothing may be rated)."""

    QUALIFICATION = "qualification"
    STUDY = "study"
    CLOSED = "closed"
