"""The training examples for the steps of programs: the parts into which rules divide true claims.

If a true claim says that all its parts hold, each part is true. Unlike whole claims, parts are much shorter than the
evidence for them. Each drawn part becomes one example:

    entailed      the part unchanged, with all passages of its claim
    contradicted  the part with another number or name, or the one part in which a claim's false form differs
    neutral       the part with passages of other claims

Limitations: parts of false claims are not used, because they may be true.
"""

from collections.abc import Iterator, Sequence
from random import Random

from src.claims import ClaimText, LabelledClaim
from src.models.entailment import TitledText
from src.programs.decomposition.planner import planner
from src.programs.parsing.expression import And, Program, Variable
from src.programs.parsing.reader import read_program
from src.programs.records import Function
from src.records import Value
from src.training.entailment.examples import CONTRADICTED, ENTAILED, LONG, NEUTRAL, EntailmentExample
from src.training.entailment.neighbours import Neighbours, passages
from src.training.entailment.swaps import swapped

MOST = 3  # the most parts of a claim; one if its passages are long
SWAPPED, FOREIGN, NOISY = 0.35, 0.15, 0.3  # shares of the examples


def part_examples(claims: Sequence[LabelledClaim], seed: int) -> list[EntailmentExample]:
    """Return the examples of the true claims that rules divide into parts.

    The random choices for a claim depend on the seed, its key and the claims similar to it. Raises MissingExtra when
    the parser of the rules is not installed.
    """
    with_text = [claim for claim in claims if claim.gold]
    neighbours = Neighbours(with_text)
    parts, false_parts = parts_of([one.claim for one in with_text]), parts_of([one.negated for one in with_text])
    return [
        example
        for place, claim in enumerate(with_text)
        if claim.value is Value.TRUE
        for example in _Making(claim, neighbours.of(place), Random(f"parts\n{seed}\n{claim.key}")).examples(
            parts[place], false_parts[place]
        )
    ]


def parts_of(claims: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the parts of each claim, in the same order.

    A claim that is not divided, joins its parts by "or", or asks a question has none.
    """
    asked = [ClaimText(place, claim) for place, claim in enumerate(claims)]
    return [_parts(read_program(outcome.record.programs[0])) for outcome in planner().generate(asked)]


def _parts(program: Program) -> tuple[str, ...]:
    is_plain = isinstance(program.label, And) and all(isinstance(part, Variable) for part in program.label.parts)
    facts = all(step.function is Function.VERIFY for step in program.steps)
    return tuple(step.text for step in program.steps) if is_plain and facts else ()


class _Making:
    """The maker of the examples of one true claim."""

    def __init__(self, claim: LabelledClaim, foreign: Sequence[TitledText], draw: Random) -> None:
        self._own, self._foreign, self._draw = passages(claim), foreign, draw
        self._text = " ".join(text for _, text in self._own)

    def examples(self, parts: Sequence[str], of_false: Sequence[str]) -> Iterator[EntailmentExample]:
        most = 1 if len(self._text.split()) > LONG else MOST
        for part in self._draw.sample(parts, min(most, len(parts))):
            yield self._of(part)
        false = [part for part in of_false if part not in parts]
        if parts and len(false) == 1:
            yield self._shown(false[0], self._own, CONTRADICTED)

    def _of(self, part: str) -> EntailmentExample:
        chance = self._draw.random()
        if self._foreign and chance < FOREIGN:
            return self._shown(part, self._foreign[: len(self._own)], NEUTRAL)
        others = [other for _, other in self._foreign]
        false = swapped(part, self._text, others, self._draw) if chance < FOREIGN + SWAPPED else None
        noise = self._foreign[:1] if self._draw.random() < NOISY else []
        return self._shown(false or part, [*self._own, *noise], CONTRADICTED if false else ENTAILED)

    def _shown(self, text: str, shown: Sequence[TitledText], label: int) -> EntailmentExample:
        return EntailmentExample("part", (text, self._draw.sample(list(shown), len(shown))), label)
