"""Readers of claim files: labeled claims of HOVER and FEVEROUS-S, claim texts of any data set, gold passages.

Labeled claims have three layouts of the evidence: FEVEROUS-S as in ProgramFC (`title<TAB>sentence` per line), HOVER as
released (titles only), and HOVER with paragraphs (one per line). Wikipedia links are replaced by their visible text.
Gold passages are the evidence of HOVER and FEVEROUS-S, or the answers of AVeriTeC.

Limitations: HOVER's paragraphs have no titles. AVeriTeC's four verdicts are read by `src/store.py`.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from src.errors import InputError
from src.records import Answer, AnswerType, ClaimId, Question, Said, Sentence, Value
from src.store import located, read_bytes, refuse_doubles, remedy
from src.text import folded


class HasKey(Protocol):
    """A claim with the id that its data set gives it (`key`)."""

    @property
    def key(self) -> str: ...


Keyed = TypeVar("Keyed", bound=HasKey)


class ClaimText(msgspec.Struct):
    """The text of a claim. `key` is the id in the data set, or the claim_id if the file gives no id."""

    claim_id: int
    claim: str
    key: str = ""


class _TextLine(msgspec.Struct):
    claim: Said
    claim_id: ClaimId | None = None
    id: str | int | None = None
    uid: str | None = None


def read_claim_texts(path: Path) -> list[ClaimText]:
    """Return the claim texts of a file, in file order; a claim without a claim_id gets its 0-based position.

    Raises InputError (file, line, field) when the file is missing, when a line cannot be read, or when a claim_id
    occurs twice.
    """
    if not path.exists():
        raise InputError(f"not found; {remedy(path)}", path=path)
    found = [
        (line, _claim_text(place, one)) for place, (line, one) in enumerate(located(read_bytes(path), _TextLine, path))
    ]
    refuse_doubles([(line, claim.claim_id) for line, claim in found], path)
    return [claim for _, claim in found]


def _claim_text(place: int, one: _TextLine) -> ClaimText:
    claim_id = place if one.claim_id is None else one.claim_id
    named = [key for key in (one.id, one.uid) if key is not None]
    return ClaimText(claim_id, one.claim, str(named[0] if named else claim_id))


def with_keys(claims: list[Keyed], ids: Path | None) -> list[Keyed]:
    """Return the claims whose key is listed in the file `ids` (one key per line); all claims if `ids` is None.

    The order of the claims stays. Unknown keys are ignored, because one list serves several files of a data set.
    Raises InputError when no claim is left.
    """
    if ids is None:
        return claims
    wanted = _keys(ids)
    found = [claim for claim in claims if claim.key in wanted]
    if not found:
        raise InputError("none of its ids is that of a claim", path=ids)
    return found


def passed_over(claims: Sequence[Keyed], ids: Path | None) -> list[str]:
    """Return a note that counts the keys in the file `ids` that are no claim's, as a list; [] if there are none."""
    unknown = _keys(ids) - {claim.key for claim in claims} if ids is not None else set()
    return [f"{ids}: {len(unknown)} of its ids are those of no claim here, such as {min(unknown)}"] if unknown else []


def _keys(ids: Path) -> set[str]:
    try:
        return {line for line in read_bytes(ids).decode().split("\n") if line.strip()}
    except UnicodeDecodeError:
        raise InputError("is no text", path=ids) from None


def apart(claims: list[Keyed], chosen: Sequence[Keyed], ids: Path) -> list[Keyed]:
    """Return the claims listed in the file `ids`, as held-out claims: none of them may be among `chosen`.

    Parameters are fitted on these claims and applied to `chosen`. Raises InputError when the two sets overlap, or when
    no claim is listed.
    """
    found = with_keys(claims, ids)
    if both := len({claim.key for claim in found} & {claim.key for claim in chosen}):
        raise InputError(f"{both} of its claims are scored, too; name those to score with --ids", path=ids)
    return found


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

    `key`: id in the data set, or the claim_id if the file gives no id.
    `hops`: number of reasoning hops, or None if the file does not give it.
    `gold`: gold sentences or paragraphs; the `url` of each is the title of its page, or "" if it is unknown.
    `titles`: titles of the gold pages, without duplicates.
    `negated`: false form of a true claim, written by GPT-3.5, or "".
    `challenge`: kind of difficulty assigned by FEVEROUS, or "".
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


class _LabelledLine(msgspec.Struct):
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
    """Return the labeled claims of a file, in file order; a claim without a claim_id gets its 0-based position.

    Raises InputError (file, line, field) when the file is missing, when a line cannot be read, or when a claim_id
    occurs twice.
    """
    if not path.exists():
        raise InputError(f"not found; {remedy(path)}", path=path)
    found = [
        (line, _labelled(place, one, path, line))
        for place, (line, one) in enumerate(located(read_bytes(path), _LabelledLine, path))
    ]
    refuse_doubles([(line, claim.claim_id) for line, claim in found], path)
    return [claim for _, claim in found]


def _labelled(place: int, one: _LabelledLine, path: Path, line: int) -> LabelledClaim:
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
    """Return a line of evidence (`title<TAB>text`, or text alone) as a Sentence whose `url` is the title or ""."""
    title, tab, rest = text.partition("\t")
    return Sentence(without_links(rest if tab else text).strip(), title.strip() if tab else "")


def plain_title(title: str) -> str:
    """Return a Wikipedia title with accents (NFC), underscores and case normalized: copies of Wikipedia differ."""
    return unicodedata.normalize("NFC", title).replace("_", " ").casefold().strip()


def without_links(text: str) -> str:
    """Return the text with `[[target|shown]]` and `[[shown]]` replaced by `shown`."""
    return _LINK.sub(lambda found: found[1] if found[1] is not None else found[2], text)


class _GoldLine(msgspec.Struct):
    claim: str
    claim_id: ClaimId | None = None
    evidence: str = ""
    questions: list[Question] = []


def read_gold_passages(path: Path, claims: Mapping[int, str]) -> dict[int, list[Sentence]]:
    """Return the gold passages of each claim, by claim_id. `claims` maps claim_id to the expected text of the claim.

    A claim in the file without a claim_id gets its 0-based position. Raises InputError (file, line, field) when a
    claim_id occurs twice, when a claim is missing or has another text, and when no claim has a passage.
    """
    lines = [
        (place if one.claim_id is None else one.claim_id, line, one)
        for place, (line, one) in enumerate(located(read_bytes(path), _GoldLine, path))
    ]
    refuse_doubles([(line, claim_id) for claim_id, line, _ in lines], path)
    held = {claim_id: (line, one) for claim_id, line, one in lines}
    found = {}
    for claim_id, text in claims.items():
        if claim_id not in held:
            raise InputError(f"there is no claim {claim_id}", path=path)
        line, one = held[claim_id]
        if folded(one.claim) != folded(text):
            raise InputError(f"is not claim {claim_id} of the programs", path=path, line=line, field="claim")
        found[claim_id] = _passages(one)
    if not any(found.values()):
        raise InputError("none of the claims has gold evidence here", path=path)
    return found


def _passages(one: _GoldLine) -> list[Sentence]:
    written = [passage(text) for text in one.evidence.split("\n") if text.strip()]
    return written + [found for question in one.questions for found in _answers(question)]


def _answers(question: Question) -> list[Sentence]:
    """Return a passage for each answer that is not "unanswerable": the question followed by the answer."""
    told = [answer for answer in question.answers if answer.answer_type is not AnswerType.UNANSWERABLE]
    asked = question.question.strip()
    return [Sentence(f"{asked} {gold_answer(answer)}".strip(), answer.source_url or "") for answer in told]


def gold_answer(answer: Answer) -> str:
    """Return the text of a gold answer, followed by its explanation if it is a Boolean answer."""
    said = answer.answer.strip()
    why = (answer.boolean_explanation or "").strip() if answer.answer_type is AnswerType.BOOLEAN else ""
    return f"{said.removesuffix('.')}. {why}" if said and why else said or why


def groups(titles: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the connected components of claims: lists of claim keys, in order of first appearance.

    `titles` maps each claim key to the titles of its gold pages. Claims with a common title are connected.
    """
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
