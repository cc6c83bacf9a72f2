"""Coverage of gold answers by retrieved sentences, without a language model.

    W(a)       content words of a gold answer: its words in lower case, without stop words and without the claim's words
    together   |W(a) & words of all the sentences| >= |W(a)| / 2
    single     |W(a) & words of one sentence| >= |W(a)| / 2, for the best sentence

Only the first 300 words of the ranked sentences are read; without a limit the longest sentences of a claim's file score
better than every retriever. A word is a run of letters, digits and underscores. A Boolean answer is represented by its
explanation. Answers which say that nothing was found, and answers with fewer than four content words, are left out.

This measure was made for this project. It complements Q+A METEOR (`src/evaluation/averitec.py`), which also rewards the
wording of questions.

Limitations: compares words, not meaning. A paraphrased answer is not covered, and a sentence that denies an answer
covers it.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from src.records import Answer, AnswerType, Claim
from src.text import stop_words

READ = 300  # most words of the ranked sentences that are read
FEWEST = 4  # fewest content words of an answer that counts

_WORD = re.compile(r"\w+")


class Covered(msgspec.Struct, frozen=True):
    """Coverage of a claim's gold answers.

    `answers`: number of gold answers that count.
    `together`: number of these answers that all sentences together cover.
    `single`: number of these answers that a single sentence covers.
    """

    answers: int
    together: int
    single: int


def answer_words(claim: Claim) -> list[frozenset[str]]:
    """Return the content words of each gold answer that counts, in file order.

    Raises MissingExtra if the list of stop words is not installed.
    """
    without = stop_words() | set(_words(claim.claim))
    answers = (answer for question in claim.questions for answer in question.answers)
    content = (frozenset(_words(_text_of(answer))) - without for answer in answers)
    return [words for words in content if len(words) >= FEWEST]


def cover(answers: Sequence[frozenset[str]], ranked: Sequence[str]) -> Covered:
    """Return how many gold answers the retrieved sentences cover.

    `answers` has the content words of each answer (`answer_words`); `ranked` are the sentences, best first.
    """
    sentences = _first_words(ranked)
    together = set().union(*sentences)
    return Covered(
        answers=len(answers),
        together=sum(_half(answer, together) for answer in answers),
        single=sum(any(_half(answer, sentence) for sentence in sentences) for answer in answers),
    )


def _half(answer: frozenset[str], words: set[str]) -> bool:
    """Return True if `words` contains at least half of the words of the answer."""
    return 2 * len(answer & words) >= len(answer)


def _first_words(ranked: Sequence[str]) -> list[set[str]]:
    """Return the set of words of each sentence; words after the first `READ` words of all sentences are ignored."""
    left, word_sets = READ, list[set[str]]()
    for sentence in ranked:
        words = list(islice(_words(sentence), left))
        left -= len(words)
        word_sets.append(set(words))
    return word_sets


def _words(text: str) -> Iterator[str]:
    return (word[0] for word in _WORD.finditer(text.lower()))


def _text_of(answer: Answer) -> str:
    """Return the text that represents a gold answer: a Boolean answer's explanation, "" if unanswerable."""
    match answer.answer_type:
        case AnswerType.UNANSWERABLE:
            return ""
        case AnswerType.BOOLEAN:
            return answer.boolean_explanation or ""
        case _:
            return answer.answer
