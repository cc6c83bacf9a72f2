"""Stages of a study, as the page reads them."""

from enum import StrEnum


class Stage(StrEnum):
    """What is open to an annotator: a qualification round, what is to be rated, or nothing."""

    QUALIFICATION = "qualification"
    STUDY = "study"
    CLOSED = "closed"
