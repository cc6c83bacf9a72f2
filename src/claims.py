"""Readers of claims: those of HOVER and FEVEROUS-S with their evidence, and the texts alone of any data set's claims.

Claims with labels have three layouts: FEVEROUS-S of ProgramFC (`title<TAB>sentence` a line), HOVER's release (titles
only), and HOVER with its paragraphs (one a line). Wikipedia links are replaced by their visible text. Gold passages are
the evidence of HOVER and FEVEROUS-S, or the answers of AVeriTeC.

Limitations: HOVER's paragraphs come without their titles. AVeriTeC's four verdicts are read by `src/store.py`.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from src.errors import InputError
from src.records import Answer, AnswerType, ClaimId, NonBlank, Question, Sentence, Value
from src.store import located, read_bytes, refuse_doubles, remedy
from src.text import folded


class HasKey(Protocol):
    """A claim with the id that its data set gave it."""

    @property
    def key(self) -> str: ...


Keyed = TypeVar("Keyed", bound=HasKey)


class ClaimText(msgspec.Struct):
    """The text of a claim. `key` is the id in its data set, or the claim_id if the file has none."""

    claim_id: int
    claim: str
    key: str = ""


class _TextLine(msgspec.Struct):
    claim: NonBlank
    claim_id: ClaimId | None = None
    id: str | int | None = None
    uid: str | None = None


def read_claim_texts(path: Path) -> list[ClaimText]:
    """Return the texts of the claims in file order; a claim without a claim_id gets its index in the file (from 0).

    Raises InputError (file, line, field) when the file is missing, when a line cannot be read, or when a claim_id
    occurs twice.
    """
    if not path.exists():
        raise InputError(f"not found; {remedy(path)}", path=path)
    entries = [
        (line, _claim_text(index, record))
        for index, (line, record) in enumerate(located(read_bytes(path), _TextLine, path))
    ]
    refuse_doubles([(line, claim.claim_id) for line, claim in entries], path)
    return [claim for _, claim in entries]


def _claim_text(index: int, record: _TextLine) -> ClaimText:
    claim_id = index if record.claim_id is None else record.claim_id
    named = [key for key in (record.id, record.uid) if key is not None]
    return ClaimText(claim_id, record.claim, str(named[0] if named else claim_id))


def with_keys(claims: list[Keyed], ids: Path | None) -> list[Keyed]:
    """Return the claims whose key is in the file `ids` (one key per line), in the order of `claims`.

    Return all claims if `ids` is None. Keys that no claim has are skipped, because one list of keys serves several
    files of a data set.

    Raises InputError when none of the keys belongs to a claim.
    """
    if ids is None:
        return claims
    wanted = _keys(ids)
    selected = [claim for claim in claims if claim.key in wanted]
    if not selected:
        raise InputError("none of its ids is that of a claim", path=ids)
    return selected


def passed_over(claims: Sequence[Keyed], ids: Path | None) -> list[str]:
    """Return a one-item list with a note on the keys in the file `ids` that no claim has; empty if there are none."""
    unknown = _keys(ids) - {claim.key for claim in claims} if ids is not None else set()
    return [f"{ids}: {len(unknown)} of its ids are those of no claim here, such as {min(unknown)}"] if unknown else []


def _keys(ids: Path) -> set[str]:
    try:
        return {line for line in read_bytes(ids).decode().split("\n") if line.strip()}
    except UnicodeDecodeError:
        raise InputError("is no text", path=ids) from None


def apart(claims: list[Keyed], chosen: Sequence[Keyed], ids: Path) -> list[Keyed]:
    """Return the claims whose key is in the file `ids`, for fitting what is later scored on the `chosen` claims.

    Raises InputError when one of them is also among the chosen claims, or when none of the keys belongs to a claim.
    """
    separate = with_keys(claims, ids)
    if both := len({claim.key for claim in separate} & {claim.key for claim in chosen}):
        raise InputError(f"{both} of its claims are scored, too; name those to score with --ids", path=ids)
    return separate


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

    `claim_id`: claim_id in the file, or the claim's index in the file (from 0).
    `key`: id in its data set, or the claim_id if the file has none.
    `claim`: text of the claim.
    `value`: the label, true or false.
    `hops`: number of pages that the claim needs as evidence (HOVER's `num_hops`); None if the file has none.
    `gold`: gold sentences or paragraphs; the url of each is its page's title, or "" if that is unknown.
    `titles`: titles of the gold pages, each once.
    `negated`: false form of a true claim, written by GPT-3.5; "" if the file has none.
    `challenge`: the difficulty that FEVEROUS assigns; "" if the file has none.
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
    claim: NonBlank
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
    """Return the labeled claims in file order; a claim without a claim_id gets its index in the file (from 0).

    Raises InputError (file, line, field) when the file is missing, when a line cannot be read, or when a claim_id
    occurs twice.
    """
    if not path.exists():
        raise InputError(f"not found; {remedy(path)}", path=path)
    entries = [
        (line, _labelled(index, record, path, line))
        for index, (line, record) in enumerate(located(read_bytes(path), _LabelledLine, path))
    ]
    refuse_doubles([(line, claim.claim_id) for line, claim in entries], path)
    return [claim for _, claim in entries]


def _labelled(index: int, record: _LabelledLine, path: Path, line: int) -> LabelledClaim:
    value = _LABELS.get(record.label.casefold())
    if value is None:
        raise InputError(f"{record.label!r} is none of {', '.join(_LABELS)}", path=path, line=line, field="label")
    claim_id = index if record.claim_id is None else record.claim_id
    key = record.id if record.id is not None else record.uid
    gold = tuple(passage(text) for text in record.evidence.split("\n") if text.strip())
    titles = [title for title, _ in record.supporting_facts] or [passage.url for passage in gold if passage.url]
    return LabelledClaim(
        claim_id, str(claim_id if key is None else key), record.claim, value, record.num_hops, gold,
        tuple(dict.fromkeys(titles)), record.gpt35_negated_claim or "", record.challenge or "",
    )  # fmt: skip


def passage(text: str) -> Sentence:
    """Parse a line of evidence, `title<TAB>text` or text alone; the title becomes the passage's `url`."""
    title, tab, rest = text.partition("\t")
    return Sentence(without_links(rest if tab else text).strip(), title.strip() if tab else "")


def plain_title(title: str) -> str:
    """Return a title in a normalized form, because copies of Wikipedia differ in accents, underscores and case."""
    return unicodedata.normalize("NFC", title).replace("_", " ").casefold().strip()


def without_links(text: str) -> str:
    """Return the text with `[[target|shown]]` and `[[shown]]` replaced by `shown`."""
    return _LINK.sub(lambda match: match[1] if match[1] is not None else match[2], text)


class _GoldLine(msgspec.Struct):
    claim: str
    claim_id: ClaimId | None = None
    evidence: str = ""
    questions: list[Question] = []


def read_gold_passages(path: Path, claims: Mapping[int, str]) -> dict[int, list[Sentence]]:
    """Return the gold passages of each claim, by claim_id; `claims` has the texts of the wanted claims by claim_id.

    A claim without a claim_id gets its index in the file (from 0). Raises InputError (file, line, field) when a
    claim_id occurs twice, when a claim of `claims` is missing or has another text, and when no claim has a passage.
    """
    records = [
        (index if record.claim_id is None else record.claim_id, line, record)
        for index, (line, record) in enumerate(located(read_bytes(path), _GoldLine, path))
    ]
    refuse_doubles([(line, claim_id) for claim_id, line, _ in records], path)
    by_id = {claim_id: (line, record) for claim_id, line, record in records}
    passages = {}
    for claim_id, text in claims.items():
        if claim_id not in by_id:
            raise InputError(f"there is no claim {claim_id}", path=path)
        line, record = by_id[claim_id]
        if folded(record.claim) != folded(text):
            raise InputError(f"is not claim {claim_id} of the programs", path=path, line=line, field="claim")
        passages[claim_id] = _passages(record)
    if not any(passages.values()):
        raise InputError("none of the claims has gold evidence here", path=path)
    return passages


def _passages(record: _GoldLine) -> list[Sentence]:
    written = [passage(text) for text in record.evidence.split("\n") if text.strip()]
    return written + [answer for question in record.questions for answer in _answers(question)]


def _answers(question: Question) -> list[Sentence]:
    """Return a question's answers as passages, each preceded by the question. Answers "unanswerable" are left out."""
    answers = [answer for answer in question.answers if answer.answer_type is not AnswerType.UNANSWERABLE]
    text = question.question.strip()
    return [Sentence(f"{text} {gold_answer(answer)}".strip(), answer.source_url or "") for answer in answers]


def gold_answer(answer: Answer) -> str:
    """Return the text of an answer; the explanation of a Boolean answer is appended."""
    text = answer.answer.strip()
    explanation = (answer.boolean_explanation or "").strip() if answer.answer_type is AnswerType.BOOLEAN else ""
    return f"{text.removesuffix('.')}. {explanation}" if text and explanation else text or explanation


def groups(titles: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return the keys of the claims in groups, in order of appearance: claims that share a title are in one group.

    `titles` maps each claim's key to the titles of its pages. Claims that are linked through a third claim are also in
    one group: the groups are the connected components.
    """
    parent: dict[str, str] = {}

    def root(node: str) -> str:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for key, page_titles in titles.items():
        for title in page_titles:
            parent[root(f"title {plain_title(title)}")] = root(f"claim {key}")
    members: dict[str, list[str]] = defaultdict(list)
    for key in titles:
        members[root(f"claim {key}")].append(key)
    return list(members.values())
