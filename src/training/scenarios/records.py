"""The record of a scenario: a claim, and pages that decide it in different ways."""

import msgspec


class Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A page. `key` is a copy of the decisive part of `text`, or "" if the page does not decide the claim."""

    site: str
    title: str
    text: str
    key: str = ""


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A claim with its pages.

    Each page of `supports` alone shows that the claim is true, each of `refutes` that it is false, and each of
    `partial` that it is half true or misleading. Pages of `silent` and `repeats` do not decide it. The first page of
    `supports` and the first of `refutes` are two versions of the same page.
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
