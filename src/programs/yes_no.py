"""Yes-no questions from statements: "Ann lived in Lund." becomes "Did Ann live in Lund?".

The finite auxiliary or copula of the main clause moves before its subject. If there is none, a form of "do" is
inserted, and the verbs lose their endings. Words that precede the subject stay in front. No other word is added,
removed or changed.

Limitations: English only. A statement whose parse by spaCy is unclear, or that would need more changes, becomes "Is it
true that X?". An example is a statement with a second clause that has its own subject. A parse that looks clear can be
wrong.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from src.spacy_pipelines import FROM_PYPI, load

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

MOST_WORDS = 60  # parses of longer statements are not trusted
FINITE = {"MD", "VBD", "VBP", "VBZ"}
BE = {"am", "are", "is", "was", "were"}
HELPING = {*BE, "did", "do", "does", "had", "has", "have"}
HELPING |= {"can", "could", "must", "shall", "should", "will", "would"}  # "May ...?" would ask for permission
HELPING |= {"ca", "sha", "wo"}  # before "n't"
SUBJECTS = {"csubj", "csubjpass", "expl", "nsubj", "nsubjpass"}
BETWEEN = {"advcl", "advmod", "neg", "npadvmod", "prep", "punct"}  # allowed between a subject and its verb
LEADS = {*BETWEEN, "cc"}  # allowed before the subject
UNCLEAR = {"dep", "intj", "parataxis"}
ASKING = {"WDT", "WP", "WP$", "WRB"}
SHORTENED = {"'ve", "\u2019ve"}  # cannot be separated from the auxiliary before it
SAME_PAST = {"beat", "bet", "bid", "broadcast", "burst", "cast", "cost", "cut", "forecast", "hit", "hurt", "let"}
SAME_PAST |= {"offset", "put", "quit", "read", "rid", "set", "shed", "shut", "split", "spread", "thrust", "upset"}


class MainClause(NamedTuple):
    """The main clause of a statement.

    `start`: index of the first token of the subject.
    `verb`: the finite verb.
    `bases`: base form of each verb that "do" changes, by the index of the verb's token; empty if the finite verb is an
        auxiliary or copula, which needs no "do".
    """

    start: int
    verb: "Token"
    bases: Mapping[int, str]


def main_clause(parse: "Doc", verbs: Container[str]) -> MainClause | None:
    """Return the main clause of a parsed statement, or None if it is unclear.

    `verbs` are the base forms of verbs that the lemmatizer knows.
    """
    text = parse.text
    if "?" in text or text.isupper() or len(text.split()) > MOST_WORDS or len(list(parse.sents)) != 1:
        return None
    root = next(parse.sents).root
    verb = next((child for child in root.lefts if child.dep_ in ("aux", "auxpass")), root)
    subjects = [child for child in root.lefts if child.dep_ in SUBJECTS and child.right_edge.i < verb.i]
    if any(_is_adrift(token, verbs) for token in parse[root.i :]):
        return None
    if verb.tag_ not in FINITE or len(subjects) != 1 or not _is_plain(root, subjects[0], verb):
        return None
    start, joined = subjects[0].left_edge.i, list(_joined(root))
    if verb.lower_ in HELPING and (verb != root or verb.lower_ in BE):
        if any(token.lower_ in SHORTENED for token in parse[verb.i + 1 : root.i + 1]):
            return None  # "could've sung"
        return None if any(one.tag_ in FINITE for one in joined) else MainClause(start, verb, {})
    if verb != root or (verb.tag_ == "VBP" and _is_single(subjects[0])):
        return None
    bases = {one.i: base for one in (root, *joined) if (base := _base(one, verb.tag_, verbs))}
    return MainClause(start, verb, bases) if len(bases) == 1 + len(joined) else None


def _is_adrift(word: "Token", verbs: Container[str]) -> bool:
    """Return True for a coordinated word for which it is uncertain what it is coordinated with.

    These are a clause with its own subject or auxiliary, a finite verb joined to another kind of word, and a noun that
    may be such a verb. "dances" in "Ann wants to sing and dances" may belong to the main clause; "lives" in "Ann is a
    singer and lives in Lund" does.
    """
    if word.dep_ != "conj":
        return False
    own = any(child.dep_ in {*SUBJECTS, "aux", "auxpass"} for child in word.children)
    may_be = word.tag_ == "NNS" and word.n_lefts == 0 and word.lower_.removesuffix("s") in verbs
    return (
        own
        or (word.tag_ in FINITE and word.head.tag_ not in FINITE)
        or (may_be and word.head.tag_ not in ("NNS", "VBZ"))
    )


def _is_single(subject: "Token") -> bool:
    """Return True if the subject is one thing or person.

    If its verb has a plural form, the tag of the verb is wrong: "Ann put it there".
    """
    many = any(child.dep_ == "conj" for child in subject.children)
    noun = subject.tag_ in ("NN", "NNP") and subject.lower_ not in ("%", "percent")
    return subject.lower_ in ("he", "she", "it") or (noun and not many)


def _joined(verb: "Token") -> Iterator["Token"]:
    """Yield the words that are coordinated with a verb by "and", "or" or "but"."""
    for child in verb.rights:
        if child.dep_ == "conj":
            yield child
            yield from _joined(child)


def _is_plain(root: "Token", subject: "Token", verb: "Token") -> bool:
    """Return True if the main clause has a simple form that can be turned into a question.

    It has no question word. Around a subject that is not a clause, there are only adverbs, adjuncts and commas.
    """
    around = [child for child in root.lefts if child.i < verb.i and child != subject]
    return (
        (subject.tag_ == "VBG" or not subject.dep_.startswith("csubj"))
        and not any(token.tag_ in ASKING for token in (*around, subject, subject.left_edge))
        and all(child.dep_ in (LEADS if child.i < subject.i else BETWEEN) for child in around)
        and all(_is_whole(child, child.i < subject.i) for child in around)
        and not any(child.dep_ in UNCLEAR for child in root.children)
        and not any(token.is_quote and token.tag_ != "POS" for token in root.doc[: root.i])
    )


def _is_whole(adjunct: "Token", leads: bool) -> bool:
    """Return True if the adjunct is complete: its only punctuation is a comma, and a preposition has its noun.

    With `leads`, the adjunct precedes the subject; unless it is a preposition, it must then end with a comma ("Last
    year, Ann sang").
    """
    if adjunct.dep_ == "punct":
        return adjunct.text == ","
    if adjunct.dep_ == "prep":
        return adjunct.n_rights > 0
    return not leads or adjunct.dep_ == "cc" or adjunct.right_edge.nbor().text == ","


def _base(verb: "Token", tag: str, verbs: Container[str]) -> str | None:
    """Return the base form of a verb; None if it is uncertain, or if the verb has not the given tag.

    The lemmatizer takes "rated" for "rat". If the word without its "d" or "s" is a known verb (in `verbs`), that verb
    is returned.
    """
    word = verb.lower_
    regular = word[:-1] if word.endswith(("ed", "s")) else ""
    base = word if tag == "VBP" else regular if regular in verbs else verb.lemma_
    changes = base != word or tag == "VBP" or base in SAME_PAST
    return base if verb.tag_ == tag and changes and base != "be" and base in verbs else None


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
    """The spaCy pipeline for English, and the base forms of nouns and verbs that its lemmatizer knows."""

    pipeline: "Language"
    nouns: frozenset[str]  # adjectives too
    verbs: frozenset[str]


def questions(statements: Sequence[str]) -> list[str]:
    """Return the yes-no question of each statement, in order.

    Raises MissingExtra when spaCy or its pipeline is not installed.
    """
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
    """Return the text from token `start` on, without punctuation at its end.

    `changed` has new texts of tokens by index; a token changed to "" is left out together with the white space after
    it.
    """
    end = len(parse)
    while end > start and parse[end - 1].text in ENDS:
        end -= 1
    words = [(changed.get(token.i, token.text), token.whitespace_) for token in parse[start:end]]
    if words and LETTER.fullmatch(words[-1][0]):
        words[-1] = (words[-1][0].removesuffix("."), "")
    text = "".join(f"{word}{space}" for word, space in words if word).rstrip(" ,")
    return re.sub(r"(?: *,)+", ",", text)


def _small(word: "Token", known: frozenset[str]) -> str:
    """Return the first word of a statement as it is written inside a sentence.

    It begins with a small letter, but for names, acronyms and "I". `known` are nouns and adjectives of the lemmatizer;
    another such word is taken for a name.
    """
    text, tag = word.text, word.tag_
    if text == "I" or tag in ("NNP", "NNPS") or (len(text) > 1 and not text[1:].islower()):
        return text
    open_class = tag in ("JJ", "NN", "NNS")
    return text if open_class and (NAMING.fullmatch(text) or word.lemma_.lower() not in known) else text.lower()
