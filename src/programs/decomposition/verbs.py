"""Verb forms that a fact needs and the claim lacks: `did not sing` for `sang`, `was` for `were`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

    from src.programs.decomposition.subjects import Subject

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
    """Return True if the verb is plural and the subject is singular: they were joined by mistake."""
    word = finite(verb)
    is_one = subject.head.tag_ in ("NN", "NNP") and not subject.is_plural
    return word is not None and is_one and word.lower_ in ("are", "were", "have")


def be(subject: "Subject", *, past: bool) -> str:
    """Return the form of `be` that agrees with the subject."""
    if subject.is_plural:
        return "were" if past else "are"
    return "was" if past else "is"


def infinitive(verb: "Token") -> str:
    """Return the lemma, also for `co-wrote`, which the parser does not know."""
    return _JOINT.get(verb.lower_, verb.lemma_)


def singular(verb: "Token") -> str | None:
    """Return the singular form; None if it is the same."""
    if verb.tag_ == "VBP" and verb.lower_ not in _ONE:
        return third_person(verb.lemma_)
    return _ONE.get(verb.lower_)


def third_person(lemma: str) -> str:
    """Return `stars` for `star`."""
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{lemma}es"
    return f"{lemma[:-1]}ies" if lemma.endswith("y") and lemma[-2:-1] not in "aeiou" else f"{lemma}s"


def denied(verb: "Token") -> list["Token | str"] | None:
    """Return the verb with its auxiliaries, negated: `did not sing`; None if its form is unknown."""
    words = [child for child in verb.lefts if child.dep_ in AUXILIARIES]
    if is_denied(verb):
        return None
    if words:
        return [words[0], "not", *words[1:], verb]
    if verb.lemma_ == "be":
        return [verb, "not"]
    return [_DO[verb.tag_], "not", verb.lemma_] if verb.tag_ in _DO else None
