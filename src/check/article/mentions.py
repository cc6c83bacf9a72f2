"""Names in the sentences of an article: who and what is named so far, and which words stand for a name.

A person may be called by the first or the last name alone, a thing by its noun: after `the Kessel Bridge`,
`the bridge`; after `the city of Ulmen`, `the city`; after `Lake Ostra`, `the lake`.

Limitations: English; by the names and parts of speech that spaCy's small pipeline finds.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from src.check.article.worthiness import NAMED

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

BEFORE = 2  # sentences in which the name for a pronoun is looked for
NOUN = "NOUN"  # kind of a name that has a noun in it, such as `Kessel Bridge`
PERSONS = frozenset({"actor", "author", "chairman", "man", "mayor", "minister", "president", "senator", "singer",
                     "spokesman", "spokeswoman", "woman"})  # fmt: skip
PLACES = frozenset({"city", "country", "island", "region", "state", "town", "village"})
_FIRST = {"camp", "castle", "fort", "hotel", "hurricane", "lake", "operation", "river"}  # before the name itself
_CENTRAL = ("nsubj", "nsubjpass", "dobj", "poss")
_PARTICLES = {"al", "bin", "da", "de", "del", "della", "der", "di", "du", "la", "le", "van", "von"}
_GENERIC = {"day", "house", "media", "month", "news", "night", "people", "post", "press", "state", "street", "sun",
            "time", "week", "world", "year"}  # fmt: skip  # last words of names that "the" does not point back to
_PLACED = ("across", "at", "from", "in", "near", "of", "on", "over", "through", "to")  # before the name of a place
_TITLES = {"captain", "dr", "dr.", "gov.", "governor", "judge", "mayor", "minister", "mr", "mr.", "mrs", "mrs.", "ms",
           "ms.", "president", "professor", "rep.", "sen.", "senator"}  # fmt: skip


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
        nouns = {word.lower_ for one in sentences for word in one if _is_definite(word)}
        self._kinds = _kinds(sentences)
        self.persons = [name for name in self._whole_names(sentences) if name.split()[-1].lower() not in nouns]
        self._longer = {word for one in sentences for run in _runs(one) if len(run) > 1 for word in self._others(run)}
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
        words = [word.text for word in run if word.lower_ not in _TITLES]
        is_person = any(name in " ".join(words) for name in self.persons)
        return [] if is_person or len(words) == 1 else words

    def enter(self, sentence: "Span") -> list[Mention]:
        """Begin a sentence: return its names. Names that are put into it are to be appended."""
        self._entered.append(sentence)
        self._text += f" {sentence.text}"
        self._things += list(_things(sentence, len(self._entered) - 1))
        found = [self._mention(one) for one in sentence.ents if one.label_ in NAMED]
        short = [
            Mention(word.idx, whole, "PERSON", False, verb_of(word), _is_joined(word), _is_central(word))
            for word, whole in self.short_names(sentence)
        ]
        taken = {one.start for one in short}
        self.mentions.append([*(one for one in found if one.start not in taken), *short])
        return self.mentions[-1]

    def _mention(self, entity: "Span") -> Mention:
        """Return a named entity as a mention; "" is the kind of one whose label is doubtful."""
        root, name, kind = entity.root, bare(entity), entity.label_
        if kind == "PERSON":  # the small pipeline takes many places and firms for persons
            is_placed = root.dep_ == "pobj" and root.head.lower_ in _PLACED
            kind = kind if self._is_person(name) and not is_placed else ""
        with_the = entity[0].lower_ == "the" or (entity.start > 0 and entity.doc[entity.start - 1].lower_ == "the")
        with_the = with_the and kind != "PERSON"
        central = _is_central(root)
        return Mention(entity.start_char, name, kind, with_the, verb_of(root), _is_joined(root), central)

    def short_names(self, sentence: "Span") -> Iterator[tuple["Token", str]]:
        """Yield the words of an entered sentence that are a person's first or last name alone, with the whole names."""
        for run in _runs(sentence):
            word = run[-1]
            if any(one.lower_ not in _TITLES for one in run[:-1]) or _is_part(run):
                continue
            if whole := self._whole(word):
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
        """Return the named thing that a noun such as `the bridge` stands for; None unless exactly one fits."""
        if word.tag_ != "NN" or not _is_definite(word) or not is_bare(word):
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
        return any(not (_is_definite(word) and is_bare(word)) and not _is_named(word) for word in same)

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


def bare(entity: "Span") -> str:
    """Return the text of a name without 's, article, quotation marks and, for a person, titles."""
    name = " ".join(entity.text.split()).removesuffix("'s").removesuffix("\u2019s").strip("'\"\u2018\u2019\u201c\u201d")
    words = name.split()
    while len(words) > 1 and (words[0].lower() == "the" or (entity.label_ == "PERSON" and words[0].lower() in _TITLES)):
        words = words[1:]
    return " ".join(words)


def is_bare(noun: "Token") -> bool:
    """Return True if a noun has nothing beside it that says which one is meant."""
    return not any(
        one.dep_ in ("amod", "compound", "nummod", "prep", "relcl", "poss", "appos") for one in noun.children
    )


def verb_of(word: "Token") -> "Token | None":
    """Return the word whose subject a word is, or None."""
    return word.head if word.dep_ in ("nsubj", "nsubjpass") else None


def _is_definite(word: "Token") -> bool:
    return word.pos_ == "NOUN" and any(child.lower_ == "the" for child in word.children)


def _is_named(word: "Token") -> bool:
    """Return True for the noun of `city of Ulmen`."""
    return word.lower_ in PLACES and bool(_after_of(word))


def _is_part(run: "Sequence[Token]") -> bool:
    """Return True for a part of a longer name or noun: `Berg-Hansen`, `Maria de Berg`, `Berg family`."""
    document, last = run[0].doc, run[-1]
    if last.dep_ == "compound" and last.head.i > last.i:
        return True
    beside = [document[place].lower_ for place in (run[0].i - 1, last.i + 1) if 0 <= place < len(document)]
    return "-" in beside or any(one in _PARTICLES for one in beside)


def _is_whole(name: str) -> bool:
    words = name.split()
    is_plain = not any(mark in name for mark in ("'s ", "\u2019s ", "[", "]", "(", ")"))
    return len(words) > 1 and is_plain and all(word[0].isupper() for word in (words[0], words[-1]))


def _is_before(thing: NamedThing, place: int, start: int) -> bool:
    return thing.place < place or thing.mention.start < start


def _is_central(word: "Token") -> bool:
    return word.dep_ in _CENTRAL or (word.dep_ == "pobj" and word.head.dep_ == "agent")


def _is_joined(word: "Token") -> bool:
    """Return True if a name is joined to another by its neighbors; the parser errs here."""
    first = max(word.left_edge.i - 3, word.sent.start)
    near = [one.lower_ for one in word.doc[first : min(word.i + 2, word.sent.end)]]
    return "and" in near or "or" in near


def _kinds(sentences: Iterable["Span"]) -> dict[str, list[str]]:
    """Return the labels of each name in an article."""
    kinds: dict[str, list[str]] = {}
    for one in sentences:
        for entity in one.ents:
            kinds.setdefault(bare(entity), []).append(entity.label_)
    return kinds


def _runs(sentence: "Span") -> Iterator[list["Token"]]:
    """Yield each run of capitalized proper nouns."""
    run: list[Token] = []
    for word in sentence:
        if word.pos_ == "PROPN" and word.text[0].isupper():
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _things(sentence: "Span", place: int) -> Iterator[NamedThing]:
    """Yield the names with a noun in them: `Kessel Bridge`, `Lake Ostra`, `Ministry of Waters`, `city of Ulmen`."""
    for run in _runs(sentence):
        with_the = run[0].i > sentence.start and run[0].nbor(-1).lower_ == "the"
        name = " ".join(word.text for word in run)
        follower = _after_of(run[-1])
        whole = f"{name} of {follower}" if follower else name
        mention = Mention(run[0].idx, whole, NOUN, with_the, verb_of(run[-1]))
        nouns = {run[-1].lower_} if len(run) > 1 or follower else set()
        if len(run) == 2 and run[0].lower_ in _FIRST:
            nouns.add(run[0].lower_)
        yield from (NamedThing(place, noun, mention) for noun in sorted(nouns - PERSONS - _GENERIC))
    for word in sentence:
        if _is_named(word):
            mention = Mention(word.idx, f"{word.text} of {_after_of(word)}", NOUN, True, verb_of(word))
            yield NamedThing(place, word.lower_, mention)


def _after_of(word: "Token") -> str:
    """Return the run of proper nouns in `of X` after a word, or ""."""
    after = list(word.doc[word.i + 1 : word.sent.end])
    if not after or after[0].lower_ != "of":
        return ""
    names: list[str] = []
    for one in after[1:]:
        if one.pos_ != "PROPN" or not one.text[0].isupper():
            break
        names.append(one.text)
    return " ".join(names)
