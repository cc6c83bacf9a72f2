"""Yes-no questions from statements: "Ann lived in Lund." becomes "Did Ann live in Lund?".

The finite auxiliary or copula moves before its subject. If there is none, a form of "do" is inserted, and the verbs
lose their endings. Words that precede the subject stay in front. No other word is added, removed or changed.

Limitations: a statement whose parse is unclear, or that would need more changes, becomes "Is it true that X?". An
example is a statement with a second clause that has its own subject.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from src.programs.submission.main_clause import main_clause
from src.spacy_pipelines import FROM_PYPI, load

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

TOGETHER = 128  # statements in a batch of the parser
DO = {"VBD": "did", "VBP": "do", "VBZ": "does"}
NOT = {"n't", "n\u2019t"}
ENDS = {".", "..", "...", "…", "!", "?", ":", ";"}
LETTER = re.compile(r"[^\W\d_]\.")  # not an abbreviation at the end: "Sector B."
# Words that stay capitalized although the tagger does not take them for names. The list was chosen on claims of
# AVeriTeC's training split only; dev was not used. Entity labels instead would also keep "Cocaine" and "Vaccines".
NAMING = re.compile(
    r".*(?:(?<!m)an|ish|ese|aqi|aeli|stani)s?|germans?|french|dutch|greeks?|swiss|thai|muslims?|democratic|trump"
    r"|(?:north|south|east|west)(?:ern)?|new",
    re.IGNORECASE,
)


class _English(NamedTuple):
    """The spaCy pipeline, and the base forms that its lemmatizer knows."""

    pipeline: "Language"
    nouns: frozenset[str]  # adjectives too
    verbs: frozenset[str]


def questions(statements: Sequence[str]) -> list[str]:
    """Return the question of each statement, in order. Raises MissingExtra when spaCy or its pipeline is not
    installed."""
    if not statements:
        return []
    english = _english()
    with english.pipeline.memory_zone():  # otherwise every new word stays in memory
        texts = (" ".join(statement.split()) for statement in statements)
        return [_question(parse, english) for parse in english.pipeline.pipe(texts, batch_size=TOGETHER)]


@cache
def _english() -> _English:
    pipeline = load(FROM_PYPI, ["ner"])
    lemmatizer: Any = pipeline.get_pipe("lemmatizer")
    known = lemmatizer.lookups.get_table("lemma_index")
    return _English(pipeline, frozenset([*known["noun"], *known["adj"]]), frozenset(known["verb"]))


def _question(parse: "Doc", english: _English) -> str:
    small = {word.i: _small(word, english.nouns) for word in parse[:1]}
    clause = main_clause(parse, english.verbs)
    if clause is None:
        return f"Is it true that {_text(parse, 0, small)}?"
    verb, start = clause.verb, clause.start
    asks = DO[verb.tag_] if clause.bases else verb.lower_
    changed = {**clause.bases} if clause.bases else {verb.i: ""}
    if not clause.bases and parse[verb.i : verb.i + 2].text.removeprefix(verb.text) in NOT:
        asks, changed[verb.i + 1] = f"{asks}{parse[verb.i + 1]}", ""
    if start == 0:
        return f"{asks.capitalize()} {_text(parse, 0, small | changed)}?"
    lead = parse[:start].text
    comma = "" if lead.endswith(",") or parse[start - 1].dep_ == "cc" else ","
    return f"{lead}{comma} {asks} {_text(parse, start, changed)}?"


def _text(parse: "Doc", start: int, changed: Mapping[int, str]) -> str:
    """Return the text from a token on, without punctuation at its end. Tokens changed to "" leave no white space."""
    end = len(parse)
    while end > start and parse[end - 1].text in ENDS:
        end -= 1
    words = [(changed.get(token.i, token.text), token.whitespace_) for token in parse[start:end]]
    if words and LETTER.fullmatch(words[-1][0]):
        words[-1] = (words[-1][0].removesuffix("."), "")
    text = "".join(f"{word}{space}" for word, space in words if word).rstrip(" ,")
    return re.sub(r"(?: *,)+", ",", text)


def _small(word: "Token", known: frozenset[str]) -> str:
    """Return the first word as it is written inside a sentence; names, acronyms and "I" stay capitalized."""
    text, tag = word.text, word.tag_
    if text == "I" or tag in ("NNP", "NNPS") or (len(text) > 1 and not text[1:].islower()):
        return text
    open_class = tag in ("JJ", "NN", "NNS")
    return text if open_class and (NAMING.fullmatch(text) or word.lemma_.lower() not in known) else text.lower()
