"""Subject and finite verb of a statement's main clause, if a parse by spaCy shows them clearly.

Limitations: English only. A parse that looks clear can be wrong.
"""

from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
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
    """The start of the subject, the finite verb, and the base forms that verbs take with "do", by token.

    `bases` is empty if the finite verb is an auxiliary or copula, which needs no "do".
    """

    start: int
    verb: "Token"
    bases: Mapping[int, str]


def main_clause(parse: "Doc", verbs: Container[str]) -> MainClause | None:
    """Return the main clause, or None if it is unclear. `verbs` are the known base forms."""
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
    """Return True for a word whose place in a list is uncertain.

    That is a clause with its own subject or auxiliary, or a finite verb joined to another kind of word. It is also a
    noun that may be such a verb. "dances" in "Ann wants to sing and dances" may belong to the main clause; "lives" in
    "Ann is a singer and lives in Lund" does.
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
    """Return True for one thing or person. With a plural verb the verb's tag is then wrong ("Ann put it there")."""
    many = any(child.dep_ == "conj" for child in subject.children)
    noun = subject.tag_ in ("NN", "NNP") and subject.lower_ not in ("%", "percent")
    return subject.lower_ in ("he", "she", "it") or (noun and not many)


def _joined(verb: "Token") -> Iterator["Token"]:
    """Yield the words that "and", "or" and "but" join to a verb."""
    for child in verb.rights:
        if child.dep_ == "conj":
            yield child
            yield from _joined(child)


def _is_plain(root: "Token", subject: "Token", verb: "Token") -> bool:
    """Return True if there is no question word, and only adverbs, adjuncts and commas around a subject that is not a
    clause."""
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
    """Return True for an adjunct that is complete.

    Its only punctuation is a comma, and a preposition has its noun. Other leading adjuncts must end with a comma ("Last
    year, Ann sang").
    """
    if adjunct.dep_ == "punct":
        return adjunct.text == ","
    if adjunct.dep_ == "prep":
        return adjunct.n_rights > 0
    return not leads or adjunct.dep_ == "cc" or adjunct.right_edge.nbor().text == ","


def _base(verb: "Token", tag: str, verbs: Container[str]) -> str | None:
    """Return the base form of a verb in the given tense; None if it is uncertain.

    The lemmatizer takes "rated" for "rat". If the word without its "d" or "s" is a known verb, that verb is returned.
    """
    said = verb.lower_
    regular = said[:-1] if said.endswith(("ed", "s")) else ""
    base = said if tag == "VBP" else regular if regular in verbs else verb.lemma_
    changes = base != said or tag == "VBP" or base in SAME_PAST
    return base if verb.tag_ == tag and changes and base != "be" and base in verbs else None
