"""Search questions for a claim, written by a language model.

Limitations: a line of the answer that is no question is dropped and counted. Missing questions are not replaced.
"""

import re

import msgspec

from src.llm.protocol import LanguageModel, Request
from src.prompts import load
from src.records import Claim

TOKENS = 48  # of the answer, for each question
ROLE = "search_questions"
_NUMBER = re.compile(r"^\s*(?:[-*\u2022]+|\(?\d{1,2}[.):]|Q\d{0,2}[.:)])\s*", re.IGNORECASE)


class Questions(msgspec.Struct, frozen=True):
    """Questions of a model; `unusable` counts the lines of its answer that were no questions."""

    texts: list[str] = []
    unusable: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0

    def counts(self) -> dict[str, int]:
        """Return the counts for the manifest."""
        return {
            "questions": len(self.texts),
            "unusable_questions": self.unusable,
            "prompt_tokens": self.prompt_tokens,
            "new_tokens": self.new_tokens,
        }


def write_questions(model: LanguageModel, claim: Claim, number: int) -> Questions:
    """Return at most `number` different questions. Raises ModelError when the model does not answer."""
    (reply,) = model.complete([_request(claim, number)])
    texts, unusable = read_questions(reply.text)
    return Questions(texts[:number], unusable, reply.prompt_tokens, reply.new_tokens)


def _request(claim: Claim, number: int) -> Request:
    prompt = load("search_questions").substitute(
        number=number,
        claim=claim.claim.strip(),
        speaker=claim.speaker or "not known",
        date=claim.claim_date or "not known",
    )
    return Request(prompt, chat=True, max_new_tokens=TOKENS * number, role=ROLE)


def read_questions(answer: str) -> tuple[list[str], int]:
    """Return the different questions of an answer, one a line, and the number of lines that are none."""
    lines = [_NUMBER.sub("", line).strip(" \t\"'*\u201c\u201d") for line in answer.splitlines()]
    questions = [line for line in lines if line.endswith("?") and len(line.split()) > 1]
    return list(dict.fromkeys(questions)), sum(map(bool, lines)) - len(questions)
