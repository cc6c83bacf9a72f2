"""Parser of a judge's reply: a score from 1 to 5, or None if the reply is not plainly one number.

Limitations: whole numbers only, as the judge is asked for; `4.5`, `3-4` and `4 or 5` give no score.
"""

import re

SCORES = (1, 2, 3, 4, 5)
_MARKUP = " \t\r\n\"'`*_#>"
_SCORE = re.compile(
    r"(?:faithfulness(?:\s+score)?[\s*_:=]*)?(?:score[\s*_:=]*)?([1-5])(?:\s*(?:/|out\s+of)\s*5)?(?!\w|[.,]\d)\D*",
    re.IGNORECASE,
)


def read_score(text: str) -> int | None:
    """Return the score in `4`, `Faithfulness: 4`, `**4**/5` or `4. The evidence agrees`; None for any other reply."""
    found = _SCORE.fullmatch(text.strip(_MARKUP).replace("*", ""))
    return int(found[1]) if found is not None else None
