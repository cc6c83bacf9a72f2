"""Sentence ends of punkt, decided from one chunk between spaces, or from it and the next one.

Punkt looks at a full stop, question or exclamation mark only with its chunk and, if it is the last character, the chunk
after. Most chunks therefore end a sentence always or never; for the others, punkt decides on the pair.

Limitations: chunks with several such marks, or with one inside, may be ODD: their text is left to punkt.
"""

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet

# What may come after a chunk that is not the last of its text. CLOSER may be added: punkt may move such a chunk.
NEVER, ALWAYS, ASK, ODD, CLOSER = 0, 1, 2, 4, 8

_MARK_WITHIN = re.compile(r"""[.?!](?=[)";}\]*:@'({\[?!])""")  # what punkt looks at, besides a mark before white space
_CLOSERS = re.compile(r"""["')\]}]*""")
_MOVED = re.compile(r"""["')\]}]+(?:--.*)?|[\])}>"'»\u201d\u2019]+""")  # to the sentence before; before the full stop
_QUIET = re.compile(r"""[^\s.?!"')\]}>»\u201d\u2019]+""")
_PLAIN = re.compile(r"((?:[0-9A-Za-z]+-)*([A-Za-z]{2,}))\.")  # one word to punkt, and no number


class SentenceEnds:
    """Sentence ends of one punkt. `breaks(context)` returns True if punkt finds an end in a chunk and the next one.

    `known` are the words, in lower case, after which a full stop is not always an end: abbreviations, and the first
    words of collocations.
    """

    def __init__(self, breaks: Callable[[str], bool], known: AbstractSet[str]) -> None:
        self._breaks = breaks
        self._known = known

    def after(self, chunk: str) -> int:
        """Return when a sentence ends after the chunk: NEVER, ALWAYS, ASK or ODD, possibly with CLOSER added."""
        if _QUIET.fullmatch(chunk):
            return NEVER
        if chunk.split() != [chunk]:
            return ODD
        return self._after_marks(chunk) | (CLOSER if _MOVED.fullmatch(chunk) else 0)

    def between(self, chunk: str, following: str) -> bool:
        """Return True if a sentence ends after the chunk; for a chunk of which `after` says ASK."""
        return self._breaks(f"{chunk} {following}")

    def _after_marks(self, chunk: str) -> int:
        marks = list(_MARK_WITHIN.finditer(chunk))
        if not marks:
            return self._after_last(chunk)
        end = marks[0].end()
        if len(marks) > 1 or not _CLOSERS.fullmatch(chunk, end):
            return ODD
        return ALWAYS if self._breaks(chunk[: end + 1]) else NEVER

    def _after_last(self, chunk: str) -> int:
        if chunk[-1] == ".":
            plain = _PLAIN.fullmatch(chunk)
            return ALWAYS if plain and self._known.isdisjoint((plain[1].lower(), plain[2].lower())) else ASK
        return ALWAYS if chunk[-1] in "?!" else NEVER
