"""Groups of related claims: those connected by shared titles of gold pages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from src.claims.labelled import plain_title


def groups(titles: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the keys of claims by group, in order of appearance. Two claims with a common title are connected."""
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for key, found in titles.items():
        for title in found:
            parent[root(f"title {plain_title(title)}")] = root(f"claim {key}")
    members: dict[str, list[str]] = defaultdict(list)
    for key in titles:
        members[root(f"claim {key}")].append(key)
    return list(members.values())
