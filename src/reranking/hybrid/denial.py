"""Detection of denials: a sentence and its denial have similar words and vectors but opposite meanings.

Limitations: English words only (not, never, no, false, ...); "hardly" and irony are not recognized.
"""

import re

_DENYING = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|false|falsely|fake|untrue|incorrect|hoax"
    r"|den(?:y|ies|ied|ial)|debunk(?:s|ed)?|refut(?:e|es|ed))\b|n['\u2019]t\b",
    re.IGNORECASE,
)


def denies(sentence: str) -> bool:
    return _DENYING.search(sentence) is not None
