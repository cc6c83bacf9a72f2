"""The justification of a claim as shown: its sentences, the findings marked in them, and the changes by a debate."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest

from src.explanation.records import ExplainedClaim, Finding
from src.report.claim.view import Change, DebateView, Part, Said
from src.text import sentences


def said(claim: ExplainedClaim, findings: Sequence[Finding]) -> tuple[Said, ...]:
    """Return each sentence of the explanation with the numbers of the evidence it cites, and its findings marked."""
    told = zip_longest(sentences(claim.explanation or ""), claim.cites, fillvalue=())
    return tuple(
        Said(tuple(_parts(str(sentence), place, findings)), tuple(cites))
        for place, (sentence, cites) in enumerate(told)
        if sentence
    )


def _parts(sentence: str, place: int, findings: Sequence[Finding]) -> Iterator[Part]:
    """Yield the parts of the sentence, cut where findings begin and end.

    A finding whose words are not in the sentence marks all of it.
    """
    spans = {number: _span(sentence, one.span) for number, one in enumerate(findings, start=1) if one.sentence == place}
    edges = sorted({0, len(sentence), *(edge for span in spans.values() for edge in span)})
    for begin, end in pairwise(edges):
        inside = tuple(number for number, (first, last) in spans.items() if first <= begin and end <= last)
        yield Part(sentence[begin:end], inside)


def _span(sentence: str, words: str) -> tuple[int, int]:
    begin = sentence.find(words) if words else -1
    return (begin, begin + len(words)) if begin >= 0 else (0, len(sentence))


def debated(claim: ExplainedClaim) -> DebateView | None:
    """Return the debate and its changes, None where there was no debate."""
    if claim.debate is None:
        return None
    return DebateView(claim.debate, tuple(_changes(claim.debate.draft, claim.explanation or "")))


def _changes(draft: str, final: str) -> Iterator[Change]:
    """Yield the differences between draft and final text, word by word."""
    old, new = draft.split(), final.split()
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Change(kept=" ".join(old[a:b]))
        else:
            yield Change(removed=" ".join(old[a:b]), added=" ".join(new[c:d]))
