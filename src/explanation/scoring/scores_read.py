"""A judge's reply as a score from 1 to 5; what is not plainly one number is none.

But: whole numbers only, as the judge is asked for; `4.5`, `3-4` and `4 or 5` say no score.
"""

import re

SCORES = (1, 2, 3, 4, 5)
_MARKUP = " \t\r\n\"'`*_#>"
_SCORE = re.compile(
    r"(?:faithfulness(?:\s+score)?[\s*_:=]*)?(?:score[\s*_:=]*)?([1-5])(?:\s*(?:/|out\s+of)\s*5)?(?!\w|[.,]\d)\D*",
    re.IGNORECASE,
)


def read_score(text: str) -> int | None:
    """`4`, `Faithfulness: 4`, `**4**/5`, `4. The evidence agrees`; None for any other number or several of them."""
    found = _SCORE.fullmatch(text.strip(_MARKUP).replace("*", ""))
    return int(found[1]) if found is not None else None
