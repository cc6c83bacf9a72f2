"""The numbered sources that a call shows: passages of web pages, with their sites."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from src.canonical_url import site
from src.errors import InputError
from src.prompts import fenced
from src.records import ChosenSentence, Claim, RankedSentences, Sentence
from src.store import encode_line

_HOST = re.compile(r"[\w.:-]{1,100}")


@dataclass(frozen=True)
class Source:
    """A source: its text, and the URL of its page."""

    text: str
    url: str

    def line(self, number: int, words: int | None = None) -> str:
        """Return the source as a line of a prompt: number, site, and the text as a JSON string.

        `words` is the most words of the text; None: all. The text cannot end its string, add a line or cite sources.
        Nor can a URL, of which only the host is shown.
        """
        text, host = fenced(" ".join(self.text.split()[:words])), site(self.url)
        return f"[{number}] {host if _HOST.fullmatch(host) else 'unknown site'}: {encode_line(text).decode().strip()}"


@dataclass(frozen=True)
class ClaimSources:
    """A claim with its sources.

    `speaker`, `date`: who made the claim and when, in words; "" if unknown.
    """

    claim_id: int
    claim: str
    speaker: str
    date: str
    sources: tuple[Source, ...]


def with_sources(
    ranked: Sequence[RankedSentences], claims: Sequence[Claim], most: int, path: Path | None = None
) -> list[ClaimSources]:
    """Return each ranked claim with at most `most` sources, and the speaker and date of the claim with its claim_id.

    A sentence that was retrieved with its neighbors is one source with them. Raises InputError for a claim_id whose
    text is another one in `claims`, the claims of the file `path`. A claim that is not among them has no date.
    """
    by_id = {claim.claim_id: claim for claim in claims}
    joined = []
    for one in ranked:
        claim = by_id.get(one.claim_id, Claim(one.claim, one.claim_id, speaker=one.speaker or None))
        if claim.claim.split() != one.claim.split():
            message = (
                f"claim {one.claim_id} has another text than the ranked passages; is it the file that they are of?"
            )
            raise InputError(message, path=path, field="claim")
        sources = tuple(map(_source, one.sentences[:most]))
        joined.append(
            ClaimSources(one.claim_id, one.claim, claim.speaker or one.speaker, in_words(claim.claim_date), sources)
        )
    return joined


def _source(sentence: Sentence) -> Source:
    if isinstance(sentence, ChosenSentence):
        parts = (sentence.before, sentence.sentence, sentence.after)
        return Source(" ".join(part.strip() for part in parts if part.strip()), sentence.url)
    return Source(sentence.sentence, sentence.url)


def in_words(date: str | None) -> str:
    """Return a date as `31 October 2020`; a date of another form is returned as it is."""
    text = (date or "").strip()
    try:
        day = datetime.strptime(text, "%d-%m-%Y")
    except ValueError:
        return text
    return f"{day.day} {day:%B %Y}"
