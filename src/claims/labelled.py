"""Claims of HOVER and FEVEROUS-S as published: true or false, with gold evidence where the file has its text.

Three layouts: FEVEROUS-S of ProgramFC (`title<TAB>sentence` a line), HOVER's release (titles only), and HOVER with its
paragraphs (one a line). Links of Wikipedia are read as what they show.

But: HOVER's paragraphs come without their titles; AVeriTeC has four verdicts and is read elsewhere.
"""

import re
import unicodedata
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
    """`key` is the data set's own id, the claim_id where it has none. `hops` is None where none are named.

    `gold` are sentences or paragraphs, their url the page's title ("" where it is not told); `titles` are those of the
    gold pages, each once. `negated` is a false form of a true claim, `challenge` what FEVEROUS calls hard about it;
    both are empty where they are not told.
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
    """In file order; a claim without a claim_id has its 0-based place. Raises InputError (file, line, field)."""
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
    """A line of evidence, `title<TAB>text` or text alone."""
    title, tab, rest = text.partition("\t")
    return Sentence(without_links(rest if tab else text).strip(), title.strip() if tab else "")


def plain_title(title: str) -> str:
    """What a page's titles have in common: copies of Wikipedia differ in accents' encoding, underscores and case."""
    return unicodedata.normalize("NFC", title).replace("_", " ").casefold().strip()


def without_links(text: str) -> str:
    """`[[target|shown]]` and `[[shown]]` as `shown`."""
    return _LINK.sub(lambda found: found[1] if found[1] is not None else found[2], text)
