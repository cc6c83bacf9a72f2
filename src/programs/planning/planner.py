"""Programs by rules: a claim's clauses, taken apart by a parser, each of them a step that can be checked alone.

No language model is asked. What the rules do not take apart is verified as it stands.

But: English only. A claim of another language, of which a word would be lost, or of which a step would read as no
statement, is verified as a whole.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from src.claims.texts import ClaimText
from src.llm.protocol import ModelInfo
from src.programs.planning.bridges import with_answers
from src.programs.planning.clauses import sentence_plan
from src.programs.planning.coverage import lost
from src.programs.planning.mentions import TAKEN_UP, taken_up, with_mentions
from src.programs.planning.misreadings import is_misread
from src.programs.planning.parsing import ASIDES, parsed
from src.programs.planning.phrases import Answer
from src.programs.planning.plans import Fact, Plan, all_of
from src.programs.planning.statements import are_statements
from src.programs.planning.subjects import SUBJECTS, Subject, core, subject_of
from src.programs.planning.writer import Writer
from src.programs.program import Program, canonical
from src.programs.reading.findings import MOST_STEPS
from src.programs.records import ClaimPrograms, Function
from src.programs.whole_claim import LONGEST_CLAIM, fallback, reads_back
from src.runner.outcome import Outcome
from src.spacy_pipelines import FROM_PYPI, load

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_REFERRING = {"so", "neither", "nor", "one"}  # `So did Berg`
NO_MODEL = "none"  # as --llm names it
MOST_WORDS = 300  # of a claim that is taken apart; a parse of more is no longer reliable


class Planner:
    """Writes one program a claim. `info` names the parser."""

    def __init__(self, language: "Language") -> None:
        self._language = language
        meta = language.meta
        name = f"{meta['lang']}_{meta['name']}"
        self.info = ModelInfo(NO_MODEL, "spacy", name, details={"version": str(meta["version"])})

    def generate(self, claims: Sequence[ClaimText]) -> list[Outcome[ClaimPrograms]]:
        texts = [one.claim if len(one.claim) <= LONGEST_CLAIM else "" for one in claims]
        with self._language.memory_zone():
            programs = self._sound([program_of(doc) for doc in parsed(self._language, texts)])
        return [_outcome(claim, program) for claim, program in zip(claims, programs, strict=True)]

    def _sound(self, programs: Sequence[Program | None]) -> list[Program | None]:
        """None in the place of a program of which a step reads as no statement."""
        facts = [
            (at, step.text)
            for at, program in enumerate(programs)
            for step in (program.steps if program else ())
            if step.function is Function.VERIFY
        ]
        good = are_statements(self._language, [text for _, text in facts])
        bad = {at for (at, _), is_good in zip(facts, good, strict=True) if not is_good}
        return [None if at in bad else program for at, program in enumerate(programs)]


def _outcome(claim: ClaimText, program: Program | None) -> Outcome[ClaimPrograms]:
    """A claim that is one fact is no failure; one without words, or of which a part is left out, is."""
    text = fallback(claim.claim) if program is None else canonical(program)
    failed = len(claim.claim) > LONGEST_CLAIM or not reads_back(text)
    counts = {"programs": 1, "whole_claims": int(program is None), "fallback_programs": int(failed)}
    return Outcome(ClaimPrograms(claim.claim_id, claim.claim, [text], [failed]), counts)


def program_of(claim: "Doc") -> Program | None:
    """The program of a claim; None where it is one fact, or cannot be taken apart without loss."""
    is_readable = len(claim) <= MOST_WORDS and claim.text.count('"') % 2 == 0 and not claim.text.rstrip().endswith("?")
    found = _plan(claim) if is_readable else None
    if found is None or (isinstance(found, Fact) and not _asks(found)):
        return None
    writer = Writer(claim.user_data[ASIDES])
    label = writer.label(found)
    texts = [step.text for step in writer.steps]
    if len(texts) > MOST_STEPS or lost(claim, texts) or max(map(len, texts)) > _most_characters(claim):
        return None
    program = Program(tuple(writer.steps), label, len(texts) + 1, ())
    return program if reads_back(canonical(program)) else None


def _most_characters(claim: "Doc") -> int:
    """Those of the claim, and of its longest subject, which a step may repeat."""
    subjects = [core(word).phrase for word in claim if word.dep_ in SUBJECTS]
    longest = max((sum(len(word) + 1 for word in phrase) for phrase in subjects), default=0)
    return len(claim.text) + sum(len(aside) + 1 for aside in claim.user_data[ASIDES].values()) + longest


def _plan(claim: "Doc") -> Plan | None:
    parts: list[Plan] = []
    before: list[Subject] = []
    links = taken_up(claim)
    if links is None or is_misread(claim):
        return None
    claim.user_data[TAKEN_UP] = links
    for sentence in claim.sents:
        if parts and sentence[0].lower_ in _REFERRING:
            return None
        found = sentence_plan(sentence.root, tuple(reversed(before)))
        if found is None:
            return None
        parts.append(found)
        subject = subject_of(sentence.root)
        before += [subject] if subject else []
    if not parts:
        return None
    return with_mentions(with_answers(all_of(*parts)), claim)


def _asks(fact: Fact) -> bool:
    return any(isinstance(piece, Answer) for piece in fact.phrase)


@cache
def planner() -> Planner:
    """Loads spaCy's small English pipeline. Raises MissingExtra."""
    return Planner(load(FROM_PYPI, []))
