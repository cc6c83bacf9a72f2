"""Whether a sentence denies something: a sentence and its denial are near in words and vectors, and say the opposite.

But: by words alone (not, never, no, false, ...), of English; what is meant by "hardly" or by irony is not seen.
"""

import re

_DENYING = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|false|falsely|fake|untrue|incorrect|hoax"
    r"|den(?:y|ies|ied|ial)|debunk(?:s|ed)?|refut(?:e|es|ed))\b|n['\u2019]t\b",
    re.IGNORECASE,
)


def denies(sentence: str) -> bool:
    return _DENYING.search(sentence) is not None
