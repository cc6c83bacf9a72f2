"""Signs of damage in a step's text: words that are missing, doubled or joined by mistake. No parser is needed."""

import re

_LINKING = "at|by|for|from|in|of|on|to|with"
_CUT = (
    r"'s's|'s (?:had|has)\b|'s\. |\.,|\}:|,[a-z]",
    r"(?<!\w)''(?!\w)",
    r"^Whose\b(?!.*\?)|^That (?:there|he|she|it|they|we|I)\b",
    rf"\b(?:that|which|who|whom) (?:{_LINKING})[.?]",
    r"\bthat (?:in|of|to) (?:by|for|with)\b",
    r"\b(?:by|for|from|of|over|to|with) (?:at|by|in|on)\b",
    rf"\b(?:who|whom) (?:{_LINKING})\b",
    r"(?<!-)\b(?:a|an|the) (?:a|an|the|that|these|this|those)\b",
    r"^Which .*\b(?:did|do|does|is|was) that [A-Z]",
    r"\bwho's \w+\.$",
    r"\bpart of (?:is|was)\b",
    r"^\{\w+\} (?:is|was) that the\b",  # `{answer_1} was that the census counted.`
    r"^The (?!.*\b(?:are|is|was|were)\b)[^.]* (?:in|on)\.$",  # a noun with its clause, without a predicate
    r"\. \d+ (?:is|was)\b",
    rf"\b({_LINKING}) (?:whom|which)\b[^,]* \1,? (?:is|was|are|were|has|had)\b",  # `for whom he works for is`
    rf"\b(?:{_LINKING}) who\b",
    rf"\b({_LINKING}) '[^']*' \1\?$",
    r"\b(at|in|on)(?: \S+){1,3} \1\?$",  # `elected in 1997 in?`
    r"\b(?:are|is|was|were) (?:are|is|was|were)\b",
    r"\d{4} who\b",
    r"\b(?:are|is|was|were) starred\b",
    rf"\b(?:{_LINKING}) and \{{\w+\}}\.",
    r"^Which .+ [A-Z]\S+ (?:is|was) (?:a|an|the) \w+\?$",  # `Which club Anna Berg is the owner?`
    r", and [a-z]+ing\b",
    r"^\{\w+\} as [A-Z]",
    r"^Which .*, not .*\?$",
    r"^(?!.*\b(?:has|had|have|having)\b).*\bbeen\b",
    r"^(\{\w+\}) (?:\w+ ){1,4}\1\.$",  # `{answer_1} is near to {answer_1}.`
    r"^(\{\w+\}) .*\bthan (?:\w+ )?\1",
    r"\bnot both\.$|[\u2013-] and\b",
    r"^Wh(?:at|o) is the [^,?]*, with\b",
    r"^Which .* (?:is|was) \{\w+\}\?$",
    r"^Which .* (?:did|is|was) (?:in|on) [A-Z][a-z]+ \d+, \d{4}",
    r"^An? \w+ (?:is|was) born\b",  # `A poet was born` without a name
    r"^[^,]* is an? [^,]*, in (?:[A-Z][a-z]+ )?\d{4}\.$",
    r"\} (?:that|where|which|who|whose)\b",  # an answer cannot have a relative clause
    r"\b(?!(?:had|that)\b)([a-z]+) \1\b",
)
_SIGNS = tuple(map(re.compile, _CUT))
_OPENED, _CLOSED = re.compile(r"(?<![\w})])'(?=\w)"), re.compile(r"(?<=\S)'(?!\w)")
_RUNS_ON = re.compile(r"(?:\{\w+\}|(?<!^Unlike )(?<!^Like )\{\w+\},) (?:'\w|[A-Z])(?![^,.]* and )")
_SECOND = re.compile(r"[a-z]{3,}[.] [A-Z]")
_MOVED = re.compile(r"\b(?:at|for|of|to|with) [a-z]+ed (?:at|by|for|in|on|with)\b")


def is_cut(text: str) -> bool:
    """Return True if words are missing or doubled, or a quotation is not closed."""
    is_open = _OPENED.search(text) is not None and _CLOSED.search(text) is None
    return is_open or any(sign.search(text) for sign in _SIGNS)


def runs_on(text: str) -> bool:
    """Return True if the rest of a title follows an answer: `{answer_1} Of the Sea is a film.`"""
    return _RUNS_ON.search(text) is not None


def is_misplaced(question: str) -> bool:
    """Return True if the question contains a second sentence, or a participle that was separated from its noun."""
    return _SECOND.search(question) is not None or _MOVED.search(question) is not None
