"""What one fact brings up and another takes up, as in `played in a band. The band won`: it is asked for, then named."""

from typing import TYPE_CHECKING

from src.programs.planning.phrases import Answer, Phrase, replaced, tokens
from src.programs.planning.plans import Plan, facts, mapped
from src.programs.planning.subjects import SUBJECTS, is_set_off

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

TAKEN_UP = "taken_up"  # in a parsed claim's user_data: the place of a noun, and of the one that brought it up
_NEW = ("a", "an", "another", "this", "these")
_AGAIN = ("the", "this", "that", "these", "those")
_POINTING = ("this", "that", "these", "those")
_COMPARED = ("other", "same", "latter", "former")


def taken_up(claim: "Doc") -> dict[int, int] | None:
    """For each noun with `the` or `this` the last one before, in an earlier sentence, that has its word and is new.

    None where a noun is taken up that no earlier one brings up, or more than one may be meant.
    """
    found: dict[int, int] = {}
    for noun in claim:
        if noun.pos_ != "NOUN" or article(noun) not in _AGAIN or noun.sent.start == 0:
            continue
        before = [one for one in claim[: noun.sent.start] if one.lemma_ == noun.lemma_ and one.pos_ == "NOUN"]
        known = (*_NEW, "the") if article(noun) in _POINTING else _NEW
        new = [one for one in before if article(one) in known and one.tag_ == noun.tag_ and not _is_list(one)]
        if new and not _is_described(noun):
            found[noun.i] = new[-1].i
        elif new or (not _is_described(noun) and (before or _is_open(noun))):
            return None
    return found


def with_mentions(plan: Plan, claim: "Doc") -> Plan | None:
    """The plan with one answer for each noun that is brought up in one fact and meant in another.

    None where no fact can ask for what another takes up.
    """
    for noun in claim:
        again = [claim[at] for at, first in claim.user_data[TAKEN_UP].items() if first == noun.i]
        if not again and (noun.pos_ != "NOUN" or article(noun) not in _NEW):
            continue
        using = [phrase for phrase in facts(plan) if _uses(phrase, [noun, *again])]
        bringing = [phrase for phrase in using if _brings(phrase, noun, again)]
        if bringing and len(using) > 1:
            plan = _Naming((noun, *again), Answer(_question(noun, bringing[0]))).plan(plan)
        elif again:
            return None
    return plan


def _uses(phrase: Phrase, nouns: list["Token"]) -> bool:
    return any(noun in phrase for noun in nouns) or any(
        _uses(piece.question, nouns) for piece in phrase if isinstance(piece, Answer)
    )


def _brings(phrase: Phrase, noun: "Token", again: list["Token"]) -> bool:
    """Whether the fact says all of the noun, and rests on no answer that rests on the noun."""
    questions = [piece.question for piece in phrase if isinstance(piece, Answer)]
    own = set(tokens(phrase))
    return all(word in own for word in noun.subtree) and not any(_uses(one, [noun, *again]) for one in questions)


class _Naming:
    """Puts an answer in the places of nouns, in questions as well; each question stays one."""

    def __init__(self, nouns: tuple["Token", ...], answer: Answer) -> None:
        self._nouns, self._answer = nouns, answer
        self._changed: dict[Answer, Answer] = {answer: answer}

    def plan(self, plan: Plan) -> Plan:
        return mapped(plan, self._phrase)

    def _phrase(self, phrase: Phrase) -> Phrase:
        for noun in self._nouns:
            if noun in phrase:
                phrase = replaced(phrase, noun, self._answer)
        return tuple(self._within(piece) if isinstance(piece, Answer) else piece for piece in phrase)

    def _within(self, answer: Answer) -> Answer:
        if answer not in self._changed:
            question = self._phrase(answer.question)
            self._changed[answer] = answer if question == answer.question else Answer(question)
        return self._changed[answer]


def _question(noun: "Token", phrase: Phrase) -> Phrase:
    """The fact itself with `which` for the article: `she played in which band?`"""
    first = next(child for child in noun.children if child.dep_ == "det")
    return tuple("which" if piece == first else piece for piece in phrase)


def article(noun: "Token") -> str:
    articles = [child.lower_ for child in noun.children if child.dep_ == "det"]
    return articles[0] if len(articles) == 1 else ""


def _is_described(noun: "Token") -> bool:
    """Whether it has words of its own that say which one is meant."""
    return any(child.dep_ in ("relcl", "acl", "prep", "appos") and not is_set_off(child) for child in noun.children)


def _is_list(noun: "Token") -> bool:
    return any(child.dep_ == "conj" for child in noun.children)


def _is_open(noun: "Token") -> bool:
    """Whether it says nothing of which thing is meant: `this area`, `the other writer`, `the owner` as a subject."""
    words = [child.lower_ for child in noun.children]
    is_named = any(word.pos_ in ("PROPN", "NUM") for word in noun.subtree)
    return article(noun) in _POINTING or bool(set(words) & set(_COMPARED)) or (noun.dep_ in SUBJECTS and not is_named)
