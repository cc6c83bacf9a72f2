"""Where punkt ends sentences, told from one chunk between spaces, or from it and the next one.

Punkt looks at a full stop, question or exclamation mark only with the chunk it stands in and, where it is the last
character, the chunk after. So most chunks end a sentence always or never; for the others it is asked about the pair.

But: chunks that hold several such marks, or one in their midst, are ODD: their text is better left to punkt.
"""

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet

# What may come after a chunk that is not the last of its text. CLOSER may stand beside: punkt may move such a chunk.
NEVER, ALWAYS, ASK, ODD, CLOSER = 0, 1, 2, 4, 8

_MARK_WITHIN = re.compile(r"""[.?!](?=[)";}\]*:@'({\[?!])""")  # what punkt looks at, besides a mark before white space
_CLOSERS = re.compile(r"""["')\]}]*""")
_MOVED = re.compile(r"""["')\]}]+(?:--.*)?|[\])}>"'»\u201d\u2019]+""")  # to the sentence before; before the full stop
_QUIET = re.compile(r"""[^\s.?!"')\]}>»\u201d\u2019]+""")
_PLAIN = re.compile(r"((?:[0-9A-Za-z]+-)*([A-Za-z]{2,}))\.")  # one word to punkt, and no number


class SentenceEnds:
    """`breaks(context)`: whether punkt finds an end in a chunk and the next one.

    `known` are the words, in small letters, after which a full stop is not always an end: abbreviations, and the first
    words of collocations.
    """

    def __init__(self, breaks: Callable[[str], bool], known: AbstractSet[str]) -> None:
        self._breaks = breaks
        self._known = known

    def after(self, chunk: str) -> int:
        """Whether a sentence ends after the chunk: NEVER, ALWAYS, ASK or ODD, and CLOSER added."""
        if _QUIET.fullmatch(chunk):
            return NEVER
        if chunk.split() != [chunk]:
            return ODD
        return self._after_marks(chunk) | (CLOSER if _MOVED.fullmatch(chunk) else 0)

    def between(self, chunk: str, following: str) -> bool:
        """The answer for a chunk of which `after` says ASK."""
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
