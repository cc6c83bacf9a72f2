"""Role nouns, which relate someone or something to another: `the author of Snow`, `the castle, seat of the king,`."""

from typing import TYPE_CHECKING

from src.programs.decomposition.phrases import Phrase, Words
from src.programs.decomposition.subjects import ROLES, is_set_off

if TYPE_CHECKING:
    from spacy.tokens import Token

_SEVERAL = {"brother", "man", "player", "sister", "woman"}
_PERSONS = ROLES | {
    "architect", "bassist", "captain", "champion", "choreographer", "cinematographer", "co-creator", "co-director",
    "co-founder", "co-producer", "co-writer", "coach", "commander", "conductor", "designer", "drummer", "executive",
    "frontman", "guitarist", "head", "host", "illustrator", "journalist", "keyboardist", "lead", "leader", "lyricist",
    "manager", "mayor", "nephew", "niece", "novelist", "organizer", "painter", "partner", "performer", "photographer",
    "pianist", "playwright", "presenter", "president", "principal", "runner", "songwriter", "sponsor",
    "superintendent", "translator", "vocalist", "winner",
}  # fmt: skip
_THINGS = {
    "album", "band", "birthplace", "capital", "club", "company", "country", "developer", "duo", "franchise", "genus",
    "hometown", "label", "lake", "location", "movie", "network", "prequel", "publisher", "school", "sequel", "series",
    "setting", "single", "song", "subject", "team", "university",
}  # fmt: skip


def title_of(noun: "Token") -> "Token | None":
    """Return `seat` of `the castle, seat of the king,`."""
    titles = [child for child in noun.rights if child.dep_ == "appos"]
    if len(titles) != 1 or not is_set_off(titles[0]):
        return None
    title = titles[0]
    is_title = title.pos_ == "NOUN" and title.left_edge == title
    return title if is_title and any(child.lower_ == "of" for child in title.rights) else None


def asked_by_title(noun: "Token", words: Words) -> Phrase | None:
    """Return the question which castle is the seat of the king."""
    title = title_of(noun)
    if title is None or words[-1] != title.right_edge:
        return None
    own = [
        word
        for word in words
        if word.i < title.i and not word.is_punct and not (word.dep_ == "det" and word.head == noun)
    ]
    return ("which", *own, "is the", *(word for word in words if word.i >= title.i))


def _names(noun: "Token") -> set[str]:
    """Return the lemmas of the noun: both of `writer/director`."""
    return {*noun.lemma_.lower().split("/")}


def asking_word(noun: "Token") -> str:
    """Return "who is" for the role of a person, and "what is" for that of a thing."""
    return "who is" if _names(noun) & _PERSONS else "what is"


def is_role(noun: "Token") -> bool:
    return noun.pos_ == "NOUN" and bool(_names(noun) & ((_PERSONS | _THINGS) - _SEVERAL))
