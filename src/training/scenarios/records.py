"""A scenario: one claim, and pages that would decide it in different ways."""

import msgspec


class Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`key` is the part of `text` that decides, copied; it is empty where nothing decides."""

    site: str
    title: str
    text: str
    key: str = ""


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Each page of `supports` alone shows that the claim is true, each of `refutes` that it is false, each of `partial`
    that it is true in part or misleads. Pages of `silent` and `repeats` settle nothing.

    The first page of `supports` and the first of `refutes` are one page in two versions.
    """

    id: str
    claim: str
    date: str
    skill: str
    supports: list[Page]
    refutes: list[Page]
    silent: list[Page]
    repeats: list[Page]
    partial: list[Page] = []
