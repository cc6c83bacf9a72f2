"""Reader of published claims of HOVER and FEVEROUS-S: true or false, with gold evidence if the file has its text.

Three layouts: FEVEROUS-S of ProgramFC (`title<TAB>sentence` a line), HOVER's release (titles only), and HOVER with its
paragraphs (one a line). Wikipedia links are replaced by their visible text.

Limitations: HOVER's paragraphs come without their titles. AVeriTeC has four verdicts and is read elsewhere.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.records import ClaimId, Said, Sentence, Value
from src.store import located, read_bytes, refuse_doubles, remedy

_LINK = re.compile(r"\[\[[^\[\]|]*\|([^\[\]]*)\]\]|\[\[([^\[\]|]*)\]\]")
_LABELS = {
    "supports": Value.TRUE,
    "supported": Value.TRUE,
    "refutes": Value.FALSE,
    "refuted": Value.FALSE,
    "not_supported": Value.FALSE,
}


class LabelledClaim(msgspec.Struct, frozen=True):
    """A claim with its label and gold evidence.

    `key` is the data set's own id, or the claim_id if there is none. `hops` is None if the file has none. `gold` are
    sentences or paragraphs; their url is the page's title, or "" if it is unknown. `titles` are those of the gold
    pages, each once. `negated` is a false form of a true claim, and `challenge` the difficulty that FEVEROUS assigns;
    both may be empty.
    """

    claim_id: int
    key: str
    claim: str
    value: Value
    hops: int | None
    gold: tuple[Sentence, ...]
    titles: tuple[str, ...]
    negated: str = ""
    challenge: str = ""


class _Line(msgspec.Struct):
    claim: Said
    label: str
    claim_id: ClaimId | None = None
    id: str | int | None = None
    uid: str | None = None
    num_hops: int | None = None
    evidence: str = ""
    supporting_facts: list[tuple[str, int]] = []
    gpt35_negated_claim: str | None = None
    challenge: str | None = None


def read_labelled_claims(path: Path) -> list[LabelledClaim]:
    """Return the claims in file order; a claim without a claim_id gets its 0-based place.

    Raises InputError (file, line, field) when the file is missing, when a line cannot be read, or when a claim_id
    occurs twice.
    """
    if not path.exists():
        raise InputError(f"not found; {remedy(path)}", path=path)
    found = [
        (line, _claim(place, one, path, line))
        for place, (line, one) in enumerate(located(read_bytes(path), _Line, path))
    ]
    refuse_doubles([(line, claim.claim_id) for line, claim in found], path)
    return [claim for _, claim in found]


def _claim(place: int, one: _Line, path: Path, line: int) -> LabelledClaim:
    value = _LABELS.get(one.label.casefold())
    if value is None:
        raise InputError(f"{one.label!r} is none of {', '.join(_LABELS)}", path=path, line=line, field="label")
    claim_id = place if one.claim_id is None else one.claim_id
    key = one.id if one.id is not None else one.uid
    gold = tuple(passage(text) for text in one.evidence.split("\n") if text.strip())
    titles = [title for title, _ in one.supporting_facts] or [passage.url for passage in gold if passage.url]
    return LabelledClaim(
        claim_id, str(claim_id if key is None else key), one.claim, value, one.num_hops, gold,
        tuple(dict.fromkeys(titles)), one.gpt35_negated_claim or "", one.challenge or "",
    )  # fmt: skip


def passage(text: str) -> Sentence:
    """Return the passage of a line of evidence, which is `title<TAB>text` or text alone."""
    title, tab, rest = text.partition("\t")
    return Sentence(without_links(rest if tab else text).strip(), title.strip() if tab else "")


def plain_title(title: str) -> str:
    """Return a normalized title: copies of Wikipedia differ in the encoding of accents, underscores and case."""
    return unicodedata.normalize("NFC", title).replace("_", " ").casefold().strip()


def without_links(text: str) -> str:
    """Return the text with `[[target|shown]]` and `[[shown]]` replaced by `shown`."""
    return _LINK.sub(lambda found: found[1] if found[1] is not None else found[2], text)


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
