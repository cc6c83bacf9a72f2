"""The subject and the finite verb of a statement's main clause, as far as a parse by spaCy shows them clearly.

But: English only, and a parse that looks clear can be wrong.
"""

from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST_WORDS = 60  # parses of longer statements are not trusted
FINITE = {"MD", "VBD", "VBP", "VBZ"}
BE = {"am", "are", "is", "was", "were"}
HELPING = {*BE, "did", "do", "does", "had", "has", "have"}
HELPING |= {"can", "could", "must", "shall", "should", "will", "would"}  # "May ...?" would ask for leave
HELPING |= {"ca", "sha", "wo"}  # before "n't"
SUBJECTS = {"csubj", "csubjpass", "expl", "nsubj", "nsubjpass"}
BETWEEN = {"advcl", "advmod", "neg", "npadvmod", "prep", "punct"}  # what may stand between a subject and its verb
LEADS = {*BETWEEN, "cc"}  # and before the subject
UNCLEAR = {"dep", "intj", "parataxis"}
ASKING = {"WDT", "WP", "WP$", "WRB"}
SHORTENED = {"'ve", "\u2019ve"}  # what cannot stand without the auxiliary before it
SAME_PAST = {"beat", "bet", "bid", "broadcast", "burst", "cast", "cost", "cut", "forecast", "hit", "hurt", "let"}
SAME_PAST |= {"offset", "put", "quit", "read", "rid", "set", "shed", "shut", "split", "spread", "thrust", "upset"}


class MainClause(NamedTuple):
    """Where its subject begins, its finite verb, and by token the base forms that verbs take beside "do".

    `bases` is empty where the finite verb is an auxiliary or copula, which needs no "do".
    """

    start: int
    verb: "Token"
    bases: Mapping[int, str]


def main_clause(parse: "Doc", verbs: Container[str]) -> MainClause | None:
    """None where it is not clear. `verbs` are the base forms that are known."""
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
    """Joined by "and" to no sure place: a clause of its own, or a verb, or what may be one, beside what is none.

    In "Ann wants to sing and dances" it may be the main clause's, in "Ann is a singer and lives in Lund" it is.
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
    """One thing or person: with a verb of many the verb's tag is wrong ("Ann put it there")."""
    many = any(child.dep_ == "conj" for child in subject.children)
    noun = subject.tag_ in ("NN", "NNP") and subject.lower_ not in ("%", "percent")
    return subject.lower_ in ("he", "she", "it") or (noun and not many)


def _joined(verb: "Token") -> Iterator["Token"]:
    """What "and", "or" and "but" join to a verb."""
    for child in verb.rights:
        if child.dep_ == "conj":
            yield child
            yield from _joined(child)


def _is_plain(root: "Token", subject: "Token", verb: "Token") -> bool:
    """Nothing that asks, and no more than adverbs, adjuncts and commas around a subject that is no clause."""
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
    """No other mark than a comma, no preposition alone; what else leads ends in a comma ("Last year, Ann sang")."""
    if adjunct.dep_ == "punct":
        return adjunct.text == ","
    if adjunct.dep_ == "prep":
        return adjunct.n_rights > 0
    return not leads or adjunct.dep_ == "cc" or adjunct.right_edge.nbor().text == ","


def _base(verb: "Token", tag: str, verbs: Container[str]) -> str | None:
    """The base form of a verb in the same tense, None where that is not sure.

    The lemmatizer takes "rated" for "rat"; where the ending leaves an "e" that makes a verb, it is that verb's.
    """
    said = verb.lower_
    regular = said[:-1] if said.endswith(("ed", "s")) else ""
    base = said if tag == "VBP" else regular if regular in verbs else verb.lemma_
    changes = base != said or tag == "VBP" or base in SAME_PAST
    return base if verb.tag_ == tag and changes and base != "be" and base in verbs else None
