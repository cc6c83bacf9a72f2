"""Stages of a study, in the words of the page."""

from enum import StrEnum


class Stage(StrEnum):
    """What an annotator may do: a qualification round, the study, or nothing."""

    QUALIFICATION = "qualification"
    STUDY = "study"
    CLOSED = "closed"
