"""Bridge entities: things that a claim describes but does not name. For each, the program asks a question.

`The author of the novel that won the prize` becomes `Which novel won the prize?` and `Who is the author of
{answer_1}?`. Role nouns relate someone or something to another: `the author of Snow`, `the castle, seat of the king,`.
"""

from typing import TYPE_CHECKING

from src.programs.decomposition.mentions import COMPARED, article, fronted
from src.programs.decomposition.phrases import (
    ROLES,
    SPLIT_OFF,
    STATES,
    SUBJECTS,
    Answer,
    Answers,
    Phrase,
    Words,
    auxiliaries,
    is_cut,
    is_set_off,
    own_words,
    replaced,
    third_person,
    tokens,
)
from src.programs.decomposition.plans import Plan, is_unsplit, mapped, record_split
from src.programs.decomposition.relative_clauses import statement

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
    """Return the noun of an apposition that names a role: `seat` of `the castle, seat of the king,`.

    Return None without one.
    """
    titles = [child for child in noun.rights if child.dep_ == "appos"]
    if len(titles) != 1 or not is_set_off(titles[0]):
        return None
    title = titles[0]
    is_title = title.pos_ == "NOUN" and title.left_edge == title
    return title if is_title and any(child.lower_ == "of" for child in title.rights) else None


def asked_by_title(noun: "Token", words: Words) -> Phrase | None:
    """Return the question about a noun with an apposition that names a role; None without one.

    The question about `the castle, seat of the king,` is `Which castle is the seat of the king`.
    """
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
    """Return the lemmas of a noun; `writer/director` has two."""
    return {*noun.lemma_.lower().split("/")}


def asking_word(noun: "Token") -> str:
    """Return "who is" if the noun is the role of a person, else "what is"."""
    return "who is" if _names(noun) & _PERSONS else "what is"


def is_role(noun: "Token") -> bool:
    return noun.pos_ == "NOUN" and bool(_names(noun) & ((_PERSONS | _THINGS) - _SEVERAL))


_LINKING = ("of", "for", "with", "from", "behind", "on", "in", "to")
_MOST_LINKS = 2  # `the producer of works by Anna Berg`
_STANDING = {"associate", "base", "bury", "call", "consider", "house", "know", "locate", "name", "situate"}  # `is`
_TIMES = ("century", "date", "day", "decade", "month", "season", "time", "year")
_UNASKED = ("attr", "appos", "ROOT")
_RELATIVE = ("that", "which", "who", "whom")
_CLAUSES = ("relcl", "acl")
_KEPT = ("amod", "compound", "det", "nmod", "npadvmod", "nummod", "poss", "prep", "punct")


def with_answers(plan: Plan, known: Answers) -> Plan:
    """Return the plan with an answer placeholder instead of each noun that is described but not named.

    Each such noun has one question. `known` maps the index of a noun in the claim to its placeholder; new placeholders
    are added to it.
    """
    return mapped(plan, lambda phrase: _answered(phrase, known, None))


def _answered(phrase: Phrase, known: Answers, target: "Token | None") -> Phrase:
    """Return the phrase with answer placeholders instead of described nouns.

    Of nested nouns the outermost is replaced. If the phrase is a question, `target` is the noun that it asks for; that
    noun is not replaced.
    """
    for noun in tokens(phrase):
        if noun == target or noun.pos_ not in ("NOUN", "PROPN") or is_unsplit(noun):
            continue
        rest = replaced(phrase, noun, Answer(()))
        question = None if noun.i in known or not _has_predicate(rest) else _question(noun, phrase)
        if question is not None:
            record_split(noun)
            known[noun.i] = Answer(_answered(question, known, noun))
        if noun.i in known:
            return _answered(replaced(phrase, noun, known[noun.i]), known, target)
    return phrase


def _has_predicate(phrase: Phrase) -> bool:
    return any(word.pos_ in ("VERB", "AUX") for word in tokens(phrase)) or any(isinstance(one, str) for one in phrase)


def _question(noun: "Token", phrase: Phrase) -> Phrase | None:
    """Return the question that asks for the noun.

    Return None if no clause, participle or role (`the author of`) describes the noun, or if the question would not be
    sound.
    """
    _leave_aside(noun)
    words, inside = own_words(noun), set(tokens(phrase))
    if _is_unasked(noun) or noun.tag_ not in ("NN", "NNP") or not all(word in inside for word in words):
        return None
    if words[-1].i - words[0].i + 1 != len(words) or not _has_room(noun):
        return None
    if noun.lemma_ in _TIMES or article(noun) not in _articles(noun) or _is_ranked(noun) or is_cut(words):
        return None
    aside = noun.doc.user_data[SPLIT_OFF]
    after = [child for child in noun.rights if child.dep_ in _CLAUSES and child.i not in aside]
    if _runs_on(words) or _is_verb_behind(noun, words) or (noun.pos_ == "PROPN" and any(map(is_set_off, after))):
        return None
    joined = ("conj", "cc", "preconj", "predet", "case")
    if any(child.dep_ not in (*_KEPT, *_CLAUSES, *joined) for child in noun.children if child != title_of(noun)):
        return None
    if not after:
        return asked_by_title(noun, words) or _role(noun, words)
    before = [word for word in words if word.i < after[-1].left_edge.i]
    runs_on = noun.pos_ == "NOUN" and noun.nbor().pos_ == "PROPN" and not _opens_clause(noun, after[-1])
    if runs_on or any(word.lower_ == "as" for word in before):
        return None
    if any(word.text == "," or " " in word.text for word in before[:-1]) or any(
        word.i > after[-1].right_edge.i and not word.is_punct for word in words
    ):
        return None
    question = _which_question(after[-1], tuple(word for word in before if word.dep_ != "det" or word.head != noun))
    return tuple(one for one in question if isinstance(one, (str, Answer)) or one in words) if question else None


def _leave_aside(noun: "Token") -> None:
    """Exclude from the noun's description a participle that describes the answer; it remains in the fact.

    An example is `exposing crime` of `the author of Snow, exposing crime, died`.
    """
    clauses = [child for child in noun.rights if child.dep_ in _CLAUSES]
    for child in clauses:
        if child.dep_ == "acl" and is_set_off(child) and (child != clauses[0] or is_role(noun)):
            noun.doc.user_data[SPLIT_OFF].add(child.i)


def _is_unasked(noun: "Token") -> bool:
    """Return True for a noun for which no question is asked.

    Such a noun is the root, a noun after `is` (`Berg is a poet`), or an apposition. An exception is a role noun set off
    from a noun with `the`: `author` in `the poet, the author of Snow,`.
    """
    if noun.dep_ != "appos":
        return noun.dep_ in _UNASKED
    return not (is_set_off(noun) and is_role(noun) and noun.head.pos_ == "NOUN" and article(noun.head) == "the")


def _articles(noun: "Token") -> tuple[str, ...]:
    """Return the articles that the noun may have if a question asks for it.

    `a` and `an`, as in `a man who sang`, are among them only if the noun is the subject of its sentence.
    """
    if any(child.dep_ == "poss" and child.pos_ == "PROPN" for child in noun.children) and is_role(noun):
        return ("",)
    is_about = noun.dep_ in SUBJECTS and noun.head.dep_ == "ROOT" and any(c.dep_ in _CLAUSES for c in noun.rights)
    return ("the", "a", "an") if is_about else ("the",)


def _runs_on(words: Words) -> bool:
    """Return True if the parser may have ended a title too early: `the song Rain` of `the song Rain the City Down`."""
    end = words[-1].i + 1
    if end == len(words[-1].doc):
        return False
    is_open = words[-1].pos_ == "ADP" and words[-1].nbor().pos_ not in ("AUX", "CCONJ", "PUNCT", "VERB")
    return is_open or (words[-1].is_title and words[-1].nbor().tag_ in ("DT", "CD"))


def _is_verb_behind(noun: "Token", words: Words) -> bool:
    """Return True if a verb follows an object without punctuation between them: `features the film shown in Lorn`."""
    end = words[-1].i + 1
    return noun.dep_ == "dobj" and end < len(noun.doc) and noun.doc[end].tag_ in ("VBN", "VBD")


def _opens_clause(noun: "Token", verb: "Token") -> bool:
    """Return True if a clause without relative pronoun follows the noun: `the magazine Anna Berg wrote for`.

    The clause has only a person's name and a verb, and at most a preposition after the verb.
    """
    subjects = [child for child in verb.children if child.dep_ in SUBJECTS]
    if len(subjects) != 1 or subjects[0].ent_type_ != "PERSON" or subjects[0].left_edge.i != noun.i + 1:
        return False
    last = verb.right_edge
    return last == verb or (last.pos_ == "ADP" and not any(last.children))


def _has_room(noun: "Token") -> bool:
    """Return True if a name fits in the noun's place: the noun is not part of a name and not set off by commas."""
    if noun.dep_ in SUBJECTS or noun.dep_ == "appos":
        return True
    return noun.head.pos_ in ("NOUN", "PROPN") if noun.dep_ == "conj" else not is_set_off(noun)


def _which_question(verb: "Token", named: Words) -> Phrase | None:
    which: Phrase = ("which", *(word for word in named if word.text != "," and word.lower_ not in COMPARED))
    if verb.dep_ == "acl":
        predicate = None if is_set_off(verb) or auxiliaries(verb) else _state(verb)
        return (*which, *predicate) if predicate and not _is_open(predicate) else None
    sentence = statement(verb, which)
    if sentence is None:
        return _gapped(verb, which)
    if sentence.is_about and _is_open(sentence.phrase):
        return None
    starts = sentence.phrase[0] == "which"
    if not (sentence.is_about or _is_of_a_name(verb)) or (starts and not sentence.is_about and not _has_whose(verb)):
        return None
    return fronted(sentence.phrase, sentence.phrase.index("which"), len(which), verb)


def _is_open(phrase: Phrase) -> bool:
    """Return True if the phrase ends with a preposition that has lost its noun."""
    words = [word for word in tokens(phrase) if not word.is_punct]
    return bool(words) and words[-1].pos_ == "ADP" and words[-1].dep_ != "prt"


def _has_whose(verb: "Token") -> bool:
    return any(word.tag_ == "WP$" for word in verb.subtree)


def _gapped(verb: "Token", which: Phrase) -> Phrase | None:
    """Return a question with the words of the clause in their order; None if its form is unclear.

    An example is `which club was Berg the owner of?`.
    """
    words = [word for word in verb.subtree if word.tag_ not in ("WDT", "WP") and word.i != verb.left_edge.i]
    words = [verb.left_edge, *words] if verb.left_edge.lower_ not in _RELATIVE else words
    if not words or any(word.tag_ in ("WRB", "WP$") for word in words) or not _is_of_a_name(verb):
        return None
    stranded = [word for word in words if word.pos_ == "ADP" and word.dep_ == "prep" and not any(word.children)]
    if (
        len(stranded) != 1
        or words[0].pos_ == "ADP"
        or len(words) < sum(1 for _ in verb.subtree) - 1
        or words[0] == verb
    ):
        return None
    return fronted((*words, *which), len(words), len(which), verb)


def _state(verb: "Token") -> Phrase | None:
    """Return a participle as a predicate: `was written by Berg`, `stars Berg`; None if it is unclear."""
    if verb.tag_ == "VBN" and any(child.dep_ in ("agent", "prep", "oprd") for child in verb.children):
        has_agent = any(child.dep_ == "agent" for child in verb.children)
        return ("is" if verb.lemma_ in _STANDING and not has_agent else "was", *verb.subtree)
    if verb.tag_ == "VBG" and verb.lemma_ in STATES and verb.left_edge == verb:
        return (third_person(verb.lemma_), *tuple(verb.subtree)[1:])
    return None


def _is_of_a_name(verb: "Token") -> bool:
    """Return True if the subject of the clause is a name, so that its question has one answer.

    An example is `Berg plays for which team?`.
    """
    subjects = [child for child in verb.children if child.dep_ in SUBJECTS]
    return any(word.pos_ == "PROPN" or word.tag_ == "WP$" for child in subjects for word in child.subtree)


def _role(noun: "Token", words: Words) -> Phrase | None:
    """Return the question for a role, such as `the author of` a name or of a described thing; None if there is none."""
    if not is_role(noun) or any(word.lower_ == "both" for word in words) or noun.right_edge == noun:
        return None
    last = next((child for child in noun.rights if child.dep_ == "conj" and child in words), noun)
    links = [child for child in last.rights if child.dep_ == "prep"] or [
        child for child in noun.rights if child.dep_ == "prep" and child.i > last.i
    ]
    objects = [child for child in links[0].children if child.dep_ == "pobj"] if links else []
    if not 1 <= len(links) <= _MOST_LINKS or links[0].lower_ not in _LINKING or len(objects) != 1:
        return None
    inner = objects[0]
    if any(child.dep_ in ("conj", "cc") for child in inner.children):
        return None
    is_known = any(word.pos_ == "PROPN" or " " in word.text for word in words if word.i > links[0].i)
    return (asking_word(noun), *words) if is_known or _question(inner, tuple(inner.subtree)) is not None else None


def _is_ranked(noun: "Token") -> bool:
    return any(child.tag_ in ("JJS", "RBS") or child.ent_type_ == "ORDINAL" for child in noun.children)
