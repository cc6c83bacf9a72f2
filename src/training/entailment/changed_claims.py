"""Changes of a claim in one place, so that its evidence contradicts it.

    swapped    a name, date or number is replaced by another of its kind (spaCy's entities)
    negated    the main verb gets or loses its "not"
    opposite   one word is replaced by its opposite: higher, lower; before, after

A change is not made if the changed claim might still be true: a name in a list, a number after "over" or "since", a
question, a claim of several clauses, or one with "some" or "may".

Limitations: English only. Some changed sentences are odd, or still true.
"""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

from src.text import sentences

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

NAMES = frozenset({"PERSON", "GPE", "ORG", "NORP", "LOC", "FAC", "EVENT", "WORK_OF_ART", "PRODUCT"})
NUMBERS = frozenset({"DATE", "CARDINAL", "MONEY", "PERCENT", "QUANTITY", "TIME"})
MOST_TRIED = 40  # names of the pool
ALIKE = frozenset({
    "england", "english", "britain", "british", "uk", "u.k.", "london", "america", "american", "americans", "u.s.",
    "us", "usa", "europe", "european",
})  # fmt: skip
"""Words of names of which one means the other or includes it, such as Britain and London. They are never swapped."""
_BOUND = re.compile(
    r"\b(more|less|fewer|than|least|most|over|under|about|nearly|almost|around|approximately|some|to|up|since|by|before"
    r"|after|until|between|exceed\w*|many|much|only|early|late)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(not|never|no|none|nobody|nothing|only|any|neither|nor|unless|some|many|most|several|few|often|sometimes"
    r"|usually|all|every|each|both|may|might|can|could|should|would|must)\b|n't|\?|at (?:least|most)",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_CLAUSES = frozenset({"relcl", "advcl", "ccomp", "csubj", "acl", "parataxis"})
OPPOSITE = {
    "rose": "fell", "fell": "rose", "increased": "decreased", "decreased": "increased", "increases": "decreases",
    "decreases": "increases", "higher": "lower", "lower": "higher", "larger": "smaller", "smaller": "larger",
    "bigger": "smaller", "older": "younger", "younger": "older", "before": "after", "after": "before",
    "largest": "smallest", "smallest": "largest", "highest": "lowest", "lowest": "highest", "longest": "shortest",
    "shortest": "longest", "northern": "southern", "southern": "northern", "eastern": "western", "western": "eastern",
    "earlier": "later", "later": "earlier", "legal": "illegal", "illegal": "legal", "best": "worst", "worst": "best",
    "alive": "dead", "dead": "alive", "cheaper": "dearer", "faster": "slower", "slower": "faster", "won": "lost",
    "lost": "won", "male": "female", "female": "male", "causes": "prevents", "prevents": "causes",
    "supports": "opposes", "opposes": "supports", "supported": "opposed", "opposed": "supported", "safe": "dangerous",
    "dangerous": "safe", "allowed": "forbidden", "forbidden": "allowed",
}  # fmt: skip


def negated(claim: "Doc") -> str | None:
    """Return the claim with a "not" added to its main verb, or with its "not" removed.

    Returns None if the result might not contradict the claim.
    """
    roots = [token for token in claim if token.dep_ == "ROOT"]
    if len(roots) != 1 or roots[0].pos_ not in ("VERB", "AUX") or _has_clauses(claim, roots[0]):
        return None
    denials = [token for token in claim if token.dep_ == "neg"]
    if denials:
        return _affirmed(claim, denials)
    return None if _UNSURE.search(claim.text) else _denied(claim, roots[0])


def _has_clauses(claim: "Doc", root: "Token") -> bool:
    return any(one.dep_ in _CLAUSES or (one.dep_ == "conj" and one.head == root) for one in claim)


def _affirmed(claim: "Doc", denials: "Sequence[Token]") -> str | None:
    """Return the claim without its "not", which must follow an auxiliary such as "is"; None for any other negation.

    `denials` are the negations in the claim.
    """
    one = denials[0]
    before = claim[one.i - 1] if one.i else one
    rest = claim.text[: one.idx] + claim.text[one.idx + len(one.text_with_ws) :]
    is_simple = len(denials) == 1 and one.lower_ == "not" and before.pos_ == "AUX" and before.lemma_ != "do"
    return rest if is_simple and not _UNSURE.search(rest) else None


def _denied(claim: "Doc", root: "Token") -> str | None:
    """Return the claim with "not" after its first auxiliary, or with "did not" before its main verb; None if unsafe."""
    helping = [one for one in root.children if one.dep_ in ("aux", "auxpass") and one.i < root.i and one.lower_ != "to"]
    first = helping[0] if helping else root if root.lemma_ == "be" else None
    if first is not None:
        end = first.idx + len(first.text)
        return None if first.text.startswith("'") or not first.i else f"{claim.text[:end]} not{claim.text[end:]}"
    helper = {"VBD": "did", "VBZ": "does", "VBP": "do"}.get(root.tag_)
    if helper is None or not root.i:
        return None
    return f"{claim.text[: root.idx]}{helper} not {root.lemma_}{claim.text[root.idx + len(root.text) :]}"


def opposite(claim: "Doc", draw: Random) -> str | None:
    """Return the claim with one word replaced by its opposite.

    Returns None if no word has a known opposite, or the claim has a word such as "not" or "some".
    """
    words = [token for token in claim if token.lower_ in OPPOSITE and token.pos_ != "PROPN"]
    if not words or _UNSURE.search(claim.text):
        return None
    one = draw.choice(words)
    other = OPPOSITE[one.lower_]
    other = other.capitalize() if one.text[0].isupper() else other
    return claim.text[: one.idx] + other + claim.text[one.idx + len(one.text) :]


def swappable(claim: "Doc", evidence: "Doc") -> "list[Span]":
    """Return the names and exact numbers of the claim that are also in the evidence and can be swapped.

    A name is left out if a sentence of the evidence has it together with another name of its kind: the claim may also
    be true of the other name. Names that only describe the subject ("the French president") are left out too.
    """
    shared = [one for one in claim.ents if pattern_of(one.text).search(evidence.text)]
    return [
        one
        for one in shared
        if (one.label_ in NAMES and _is_alone(one, evidence) and (is_subject(one) or not _is_in_subject(one)))
        or _is_exact(one)
    ]


def is_subject(span: "Span") -> bool:
    """Return True if the name is the claim's subject. With another subject, the evidence decides nothing."""
    return span.label_ in NAMES and any(_is_subject(token) for token in span)


def _is_in_subject(span: "Span") -> bool:
    return any(map(_is_subject, span.root.ancestors))


def _is_subject(token: "Token") -> bool:
    return token.dep_ in ("nsubj", "nsubjpass") and token.head.dep_ == "ROOT"


def _is_alone(span: "Span", evidence: "Doc") -> bool:
    """Return True if no sentence of the evidence has the name together with another name of its kind."""
    if ALIKE & set(span.text.casefold().split()):
        return False
    others = [entity.text for entity in evidence.ents if entity.label_ == span.label_ and entity.text != span.text]
    return not any(other in text for text in sentences(evidence.text) if span.text in text for other in others)


def _is_exact(span: "Span") -> bool:
    """Return True for a number with digits that has no bound such as "over", in it or in the two words before it."""
    before = span.doc.text[: span.start_char].split()[-2:]
    is_number = span.label_ in NUMBERS and _DIGITS.search(span.text) is not None
    return is_number and not _BOUND.search(" ".join([*before, span.text]))


def pattern_of(text: str) -> re.Pattern[str]:
    """Return a pattern that matches a name or number as a whole, not within another number or word."""
    return re.compile(rf"(?<![\w.,]){re.escape(text)}(?!\w|[.,]\d)")


def other_of(span: "Span", evidence: "Doc", pool: Mapping[str, Sequence[str]], draw: Random) -> str | None:
    """Return a replacement of the same kind for a name or number of the claim (`span`), or None if there is none.

    A number is taken from another sentence of the evidence, or gets other digits. A name is drawn from `pool`, which
    has names by kind (spaCy's entity labels).
    """
    known = f"{span.doc.text} {evidence.text}"
    if span.label_ in NUMBERS:
        elsewhere = " ".join(text for text in sentences(evidence.text) if span.text not in text)
        beside = [entity.text for entity in evidence.ents if entity.label_ == span.label_ and entity.text in elsewhere]
        beside = [text for text in beside if _DIGITS.search(text) and _is_other(text, span.doc.text)]
        return draw.choice(beside) if beside and draw.random() < 0.5 else _other_number(span.text, span.label_, draw)
    drawn = draw.sample(pool[span.label_], min(MOST_TRIED, len(pool[span.label_])))
    return next((text for text in drawn if _is_other(text, known)), None)


def _is_other(text: str, known: str) -> bool:
    """Return True if `text` has no word in common with `known`, and no word of ALIKE."""
    words, held = (set(re.findall(r"[\w.]+", one.casefold())) for one in (text, known))
    return not words & (held | ALIKE)


def _other_number(text: str, kind: str, draw: Random) -> str | None:
    """Return the text of a number or date with another year, day or number; None if it cannot be changed safely."""
    if year := _YEAR.search(text):
        away = draw.choice([-1, 1]) * draw.randint(1, 20)
        is_decade = text[year.end() : year.end() + 1] == "s"
        moved = int(year[0]) + (10 * (1 + abs(away) // 7) * (1 if away > 0 else -1) if is_decade else away)
        return f"{text[: year.start()]}{moved}{text[year.end() :]}"
    match = _DIGITS.search(text)
    if match is None or text[match.end() : match.end() + 1].isalpha() or text[match.end() : match.end() + 1] == "-":
        return None
    value, decimals = float(match[0].replace(",", "")), len(match[0].partition(".")[2])
    if kind == "DATE" or (value < 15 and not decimals):
        other = float(draw.choice([one for one in range(1, 20) if one != value]))
    else:
        other = value * draw.choice([0.1, 0.4, 0.5, 0.7, 0.85, 1.2, 1.4, 2, 3, 10])
        other = draw.choice([0.5, 0.7, 0.85]) * value if kind == "PERCENT" and other > 100 else other
    changed = f"{other:{',' if ',' in match[0] else ''}.{decimals}f}"
    return None if changed == match[0] else text[: match.start()] + changed + text[match.end() :]
