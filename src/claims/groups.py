"""Claims that hang together: connected groups of those that share the title of a gold page."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from src.claims.labelled import plain_title


def groups(titles: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Keys of claims by group: two claims with a title in common are connected. In order of appearance."""
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
