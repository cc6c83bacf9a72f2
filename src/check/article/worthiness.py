"""Which sentences of a text can be checked: statements of fact about something named or counted, by rules.

Opinions, questions, predictions and wishes are left out, as in the guidelines of ClaimBuster (Hassan et al. 2017). The
score orders the others by how much there is to check in them: numbers and names.

Limitations: English; by spaCy's small parser, which errs. Irony and quoted opinions are not recognized.
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

FEWEST_WORDS, MOST_WORDS = 4, 60
NAMED = {"PERSON", "NORP", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "EVENT", "LAW", "WORK_OF_ART"}
COUNTED = {"CARDINAL", "MONEY", "PERCENT", "QUANTITY", "ORDINAL", "DATE"}
_OPINION = {"believe", "feel", "guess", "hope", "like", "love", "prefer", "suppose", "think", "want", "wish", "wonder"}
_NOT_NOW = {"will", "'ll", "shall", "should", "may", "might", "would", "must"}
_SUBJECTS = ("nsubj", "nsubjpass", "csubj", "expl")


class Worth(NamedTuple):
    """Whether a sentence can be checked.

    `score`: how much there is to check: a point for each name, two for each number.
    `reason`: why a sentence of its kind is left out, or "".
    """

    score: int
    reason: str = ""


def worth_of(sentence: "Span") -> Worth:
    """Return whether a parsed sentence can be checked."""
    names = sum(entity.label_ in NAMED for entity in sentence.ents)
    numbers = sum(entity.label_ in COUNTED for entity in sentence.ents)
    return Worth(names + 2 * numbers, _reason(sentence))


def _reason(sentence: "Span") -> str:
    words = [token for token in sentence if not token.is_punct and not token.is_space]
    root = sentence.root
    if sentence.text.rstrip("\"'\u201d\u2019) ").endswith("?"):
        return "a question"
    if not FEWEST_WORDS <= len(words) <= MOST_WORDS:
        return "too short" if len(words) < FEWEST_WORDS else "too long"
    subjects = [child for child in root.children if child.dep_ in _SUBJECTS]
    if root.pos_ not in ("VERB", "AUX") or not subjects:
        return "no statement"
    if root.lemma_ in _OPINION and any(one.lower_ in ("i", "we") for one in subjects):
        return "an opinion"
    if any(one.lower_ in ("i", "we", "you") for one in subjects):
        return "about whoever writes or reads"
    if any(_is_modal(child) for child in root.children):
        return "a prediction, a wish or a possibility"
    return ""


def _is_modal(word: "Token") -> bool:
    return word.dep_ == "aux" and word.lower_ in _NOT_NOW
