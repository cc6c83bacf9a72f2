"""Names in the sentences of an article: who and what is named so far, and which words stand for a name.

A person may be called by the first or the last name alone, a thing by its noun: after `the Kessel Bridge`,
`the bridge`; after `the city of Ulmen`, `the city`; after `Lake Ostra`, `the lake`.

Limitations: English; by the names and parts of speech that spaCy's small pipeline finds.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from src.check.article.nouns import (
    PERSONS,
    PLACES,
    TITLES,
    after_of,
    bare,
    is_bare,
    is_central,
    is_definite,
    is_joined,
    is_named,
    is_part,
    runs,
    verb_of,
)
from src.check.article.worthiness import NAMED

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

BEFORE = 2  # sentences in which the name for a pronoun is looked for
NOUN = "NOUN"  # kind of a name that has a noun in it, such as `Kessel Bridge`
_FIRST = {"camp", "castle", "fort", "hotel", "hurricane", "lake", "operation", "river"}  # before the name itself
_GENERIC = {"day", "house", "media", "month", "news", "night", "people", "post", "press", "state", "street", "sun",
            "time", "week", "world", "year"}  # fmt: skip  # last words of names that "the" does not point back to
_PLACED = ("across", "at", "from", "in", "near", "of", "on", "over", "through", "to")  # before the name of a place


class Mention(NamedTuple):
    """A name that a sentence has, or that a word of it stands for.

    `start`: its first character in the document of the sentence.
    `name`: the whole name, without an article.
    `kind`: spaCy's label, or `NOUN`.
    `with_the`: whether the name has the article "the".
    `verb`: the word whose subject it is, or None.
    `joined`: whether it is joined to another by "and" or "or".
    `is_central`: whether it is a subject, an object, or an owner, rather than mentioned by the way.
    """

    start: int
    name: str
    kind: str
    with_the: bool = False
    verb: "Token | None" = None
    joined: bool = False
    is_central: bool = True

    @property
    def shown(self) -> str:
        return f"the {self.name}" if self.with_the else self.name


class NamedThing(NamedTuple):
    """A name with a noun in it, such as `Kessel Bridge`. `place`: number of its sentence, from 0."""

    place: int
    noun: str
    mention: Mention


class Names:
    """Names of the sentences of an article, which are entered one by one.

    `persons`: names of persons with more than one word, in the whole article.
    `mentions`: names in each sentence that is entered.
    `genders`: `he` or `she` for each person who is called so.
    """

    def __init__(self, sentences: Sequence["Span"]) -> None:
        nouns = {word.lower_ for one in sentences for word in one if is_definite(word)}
        self._kinds = _kinds(sentences)
        self.persons = [name for name in self._whole_names(sentences) if name.split()[-1].lower() not in nouns]
        self._longer = {word for one in sentences for run in runs(one) if len(run) > 1 for word in self._others(run)}
        self._entered: list[Span] = []
        self._text = ""  # of the sentences that are entered
        self._things: list[NamedThing] = []
        self.mentions: list[list[Mention]] = []
        self.genders: dict[str, str] = {}

    def _whole_names(self, sentences: Iterable["Span"]) -> list[str]:
        found = dict.fromkeys(bare(one) for each in sentences for one in each.ents)
        return [name for name in found if _is_whole(name) and self._is_person(name)]

    def _is_person(self, name: str) -> bool:
        """Return True if most labels of the name in the article are those of a person."""
        kinds = self._kinds.get(name, [])
        return 2 * kinds.count("PERSON") > len(kinds)

    def _others(self, run: Sequence["Token"]) -> list[str]:
        """Return the words of a longer name that is not a person's."""
        words = [word.text for word in run if word.lower_ not in TITLES]
        is_person = any(name in " ".join(words) for name in self.persons)
        return [] if is_person or len(words) == 1 else words

    def enter(self, sentence: "Span") -> tuple[list[Mention], dict["Token", str]]:
        """Begin a sentence: return its names, and its words that are a person's first or last name alone, with the
        whole names. Names that are put into the sentence are to be appended to the list.
        """
        self._entered.append(sentence)
        self._text += f" {sentence.text}"
        self._things += list(_things(sentence, len(self._entered) - 1))
        short = dict(self._short_names(sentence))
        found = [self._mention(one) for one in sentence.ents if one.label_ in NAMED]
        taken = {word.idx for word in short}
        persons = [
            Mention(word.idx, whole, "PERSON", False, verb_of(word), is_joined(word), is_central(word))
            for word, whole in short.items()
        ]
        self.mentions.append([*(one for one in found if one.start not in taken), *persons])
        return self.mentions[-1], short

    def _mention(self, entity: "Span") -> Mention:
        """Return a named entity as a mention; "" is the kind of one whose label is doubtful."""
        root, name, kind = entity.root, bare(entity), entity.label_
        if kind == "PERSON":  # the small pipeline takes many places and firms for persons
            is_placed = root.dep_ == "pobj" and root.head.lower_ in _PLACED
            kind = kind if self._is_person(name) and not is_placed else ""
        with_the = entity[0].lower_ == "the" or (entity.start > 0 and entity.doc[entity.start - 1].lower_ == "the")
        with_the = with_the and kind != "PERSON"
        central = is_central(root)
        return Mention(entity.start_char, name, kind, with_the, verb_of(root), is_joined(root), central)

    def _short_names(self, sentence: "Span") -> Iterator[tuple["Token", str]]:
        """Yield the words that are a person's first or last name alone, with the whole names."""
        for run in runs(sentence):
            word = run[-1]
            if any(one.lower_ not in TITLES for one in run[:-1]) or is_part(run):
                continue
            whole = self._whole(word)
            before = word.doc[max(word.sent.start, word.i - len(whole)) : word.i + 1].text
            if whole and not before.endswith(whole):  # spaCy may take `Will` for a verb
                yield word, whole

    def _whole(self, word: "Token") -> str:
        """Return the whole name of a person for a first or last name; "" if none or more than one fits.

        Labels of last names are often wrong, so an organization is accepted if the person is introduced already.
        """
        fitting = [name for name in self.persons if word.text in (name.split()[0], name.split()[-1])]
        introduced = [name for name in fitting if name in self._text]
        different = {(name.split()[0], name.split()[-1]): name for name in introduced or fitting}
        if len(different) != 1 or word.text in self._longer:
            return ""
        is_person = word.ent_type_ in ("PERSON", "") or (word.ent_type_ == "ORG" and bool(introduced))
        return next(iter(different.values())) if is_person else ""

    def thing(self, word: "Token") -> Mention | None:
        """Return the named thing that a noun such as `the bridge` stands for; None if none or several fit."""
        if word.tag_ != "NN" or not is_definite(word) or not is_bare(word):
            return None
        place = len(self._entered) - 1
        fitting = [one for one in self._things if one.noun == word.lower_ and _is_before(one, place, word.idx)]
        if len({one.mention.name for one in fitting}) != 1 or self._has_another(word, fitting[0].place):
            return None
        last = fitting[-1]
        if word.lower_ in PLACES and any(one.name not in last.mention.name for one in self.nearest(("GPE", "LOC"))[0]):
            return None
        return last.mention if last.place == place else last.mention._replace(start=-1)

    def _has_another(self, noun: "Token", since: int) -> bool:
        """Return True if a nameless thing of the kind is mentioned since a sentence: `a bridge`, `two bridges`."""
        earlier = (word for one in self._entered[since:] for word in one if (word.doc, word.i) != (noun.doc, noun.i))
        same = (word for word in earlier if word.lemma_.lower() == noun.lower_ and word.pos_ == "NOUN")
        return any(not (is_definite(word) and is_bare(word)) and not is_named(word) for word in same)

    def nearest(self, kinds: Sequence[str]) -> tuple[list[Mention], list["Token"]]:
        """Return the names of these kinds in the nearest of the `BEFORE` sentences before the last that has any.

        The second list has the words of the sentences after it that are not part of a name or replaced by one.
        """
        between: list[Token] = []
        for sentence, own in list(zip(self._entered, self.mentions, strict=True))[-2 : -BEFORE - 2 : -1]:
            if found := [one for one in own if one.kind in kinds]:
                return found, between
            between += [word for word in sentence if not is_inside(word, own)]
        return [], between


def is_inside(word: "Token", own: Sequence[Mention]) -> bool:
    """Return True if a word is part of one of the names in its sentence, or is replaced by one."""
    return any(one.start <= word.idx < one.start + len(one.name) for one in own)


def _is_whole(name: str) -> bool:
    words = name.split()
    is_plain = not any(mark in name for mark in ("'s ", "\u2019s ", "[", "]", "(", ")"))
    return len(words) > 1 and is_plain and all(word[0].isupper() for word in (words[0], words[-1]))


def _is_before(thing: NamedThing, place: int, start: int) -> bool:
    return thing.place < place or thing.mention.start < start


def _kinds(sentences: Iterable["Span"]) -> dict[str, list[str]]:
    """Return the labels of each name in an article."""
    kinds: dict[str, list[str]] = {}
    for one in sentences:
        for entity in one.ents:
            kinds.setdefault(bare(entity), []).append(entity.label_)
    return kinds


def _things(sentence: "Span", place: int) -> Iterator[NamedThing]:
    """Yield the names with a noun in them: `Kessel Bridge`, `Lake Ostra`, `Ministry of Waters`, `city of Ulmen`."""
    for run in runs(sentence):
        with_the = run[0].i > sentence.start and run[0].nbor(-1).lower_ == "the"
        name = " ".join(word.text for word in run)
        follower = after_of(run[-1])
        whole = f"{name} of {follower}" if follower else name
        mention = Mention(run[0].idx, whole, NOUN, with_the, verb_of(run[-1]))
        nouns = {run[-1].lower_} if len(run) > 1 or follower else set()
        if len(run) == 2 and run[0].lower_ in _FIRST:
            nouns.add(run[0].lower_)
        yield from (NamedThing(place, noun, mention) for noun in sorted(nouns - PERSONS - _GENERIC))
    for word in sentence:
        if is_named(word):
            mention = Mention(word.idx, f"{word.text} of {after_of(word)}", NOUN, True, verb_of(word))
            yield NamedThing(place, word.lower_, mention)
