"""Tests that a step reads as a statement or a question.

Each step is parsed again alone, because splitting may have damaged it: words may be missing, doubled or joined by
mistake. If the parser splits a sentence in the wrong places, nothing that is derived from the parse can be trusted.

Limitations: only the form is tested, not that the claim says the same.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from src.programs.decomposition.parsing import parsed
from src.programs.decomposition.phrases import AUXILIARIES, SUBJECTS, auxiliaries, core, disagrees, finite, has_subject

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

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
    """Return True if words of the text are missing or doubled, or a quotation is not closed."""
    is_open = _OPENED.search(text) is not None and _CLOSED.search(text) is None
    return is_open or any(sign.search(text) for sign in _SIGNS)


def runs_on(text: str) -> bool:
    """Return True if the rest of a title follows a placeholder: `{answer_1} Of the Sea is a film.`"""
    return _RUNS_ON.search(text) is not None


def is_misplaced(question: str) -> bool:
    """Return True if the question contains a second sentence, or a participle that was separated from its noun."""
    return _SECOND.search(question) is not None or _MOVED.search(question) is not None


_SIDE = ("relcl", "appos", "acl")


def is_misread(claim: "Span") -> bool:
    """Return True if the parse is wrong.

    A subject has lost one of its names, or a modifier includes words that do not belong to it.
    """
    modifiers = (child for child in claim if child.dep_ in _SIDE)
    return has_odd_subject(claim) or any(has_foreign_tail(child.subtree) for child in modifiers)


def has_odd_subject(words: Iterable["Token"]) -> bool:
    """Return True if a singular subject has a plural verb: `Maria Berg were born`."""
    return any(word.dep_ in SUBJECTS and disagrees(word.head, core(word)) for word in words)


def has_foreign_tail(words: Iterable["Token"]) -> bool:
    """Return True if a name or preposition after a comma is joined to an unlike word: `is a singer, or by Berg`.

    The last of three or more members of a list does not count: `Lund, Oslo, and Bergen`.
    """
    return any(
        word.dep_ == "conj"
        and word.pos_ in ("PROPN", "ADP")
        and _is_behind_comma(word)
        and not _is_like(word, word.head)
        for word in words
    )


def _is_like(joined: "Token", first: "Token") -> bool:
    """Return True if the word continues a list, or repeats the preposition: `built in Lorn, or in Oslo`."""
    if joined.pos_ == "ADP" and any(child.lower_ == joined.lower_ for child in first.children if child != joined):
        return True
    return joined.pos_ == first.pos_ and first.dep_ == "conj"


def _is_behind_comma(joined: "Token") -> bool:
    at = joined.left_edge.i
    return at > 1 and joined.doc[at - 1].dep_ == "cc" and joined.doc[at - 2].text == ","


_PARTNERS = {"either": "or", "neither": "nor", "both": "and"}
_OPEN = {"CC", "IN", "PDT", "POS", "PRP$", "WDT", "WP$"}  # tags of words that cannot end a sentence
_OPEN_WORDS = {"a", "an", "n't", "not", "the"}
_ASKING = ("what", "which", "who")
_BE = {"are", "is", "was", "were"}
_CARRYING = _BE | {"did", "do", "does", "had", "has", "have"}
_OPENING = (*SUBJECTS, "mark", "advmod", "dobj")
_FIRST_PERSON = ("I", "me", "my", "we", "our", "us")
_TENSED = ("MD", "VBD", "VBP", "VBZ")
_UNASKED_END = ("than", "that", "which")
_NAMES = ((re.compile(r"(?<!and )\{\w+\}(?!'|,? and )"), "it"), (re.compile(r"\{\w+\}|(?<!\w)'[^']+'(?!\w)"), "Arden"))


def are_statements(language: "Language", texts: Sequence[str]) -> Iterator[bool]:
    """Return for each text True if it reads as a statement. Placeholders and quoted titles are parsed as names."""
    parses = parsed(language, map(_named, texts), without=["ner", "lemmatizer"])
    return (
        _is_statement(parse) and not (runs_on(text) or is_cut(text)) for text, parse in zip(texts, parses, strict=True)
    )


def are_questions(language: "Language", texts: Sequence[str]) -> Iterator[bool]:
    """Return for each text True if it begins as a question, has a finite verb, and is complete."""
    parses = parsed(language, map(_named, texts), without=["ner", "lemmatizer"])
    return (
        _is_question(parse) and not (is_cut(text) or is_misplaced(text))
        for text, parse in zip(texts, parses, strict=True)
    )


def _is_question(parse: "Doc") -> bool:
    words = [word for word in parse if not word.is_punct and word.text != "'"]
    return (
        len(words) > 2
        and words[0].lower_ in _ASKING
        and parse.text.endswith("?")
        and any(word.tag_ in ("VBD", "VBZ", "VBP", "MD") or _looks_like_verb(word) for word in words)
        and not any(word.text in _FIRST_PERSON for word in words)
        and words[1].lower_ != "same"
        and not (words[-1].tag_ == "IN" and words[-2].tag_ in ("CC", "IN"))
        and not _disagrees(parse)
        and not _has_two_verbs(parse)
        and not _lacks_clause(words)
        and words[-1].lower_ not in (*_OPEN_WORDS, *_UNASKED_END)
        and not any(word.text == word.nbor(-1).text and word.is_lower for word in words[1:])
        and words[-1].tag_ not in ("CC", "PDT", "POS", "PRP$", "WDT", "WP$")
    )


def _disagrees(question: "Doc") -> bool:
    """Return True if the question asks for its subject, and the verb disagrees with it in number.

    Examples: `Which analysts was honored?`, `Which group have sung?`.
    """
    chunk = next(iter(question.noun_chunks), None)
    if question[0].lower_ != "which" or chunk is None or chunk.start != 0 or chunk.end >= len(question):
        return False
    last = [word for word in question if not word.is_punct][-1]
    verb, is_subject = question[chunk.end], chunk.root.dep_ in SUBJECTS and last.tag_ != "IN"
    if chunk.root.lower_ in ("series", "species"):
        return False
    is_many = chunk.root.tag_ in ("NNS", "NNPS")
    return is_subject and verb.lower_ in (("is", "was", "has", "does") if is_many else ("are", "were", "have", "do"))


def _has_two_verbs(question: "Doc") -> bool:
    """Return True if the question has a second verb that belongs to no clause.

    An example is `Which city is Berg the mayor of are in Lorn?`.
    """
    carriers = [word for word in question if word.lower_ in _CARRYING]
    verbs = [word.head if word.dep_ in AUXILIARIES else word for word in carriers[1:] if word.lower_ in _BE]
    after_did = carriers[1:] if carriers and carriers[0].lower_ in ("did", "do", "does") else []
    is_open = any(word.tag_ in ("WDT", "WP", "WRB", "WP$") or word.dep_ == "mark" for word in question[1:])
    if not is_open and any(word.lower_ in _BE for word in after_did):
        return True
    return any(word.lower_ in _BE and word.nbor(-1).tag_ == "IN" for word in carriers[1:]) or any(
        verb.dep_ in ("ccomp", "ROOT") and not any(word.dep_ in _OPENING for word in verb.children) for verb in verbs
    )


def _lacks_clause(words: Sequence["Token"]) -> bool:
    """Return True if the question has an inner clause without a finite verb, or a finite verb after `did`."""
    opened = sum(word.tag_ in ("WDT", "WP", "WP$") for word in words[1:])
    tensed = sum(word.tag_ in _TENSED or _looks_like_verb(word) for word in words)
    did = [word.head for word in words if word.lower_ in ("did", "do", "does") and word.dep_ == "aux"]
    behind = [verb for head in did[:1] for verb in (head, *head.children) if verb == head or verb.dep_ == "conj"]
    return (opened > 0 and tensed < opened + 1) or any(
        (verb.tag_ == "VBZ" or (verb.tag_ == "VBD" and verb.lower_.endswith("ed")))
        and not any(child.dep_ in SUBJECTS for child in verb.children if verb not in did)
        for verb in behind
    )


def _looks_like_verb(word: "Token") -> bool:
    """Return True if the word is a verb that parsers often take for something else.

    Examples: `Which singer duets with Berg?`, `Which film stars Berg?`, `Which label released Snow?`.
    """
    follows = word.nbor().pos_ if word.i + 1 < len(word.doc) else ""
    if word.tag_ == "VBN":
        return follows in ("DET", "PROPN") and not auxiliaries(word) and word.nbor(-1).pos_ in ("NOUN", "PROPN")
    return word.tag_ == "NNS" and follows in ("ADP", "PROPN")


def _named(text: str) -> str:
    for pattern, name in _NAMES:
        text = pattern.sub(name, text)
    return text


def _is_statement(parse: "Doc") -> bool:
    words = [word for word in parse if not word.is_punct and word.text != "'"]
    partner = _PARTNERS.get(words[0].lower_) if words else None
    return (
        bool(words)
        and (words[-1].tag_ not in _OPEN or _is_stranded(words))
        and (words[-1].lower_ not in _OPEN_WORDS or _denies_again(words[-1]))
        and (partner is None or any(word.lower_ == partner for word in words))
        and any(has_subject(sentence.root) and _has_tense(sentence.root) for sentence in parse.sents)
        and not any(_is_fragment(sentence) for sentence in parse.sents)
        and not (has_odd_subject(parse) and not _is_of_two(parse))
        and not has_foreign_tail(parse)
        and not any(_joins_nothing(word) or _is_stray(word) for word in words[1:])
        and not any(map(_lacks_verb, parse.sents))
        and not any(map(_is_miscounted, words))
    )


def _is_stranded(words: Sequence["Token"]) -> bool:
    """Return True if a relative clause ends with a preposition: `Snow is a film that Berg had a role in`."""
    last = words[-1]
    return (
        last.tag_ == "IN"
        and last.dep_ == "prep"
        and any(word.lower_ in ("that", "which", "whom", "who") for word in words[1:])
    )


def _is_miscounted(word: "Token") -> bool:
    """Return True if a plural noun has a singular article: `this magazines`."""
    return word.tag_ == "NNS" and any(
        child.lower_ in ("this", "a", "an") and child.i + 1 == word.i for child in word.children
    )


def _is_fragment(sentence: "Span") -> bool:
    """Return True if the sentence follows another one and has no verb: `Berg sang. Unlike Holm.`"""
    if sentence.start == 0 or sentence.doc[sentence.start - 1].text not in (".", "!", "?") or not sentence[0].is_title:
        return False
    return sentence[0].tag_ == "WDT" or not any(word.tag_ in (*_TENSED, "VBN") for word in sentence)


def _lacks_verb(sentence: "Span") -> bool:
    """Return True if the sentence has fewer finite verbs than clauses: `The books that Snow is a part of.`"""
    opened = sum(word.tag_ in ("WDT", "WP", "WP$") for word in sentence)
    return sum(map(_carries_tense, sentence)) <= opened and opened > 0


def _carries_tense(word: "Token") -> bool:
    """Return True if the word is a finite verb.

    Parsers take `formed` in `a band that formed in Lorn` for a participle.
    """
    return word.tag_ in _TENSED or (word.tag_ == "VBN" and any(child.dep_ in SUBJECTS for child in word.children))


def _is_stray(verb: "Token") -> bool:
    """Return True if a finite verb has no role in its sentence.

    Examples: `it tried to hide was found`, `at Lorn was sold, Berg sang`.
    """
    word = finite(verb)
    if verb.pos_ not in ("AUX", "VERB") or word is None:
        return False
    subjects = [child for child in verb.children if child.dep_ in SUBJECTS]
    opens = any(child.dep_ == "mark" or child.tag_ in ("WP", "WDT", "WRB") for child in verb.children)
    if verb.dep_ in ("csubj", "csubjpass"):
        return not opens
    if verb.dep_ in ("ccomp", "advcl") and not subjects and not opens:
        return verb.i < verb.head.i
    return word.tag_ == "VBP" and any(child.lower_ == "it" for child in subjects)


def _is_of_two(parse: "Doc") -> bool:
    """Return True if an `and` precedes the first verb: `the airport at Lorn and it are in Europe`."""
    verb = next((word.i for word in parse if word.pos_ in ("AUX", "VERB")), 0)
    return any(word.lower_ == "and" for word in parse[:verb])


def _has_tense(verb: "Token") -> bool:
    """Return True if the verb is finite.

    Parsers take `starred` in `a man starred in Rain` for a participle.
    """
    acts = any(child.dep_ == "nsubj" for child in verb.children) and verb.lower_.endswith("ed")
    return finite(verb) is not None or (acts and verb.tag_ == "VBN" and not auxiliaries(verb))


def _denies_again(word: "Token") -> bool:
    """Return True for a `not` at the end of a later sentence: `Berg is a poet. Holm is not`."""
    return word.lower_ in ("n't", "not") and word.sent.start > 0 and word.nbor(-1).pos_ in ("AUX", "VERB")


def _joins_nothing(word: "Token") -> bool:
    """Return True if a conjunction after a comma joins nothing: the `or` of `is a singer, or by Berg`."""
    if word.dep_ != "cc" or word.i == 0 or word.nbor(-1).text != ",":
        return False
    return not any(child.dep_ == "conj" and child.i > word.i for child in word.head.children)
