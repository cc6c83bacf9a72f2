"""Prompts of a judge: our own, or those of a folder.

A folder has the files `ev2r_questions.md` and `ev2r_evidence.md`. Their places for the texts are those of Python's
`str.format`: `{claim}`, `{reference}` and `{predicted}`, or three `{}` in this order; other braces are doubled. The
prompts of the official scorers have this form. Texts are laid out in them as in these scorers, except that a question
that is repeated is printed once.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import msgspec

from src.errors import InputError, one_line
from src.ev2r.answers import read_official, read_own, schema
from src.ev2r.records import Judged
from src.ev2r.texts import ClaimTexts, Inputs, Pair
from src.llm.protocol import Reply
from src.prompts import fenced, load
from src.store import read_bytes

QUESTIONS, EVIDENCE = "ev2r_questions", "ev2r_evidence"  # roles of the requests, and names of the prompts


@dataclass(frozen=True)
class JudgePrompts:
    """The two prompts of a judge.

    `texts`: template of the prompt by role.
    `fill`: function of role, claim, reference and predicted text that returns the prompt.
    `lay_out_questions`, `lay_out_pairs`: functions that print the questions and the pairs of one side.
    `read`: parser of the answer.
    `schema`: JSON schema of the answer; "": none.
    """

    texts: dict[str, str]
    fill: Callable[[str, str, str, str], str]
    lay_out_questions: Callable[[Sequence[str]], str]
    lay_out_pairs: Callable[[Sequence[Pair]], str]
    read: Callable[[Reply], Judged]
    schema: str = ""

    @cached_property
    def sha256(self) -> str:
        """Return the SHA-256 of both prompts and the schema."""
        return hashlib.sha256(msgspec.json.encode((self.texts, self.schema))).hexdigest()

    def of_questions(self, texts: ClaimTexts) -> str:
        """Return the prompt that compares the questions of a claim."""
        sides = (self.lay_out_questions(side) for side in (texts.reference_questions, texts.predicted_questions))
        return self.fill(QUESTIONS, texts.claim, *sides)

    def of_evidence(self, texts: ClaimTexts) -> str:
        """Return the prompt that compares the question-answer pairs of a claim."""
        return self.fill(
            EVIDENCE, texts.claim, self.lay_out_pairs(texts.reference), self.lay_out_pairs(texts.predicted)
        )


def own_prompts() -> JudgePrompts:
    """Return the prompts of this project. Page text in them is fenced: it cannot add lines."""
    return JudgePrompts(
        {role: load(role).template for role in (QUESTIONS, EVIDENCE)},
        _filled,
        _numbered,
        lambda pairs: _numbered([pair.text for pair in pairs]),
        read_own,
        schema(),
    )


def _filled(role: str, claim: str, reference: str, predicted: str) -> str:
    return load(role).substitute(claim=one_line(claim), reference=reference, predicted=predicted)


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {fenced(text)}" for number, text in enumerate(texts, start=1)) or "(none)"


def folder_prompts(folder: Path, inputs: Inputs) -> JudgePrompts:
    """Return the prompts of a folder, with the official layout of the texts and the official form of answers.

    Raises InputError when a file is missing, or its places are not those of `str.format`.
    """
    texts = {role: _template(folder / f"{role}.md") for role in (QUESTIONS, EVIDENCE)}
    lay_out = str if inputs is Inputs.EVALAI else " ".join
    return JudgePrompts(
        texts,
        partial(_formatted, texts),
        lambda questions: lay_out(list(questions)),
        lambda pairs: "".join(f"{pair.question}\t\t\n{pair.answer}\t\t\n\n" for pair in pairs),
        read_official,
    )


def _template(path: Path) -> str:
    text = read_bytes(path).decode(errors="replace")
    marks = ("first mark", "second mark", "third mark")
    try:
        filled = _formatted({"": text}, "", *marks)
    except (AttributeError, IndexError, KeyError, ValueError) as error:
        message = f"its places for texts are not {{claim}}, {{reference}} and {{predicted}} ({error})"
        raise InputError(message, path=path) from None
    if missing := [mark for mark in marks[1:] if mark not in filled]:
        message = f"has no place for the {'reference' if missing[0] == marks[1] else 'predicted'} text"
        raise InputError(message, path=path)
    return text


def _formatted(texts: dict[str, str], role: str, claim: str, reference: str, predicted: str) -> str:
    return texts[role].format(claim, reference, predicted, claim=claim, reference=reference, predicted=predicted)
