"""Rule-based generator of programs: a parser splits a claim into clauses, and each becomes a separate step.

No language model is used. Text that the rules do not split is verified unchanged. Every content word of a claim must
occur in some step.

Limitations: English only. A claim in another language is verified as a whole. So is one that would lose a word, or
have a step that does not read as a statement.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

from src.claims import ClaimText
from src.llm.protocol import ModelInfo
from src.programs.decomposition.groups import GRAINS, Grain, claim_plan
from src.programs.decomposition.mentions import TAKEN_UP
from src.programs.decomposition.parsing import ASIDES, parsed
from src.programs.decomposition.phrases import SUBJECTS, Answer, core, infinitive
from src.programs.decomposition.plans import Fact, Writer, splits_of
from src.programs.decomposition.statements import are_questions, are_statements
from src.programs.parsing.expression import Program, canonical
from src.programs.parsing.reader import MOST_STEPS
from src.programs.records import ClaimPrograms, Function
from src.programs.whole_claim import LONGEST_CLAIM, fallback, plain, reads_back
from src.runner.outcome import Outcome
from src.spacy_pipelines import FROM_PYPI, load

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_CONTENT_TAGS = {"NOUN", "PROPN", "NUM", "VERB", "ADJ", "SYM", "X"}
_REPLACED_BY_ANSWERS = ("other", "same")
_WORD = re.compile(r"\w+")


def lost(claim: "Doc", texts: Iterable[str]) -> list[str]:
    """Return the content words and negations of the claim that no text contains in any form.

    Content words are names, numbers, nouns, verbs and adjectives.
    """
    present = {word for text in texts for word in _WORD.findall(_denials(text.casefold()))}
    missing = [word for aside in claim.user_data[ASIDES].values() for word in _WORD.findall(plain(aside).casefold())]
    missing = [word for word in missing if word not in present]
    for token in claim:
        is_content = token.pos_ in _CONTENT_TAGS or token.dep_ == "neg" or " " in token.text
        if not is_content or token.lower_ in _REPLACED_BY_ANSWERS or token.i in claim.user_data[TAKEN_UP]:
            continue
        words = _WORD.findall(_denials(plain(token.text).casefold()))
        forms = {token.lemma_.casefold(), f"{token.lemma_.casefold()}s", f"{token.lemma_.casefold()}es"}
        known = [words, _WORD.findall(infinitive(token).casefold())]
        if not (any(all(word in present for word in some) for some in known) or forms & present):
            missing.append(token.text)
    return missing


def _denials(text: str) -> str:
    """Return the text with contracted negations written out: `was not` for `wasn't`."""
    return re.sub("n['\N{RIGHT SINGLE QUOTATION MARK}]t\\b", " not", text).replace("cannot", "can not")


NO_MODEL = "none"  # value of --llm
MOST_PLACES, MOST_KEPT = 8, 3  # most places to try, and most places that are not split at once
MOST_WORDS = 300  # of a claim that is split; longer parses are unreliable


class Planner:
    """Rule-based generator of one program per claim. `info` names the parser, for the manifest."""

    def __init__(self, language: "Language") -> None:
        self._language = language
        meta = language.meta
        name = f"{meta['lang']}_{meta['name']}"
        self.info = ModelInfo(NO_MODEL, "spacy", name, details={"version": str(meta["version"])})

    def generate(self, claims: Sequence[ClaimText]) -> list[Outcome[ClaimPrograms]]:
        texts = [one.claim if len(one.claim) <= LONGEST_CLAIM else "" for one in claims]
        with self._language.memory_zone():
            programs = self.programs_of(list(parsed(self._language, texts)))
        return [_outcome(claim, program) for claim, program in zip(claims, programs, strict=True)]

    def programs_of(self, claims: Sequence["Doc"]) -> list[Program | None]:
        """Return for each claim the program with the most splits whose steps all read well.

        Return None if the claim is one fact.
        """
        finest = self._sound([_finest(claim) for claim in claims])
        coarser = [_coarser(claim) if one is None else [] for claim, one in zip(claims, finest, strict=True)]
        return [one or other for one, other in zip(finest, self._sound(coarser), strict=True)]

    def _sound(self, programs: Sequence[Sequence[Program]]) -> list[Program | None]:
        """Return for each claim the first of its programs whose steps all read well; None if there is none."""
        texts = {(step.function, step.text) for each in programs for one in each for step in one.steps}
        sound: set[tuple[Function, str]] = set()
        for function, read in ((Function.VERIFY, are_statements), (Function.QUESTION, are_questions)):
            own = sorted(text for kind, text in texts if kind is function)
            good = read(self._language, own)
            sound |= {(function, text) for text, is_good in zip(own, good, strict=True) if is_good}
        return [
            next((one for one in each if all((step.function, step.text) in sound for step in one.steps)), None)
            for each in programs
        ]


def _outcome(claim: ClaimText, program: Program | None) -> Outcome[ClaimPrograms]:
    """Return the program of a claim with counts; without a program, the one that verifies the claim as a whole.

    A claim that is one fact does not count as failed. A claim without words, or with more than LONGEST_CLAIM
    characters, does.
    """
    text = fallback(claim.claim) if program is None else canonical(program)
    failed = len(claim.claim) > LONGEST_CLAIM or not reads_back(text)
    counts = {"programs": 1, "whole_claims": int(program is None), "fallback_programs": int(failed)}
    return Outcome(ClaimPrograms(claim.claim_id, claim.claim, [text], [failed]), counts)


def _finest(claim: "Doc") -> list[Program]:
    """Return a one-item list with the program that has all possible splits; empty if the claim is one fact."""
    program = _program(claim, GRAINS[0]) if _is_readable(claim) else None
    return [] if program is None else [program]


def _coarser(claim: "Doc") -> list[Program]:
    """Return programs with fewer splits than `_finest`, most steps first.

    They leave out one, two or three of the splits of `_finest`. Last come the programs of the other GRAINS: these make
    no splits of clauses, ask no questions, or join all sentences.
    """
    if not _is_readable(claim):
        return []
    places = sorted(splits_of(claim))
    most = MOST_KEPT if len(places) <= MOST_PLACES else 0
    unsplit = [some for count in range(1, most + 1) for some in combinations(places, count)]
    programs = [_program(claim, GRAINS[0], some) for some in unsplit]
    several = sorted((one for one in programs if one is not None), key=lambda one: -len(one.steps))
    others = [_program(claim, grain) for grain in GRAINS[1:]]
    return [*several, *(one for one in others if one is not None)]


def _is_readable(claim: "Doc") -> bool:
    return len(claim) <= MOST_WORDS and claim.text.count('"') % 2 == 0 and not claim.text.rstrip().endswith("?")


def _program(claim: "Doc", grain: Grain, unsplit: Sequence[int] = ()) -> Program | None:
    """Return the program of a claim; None if the claim is one fact, or if a part of it would be lost.

    The claim is not split at the words with the indexes (from 0) `unsplit`.
    """
    plan = claim_plan(claim, grain, unsplit)
    if plan is None or (isinstance(plan, Fact) and not _asks(plan)):
        return None
    writer = Writer(claim.user_data[ASIDES])
    label = writer.label(plan)
    texts = [step.text for step in writer.steps]
    if len(texts) > MOST_STEPS or lost(claim, texts) or max(map(len, texts)) > _most_characters(claim):
        return None
    program = Program(tuple(writer.steps), label, len(texts) + 1, ())
    return program if reads_back(canonical(program)) else None


def _most_characters(claim: "Doc") -> int:
    """Return the maximum length of a step: that of the claim and of its longest subject, which a step may repeat."""
    subjects = [core(word).phrase for word in claim if word.dep_ in SUBJECTS]
    longest = max((sum(len(word) + 1 for word in phrase) for phrase in subjects), default=0)
    return len(claim.text) + sum(len(aside) + 1 for aside in claim.user_data[ASIDES].values()) + longest


def _asks(fact: Fact) -> bool:
    return any(isinstance(piece, Answer) for piece in fact.phrase)


@cache
def planner() -> Planner:
    """Return the program generator with spaCy's small English pipeline.

    Raises MissingExtra when spaCy is not installed.
    """
    return Planner(load(FROM_PYPI, []))
