"""The queries of a claim, with the type names of the published URL files.

`claim+author` is the speaker and the claim's content words, `claim` the content words alone, `claim-noformat` the claim
as written. A `question` comes from a language model (`src/retrieval/searching/questions.py`).

Limitations: content words are all words except English function words. The published search kept numbers, adjectives,
nouns and verbs by a part-of-speech tagger, so the words differ in places.
"""

from collections.abc import Iterable, Sequence

import msgspec

from src.errors import one_line
from src.records import Claim

KINDS = ("claim+author", "claim", "claim-noformat")
GIVEN, QUESTION = "given", "question"
_AROUND = ".,;:!?\"'()[]{}<>*_`~\u2018\u2019\u201c\u201d\u00ab\u00bb\u2026\u2013\u2014-"
_FUNCTION_WORDS = """
    a an the this that these those some any no every all both either neither such what which who whom whose when
    where how whether if than then as so because since while although though unless until before after once and
    or but nor yet not only also just even ever never very too more most less least much many quite rather still
    already again i me my mine we us our ours you your yours he him his she her hers it its they them their
    theirs himself herself itself themselves myself yourself ourselves there here of at by for from in into on
    onto to with within without about above across along among around behind below beneath beside besides
    between beyond despite during except inside like near off over past through throughout toward towards under
    upon up via per is are was were be been being am do does did doing done has have had having will would shall
    should can could may might must ought cannot say says said saying
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


class ClaimQuery(msgspec.Struct, frozen=True):
    """A query; `type` is the second column of the URL file."""

    type: str
    text: str


def claim_queries(claim: Claim, kinds: Sequence[str], questions: Iterable[str] = ()) -> list[ClaimQuery]:
    """Return the claim's queries in the order of `kinds`, then its questions, without duplicates and empty ones."""
    words = content_words(claim.claim)
    texts = {
        "claim+author": one_line(f"{claim.speaker or ''} {words}"),
        "claim": words,
        "claim-noformat": one_line(claim.claim),
    }
    first: dict[str, str] = {}
    for kind, text in [*((kind, texts[kind]) for kind in kinds), *((QUESTION, text) for text in questions)]:
        first.setdefault(text, kind)
    return [ClaimQuery(kind, text) for text, kind in first.items() if text]


def content_words(text: str) -> str:
    """Return the words of the text that are not function words, as written; the whole text when there are none."""
    bare = [word.strip(_AROUND) for word in text.replace("\u2019", "'").split()]
    kept = [word.removesuffix("'s") for word in bare if word and not _is_function_word(word)]
    return " ".join(kept) or one_line(text)


def _is_function_word(word: str) -> bool:
    """Return True for function words and their contractions (`we'd`, `isn't`). `US`, `WHO` and `IT` are names."""
    low = word.lower()
    if word.isupper() and len(word) > 1:
        return False
    return low.partition("'")[0] in FUNCTION_WORDS or low.endswith("n't")
