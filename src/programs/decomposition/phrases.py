"""Phrases, subjects and verb forms: the parts that facts are made of.

A phrase is a tuple of pieces: words of a claim in a new order, inserted strings, and placeholders for answers. A
subject is repeated in each fact that is derived from its clause. Verbs take forms that the claim lacks: `did not
sing` for `sang`, `was` for `were`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from src.programs.decomposition.parsing import ASIDES
from src.programs.whole_claim import plain

if TYPE_CHECKING:
    from spacy.tokens import Token


@dataclass(frozen=True, eq=False)
class Answer:
    """Placeholder for the answer to a question.

    Instances are compared by identity: one instance refers to one question.
    """

    question: "Phrase"


Piece: TypeAlias = "Token | str | Answer"
Phrase: TypeAlias = tuple[Piece, ...]
Answers: TypeAlias = dict[int, Answer]  # by the index (from 0) of the noun in the claim
Words: TypeAlias = tuple["Token", ...]
SPLIT_OFF = "split_off"  # in a parsed claim's user_data: the verbs of clauses that became separate facts
DASHES = ("-", "\N{EN DASH}", "\N{EM DASH}")

_ENDS = (".", "!", "?")
_SOUNDS_OPEN = re.compile(
    r"(?!uni|eur|one\b|once|U[A-Z.])[aeiouAEIOU]|hour|honou?r|heir|[FHLMNRSX](?:[A-Z]+\b|\.)|8|11\b|18"
)
_LOWER_INSIDE = {"DET", "ADP", "PRON", "ADV", "SCONJ", "CCONJ", "VERB", "AUX"}
_ARTICLE = re.compile(r"(?<![\w.'-])an? (?!and\b|or\b)([A-Za-z][\w.&-]*)")
_REPAIRS = (
    (r"\s+([,.;:!?)])", r"\1"),
    (r"\(\s+", "("),
    (r"\(\s*[,;]*\s*\)", ""),
    (r",(?:\s*,)+", ","),
    (r",\s*([.;!?])", r"\1"),
    (r"^([^,]*\{\w+\}), (?=(?:is|was|are|were|has|had|have|became|did|does|won|will|can)\b)", r"\1 "),
    (r"^(\{\w+\}), and (?=[^,]*$)", r"\1 and "),
    (r"^(\{\w+\}), and ([^,]*), (?=(?:are|were|have|had|do|did|both|share|play)\b)", r"\1 and \2 "),
    (r"^([^,{]*), (?=(?:is|was|are|were|has|had)\b[^,]*$)", r"\1 "),
    (r"\b(by|for|from|in|of|on|with), (?=\{)", r"\1 "),
    (r",'([?.])$", r"'\1"),
    (r"(?<=\})\?(?=[,.])", ""),
    (r"\.\.$", "."),
    (r"\bthe (?=The [A-Z])", ""),
    (r"([.!?]')\.$", r"\1"),
    (r"^[\s,;:.)-]+|[\s,;:(-]+$", ""),
)


def tokens(phrase: Phrase) -> Iterator["Token"]:
    """Return the tokens of the claim in the phrase, without inserted strings and placeholders."""
    return (piece for piece in phrase if not isinstance(piece, (str, Answer)))


def without(phrase: Phrase, gone: Iterable["Token"]) -> Phrase:
    places = {token.i for token in gone}
    return tuple(piece for piece in phrase if isinstance(piece, (str, Answer)) or piece.i not in places)


def indefinite(phrase: Phrase, article: "Token") -> Phrase:
    """Return the phrase with `a` or `an` in place of `article`."""
    form = "an" if _SOUNDS_OPEN.match(article.nbor().text) else "a"
    return tuple(form if piece == article else piece for piece in phrase)


def has_loose_ends(phrase: Phrase) -> bool:
    """Return True if the phrase contains a conjunction between verbs whose second verb is missing."""
    inside = {token.i for token in tokens(phrase)}
    joining = [token for token in tokens(phrase) if token.dep_ == "cc" and token.head.pos_ in ("VERB", "AUX")]
    return any(not any(one.dep_ == "conj" and one.i in inside for one in word.head.children) for word in joining)


def own_words(noun: "Token") -> Words:
    """Return the noun phrase of `noun`, without coordinated nouns and without `'s`.

    In `The writer and director of Rain`, a noun without article belongs to the noun before it: one person is meant.
    """
    misread = _misread_and(noun)
    if misread is not None:
        return tuple(word for word in noun.subtree if word.i < misread.i)
    others = [child for child in noun.children if child.dep_ == "conj" and not _shares_article(child, noun)]
    gone = {word.i for child in others for word in child.subtree}
    split_off = noun.doc.user_data.get(SPLIT_OFF, ())
    gone |= {word.i for child in noun.children if child.i in split_off for word in child.subtree}
    gone |= {child.i for child in noun.children if child.dep_ == "case" or (others and child.dep_ == "preconj")}
    gone |= {child.i for child in noun.children if others and child.lower_ == "both" and child.i < noun.i}
    before = {child.left_edge.i - 1 for child in others}
    gone |= {at for at in before if at > 0 and noun.doc[at].dep_ == "cc"}
    words = [word for word in sorted(noun.subtree) if word.i not in gone]
    while words[-1].is_punct and words[-1] != noun and words[-1].text in (",", ";"):
        words.pop()
    return tuple(words)


def _misread_and(noun: "Token") -> "Token | None":
    """Return the `and` that coordinates two subjects but is parsed inside the first one; None if there is none.

    In `the author of Rain and Karl Holm are poets`, parsers join it to Rain.
    """
    verb = finite(noun.head) if noun.dep_ in ("nsubj", "nsubjpass") and noun.tag_ in ("NN", "NNP") else None
    is_plural = verb is not None and (verb.tag_ == "VBP" or verb.lower_ == "were")
    if not is_plural or any(child.dep_ == "conj" for child in noun.children):
        return None
    links = [word for word in noun.subtree if word.lower_ == "and" and word.i > noun.i]
    return links[-1] if links else None


def _shares_article(joined: "Token", noun: "Token") -> bool:
    has_own = any(child.dep_ in ("det", "poss", "nummod") for child in joined.children)
    return noun.pos_ == joined.pos_ == "NOUN" and not has_own and noun.tag_ == joined.tag_ == "NN"


def is_cut(words: Words) -> bool:
    """Return True if a name may continue beyond the words, as titles do.

    An example is `the song Rain` of `the song Rain On Me Now`.
    """
    doc, first, last = words[0].doc, words[0], words[-1]
    before = first.i > 0 and not first.is_sent_start and _is_capital(doc[first.i - 1]) and _is_capital(first)
    return before or (last.i + 1 < len(doc) and _is_capital(doc[last.i + 1]) and _is_capital(last))


def _is_capital(word: "Token") -> bool:
    return word.text[0].isupper() and len(word) > 1


def replaced(phrase: Phrase, noun: "Token", by: Piece) -> Phrase:
    """Return the phrase with the piece `by` in place of the noun and its noun phrase."""
    own = {word.i for word in own_words(noun)}
    pieces: list[Piece] = []
    for piece in phrase:
        if pieces and pieces[-1] is by and _is_loose_comma(piece, noun, is_first=len(pieces) == 1):
            continue
        is_own = not isinstance(piece, (str, Answer)) and piece.i in own
        if not is_own:
            pieces.append(piece)
        elif not pieces or pieces[-1] is not by:
            pieces.append(by)
    return tuple(pieces)


def _is_loose_comma(piece: Piece, noun: "Token", *, is_first: bool) -> bool:
    """Return True if the comma closed a removed description.

    Such a comma is at the start of the sentence, or between subject and verb.
    """
    if isinstance(piece, (str, Answer)) or piece.text != "," or _opens_list(piece):
        return False
    aside = noun.doc.user_data.get(SPLIT_OFF, ())
    if any(child.i in aside and child.left_edge.i == piece.i + 1 for child in noun.rights):
        return False
    return is_first or (noun.dep_ in ("nsubj", "nsubjpass") and piece.i + 1 in _carrying(noun.head))


def _carrying(verb: "Token") -> set[int]:
    return {verb.i, *(child.i for child in verb.lefts if child.dep_ in ("aux", "auxpass", "neg", "advmod"))}


def _opens_list(comma: "Token") -> bool:
    """Return True if a conjunction or another member of a list follows the comma."""
    return comma.i + 1 < len(comma.doc) and (comma.nbor().dep_ == "cc" or comma.nbor().head.dep_ == "conj")


def text_of(phrase: Phrase, named: Callable[[Answer], str], asides: dict[int, str], *, end: str = ".") -> str:
    """Return the phrase as one capitalized sentence that ends with `end`; quotes, braces and line breaks are replaced.

    `named` returns the text of a placeholder. `asides` are texts in parentheses by the index of the word before them;
    each is written once and then removed from the mapping.
    """
    written, last = "", None
    for piece in phrase:
        glued = _is_glued(last, piece)
        written += ("" if glued or not written else " ") + _word(
            piece, named, first=not written or written.endswith(_ENDS)
        )
        if not isinstance(piece, (str, Answer)) and piece.i in asides:
            written += f" {plain(asides.pop(piece.i))}"
        last = piece
    text = " ".join(written.split())
    for pattern, repaired in _REPAIRS:
        text = re.sub(pattern, repaired, text)
    text = f"{text[:1].upper()}{text[1:]}"
    text = _ARTICLE.sub(_article, text)
    return text if text.endswith((end, f"{end}'")) else f"{text.rstrip('.?!')}{end}"


def _article(match: re.Match[str]) -> str:
    """Return the matched article and word, with `a` or `an` depending on the sound of the word."""
    return f"{'an' if _SOUNDS_OPEN.match(match[1]) else 'a'} {match[1]}"


def _is_glued(last: "Piece | None", piece: Piece) -> bool:
    if isinstance(piece, str):
        return piece.startswith("'")
    if not isinstance(piece, Answer) and piece.tag_ == "POS":
        return True
    if last is None or isinstance(last, (str, Answer)) or isinstance(piece, Answer):
        return False
    return last.i + 1 == piece.i and not last.whitespace_ and last.i not in last.doc.user_data[ASIDES]


def _word(piece: Piece, named: Callable[[Answer], str], *, first: bool) -> str:
    if isinstance(piece, str):
        return plain(piece)
    if isinstance(piece, Answer):
        return named(piece)
    is_begun = (
        piece.is_sent_start and not first and piece.pos_ in _LOWER_INSIDE and not (piece.is_upper and len(piece) > 1)
    )
    is_title = piece.pos_ == "VERB" and piece.i + 1 < len(piece.doc) and piece.nbor().is_title
    return plain(piece.text.lower() if is_begun and not is_title else piece.text)


SUBJECTS = ("nsubj", "nsubjpass")
_QUANTIFIERS = {
    "all", "any", "each", "either", "every", "everybody", "everyone", "everything", "exactly", "few", "fewer", "hardly",
    "less", "many", "more", "most", "neither", "no", "nobody", "none", "nothing", "only", "several", "some", "somebody",
    "someone",
}  # fmt: skip
_SHARES = {"%", "half", "majority", "minority", "percent", "quarter", "third"}
ROLES = {
    "actor", "actress", "artist", "author", "brother", "comedian", "composer", "creator", "daughter", "developer",
    "director", "discoverer", "editor", "father", "founder", "husband", "inventor", "man", "mother", "musician",
    "narrator", "owner", "player", "producer", "scientist", "screenwriter", "singer", "sister", "son", "star", "wife",
    "woman", "writer",
}  # fmt: skip
_DETACHED = ("relcl", "appos", "acl")


@dataclass(frozen=True)
class Subject:
    """A subject of a clause: its words, and the syntactic head of its phrase."""

    phrase: Words
    head: "Token"

    @property
    def is_plural(self) -> bool:
        is_name = self.head.tag_ == "NNPS" and any(child.lower_ == "the" for child in self.head.children)
        return is_name or self.head.tag_ == "NNS" or any(child.dep_ == "conj" for child in self.head.children)

    @property
    def is_person(self) -> bool:
        return self.head.ent_type_ == "PERSON" or self.head.lemma_.lower() in ROLES


def subject_of(verb: "Token") -> Subject | None:
    """Return the subject of the verb without modifiers that do not identify it; None if it cannot be repeated."""
    subjects = [child for child in verb.children if child.dep_ in SUBJECTS]
    return core(subjects[0]) if len(subjects) == 1 and is_repeatable(subjects[0]) else None


def has_subject(verb: "Token") -> bool:
    return any(child.dep_ in (*SUBJECTS, "expl", "csubj", "csubjpass") for child in verb.children)


def is_repeatable(noun: "Token") -> bool:
    """Return True if the noun can be the subject of two separate sentences: not for `no player`."""
    return noun.pos_ in ("NOUN", "PROPN", "NUM") and noun.lower_ != "who" and not is_quantified(noun)


def is_quantified(noun: "Token") -> bool:
    """Return True if the noun means some, all or none of a kind: `two players`, not the definite `the two players`."""
    words = [word for word in (noun, *noun.children) if word == noun or word.dep_ not in ("compound", "conj")]
    lowered = {word.lower_ for word in words if word.lower_ != "only" or word.dep_ == "advmod"}  # `the only player`
    if lowered & _QUANTIFIERS or noun.lower_ in _SHARES or (noun.pos_ == "NUM" and "of" in lowered):
        return True
    is_known = any(word.dep_ == "poss" or word.lower_ in ("the", "these", "those") for word in words)
    counts = any(word.dep_ == "nummod" and (noun.tag_ == "NNS" or word.lower_ == "one") for word in words)
    return counts and noun.pos_ == "NOUN" and not is_known


def core(noun: "Token") -> Subject:
    """Return the noun as a subject: the words that name it, without appositions and clauses set off by punctuation."""
    detached = [child for word in noun.subtree for child in word.children if _is_detached(child)]
    gone = {word.i for child in detached for word in child.subtree}
    gone |= {child.i for child in noun.children if child.dep_ == "punct" and child.text in (",", ":", *DASHES)}
    remaining = {word.i: word for word in noun.subtree if word.i not in gone}
    for name in noun.doc.ents:
        if name.label_ == "PERSON" and name.start <= noun.i < name.end:  # also parts attached elsewhere
            remaining |= {word.i: word for word in name if word.tag_ != "POS"}
    return Subject(tuple(remaining[at] for at in sorted(remaining)), noun)


def _is_detached(child: "Token") -> bool:
    if child.dep_ == "appos":
        return is_set_off(child) and (child.pos_ != "PROPN" or child.head.pos_ == "PROPN")
    if child.dep_ == "prep":
        return is_set_off(child)
    return child.dep_ in _DETACHED and (is_set_off(child) or child.head.pos_ == "PROPN")


def is_set_off(child: "Token") -> bool:
    """Return True if a comma, a dash or an opening parenthesis precedes the child's words."""
    edge = child.left_edge
    return edge.i > 0 and edge.nbor(-1).text in (",", "(", *DASHES)


def full_name(noun: "Token") -> "Token":
    """Return the head of the name that `noun` ends: for `Oslo` in `the University of Oslo` it is `University`."""
    while noun.dep_ == "pobj" and noun.head.lower_ in ("of", "for") and noun.head.head.pos_ == "PROPN":
        noun = noun.head.head
    return noun


STATES = {"star", "feature", "contain", "border", "belong", "consist", "comprise", "cover", "weigh", "measure"}
AUXILIARIES = ("aux", "auxpass")
_DO = {"VBZ": "does", "VBD": "did", "VBP": "do"}
_JOINT = {
    "co-created": "co-create", "co-directed": "co-direct", "co-founded": "co-found", "co-hosted": "co-host",
    "co-produced": "co-produce", "co-starred": "co-star", "co-wrote": "co-write",
}  # fmt: skip
_ONE = {"are": "is", "were": "was", "have": "has", "do": "does"}


def auxiliaries(verb: "Token") -> list["Token"]:
    """Return the auxiliaries of the verb and its `not`, in order."""
    return [child for child in verb.lefts if child.dep_ in (*AUXILIARIES, "neg")]


def finite(verb: "Token") -> "Token | None":
    """Return the finite verb: the first auxiliary or the verb itself; None if it is not finite."""
    words = [child for child in verb.lefts if child.dep_ in AUXILIARIES] or [verb]
    return words[0] if words[0].tag_ in ("VBD", "VBZ", "VBP", "MD") else None


def is_denied(verb: "Token") -> bool:
    return any(child.dep_ == "neg" for child in verb.children)


def is_past(verb: "Token") -> bool:
    word = finite(verb)
    return word is not None and word.tag_ == "VBD"


def disagrees(verb: "Token", subject: "Subject") -> bool:
    """Return True if the verb is plural and the subject is singular: the parser then joined them by mistake."""
    word = finite(verb)
    is_one = subject.head.tag_ in ("NN", "NNP") and not subject.is_plural
    return word is not None and is_one and word.lower_ in ("are", "were", "have")


def be(subject: "Subject", *, past: bool) -> str:
    """Return the form of `be` that agrees with the subject."""
    if subject.is_plural:
        return "were" if past else "are"
    return "was" if past else "is"


def infinitive(verb: "Token") -> str:
    """Return the infinitive of the verb, also of `co-wrote`, which the parser does not know."""
    return _JOINT.get(verb.lower_, verb.lemma_)


def singular(verb: "Token") -> str | None:
    """Return the singular form of the verb; None if it is the same."""
    if verb.tag_ == "VBP" and verb.lower_ not in _ONE:
        return third_person(verb.lemma_)
    return _ONE.get(verb.lower_)


def third_person(lemma: str) -> str:
    """Return the form for the third person singular: `stars` for `star`."""
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{lemma}es"
    return f"{lemma[:-1]}ies" if lemma.endswith("y") and lemma[-2:-1] not in "aeiou" else f"{lemma}s"


def denied(verb: "Token") -> list["Token | str"] | None:
    """Return the negated verb with its auxiliaries: `did not sing`.

    Return None if it is negated already or its form is unknown.
    """
    words = [child for child in verb.lefts if child.dep_ in AUXILIARIES]
    if is_denied(verb):
        return None
    if words:
        return [words[0], "not", *words[1:], verb]
    if verb.lemma_ == "be":
        return [verb, "not"]
    return [_DO[verb.tag_], "not", verb.lemma_] if verb.tag_ in _DO else None
