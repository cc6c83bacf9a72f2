"""Training examples of an entailment model: claims with decisive evidence, and variants of claims and evidence.

    whole     a claim of HOVER or FEVEROUS-S with all its gold passages: entailed or contradicted
    negated   a true claim's false form with the same passages: contradicted
    noisy     a claim with its passages and some of other claims: the label of "whole"
    partial   a true claim without one of its passages: neutral
    foreign   a claim with passages of the most similar claims (BM25): neutral
    swapped   a true claim with another number or name: contradicted
    sentence  a sentence of a passage: entailed by the claim's passages; contradicted if a number or name is swapped;
              neutral with other passages
    averitec  a claim of AVeriTeC with its gold answers: supported, refuted, not enough evidence
    part      a part of a true claim, as rules divide it into the steps of a program: entailed; contradicted if a number
              or name is swapped, or if it is the one part in which a claim's false form differs; neutral with passages
              of other claims

Parts are much shorter than the evidence for them, unlike whole claims. Parts of false claims are not used, because they
may be true.

Limitations: HOVER's claims that are not supported count as contradicted, but some of them are only undecided. Names and
numbers to swap are recognized by capital letters and digits, and some changed sentences are still true.
"""

import re
from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from src.claims import ClaimText, LabelledClaim
from src.evaluation.averitec import gold_pairs
from src.models.entailment import LABELS, TitledText
from src.models.evidence_rows import Input
from src.programs.decomposition.planner import planner
from src.programs.parsing.expression import And, Program, Variable
from src.programs.parsing.reader import read_program
from src.programs.records import Function
from src.records import Claim, Value, Verdict
from src.reranking.bm25 import BM25
from src.text import numbered_words, sentences, words

NEAR = 12  # passages of other claims, from which foreign ones are drawn

_NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w'.-]*(?: (?:of |the |de |von )?[A-Z][\w'.-]*)*")
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_ALONE = (
    "A post that is being shared widely says: {claim}",
    "{claim} Share this before it is taken down!",
    "{claim} That is what everyone here is saying.",
    'A user wrote: "{claim}"',
    "Have you heard? {claim}",
    "Many people on social media claim the following. {claim}",
    'The flyer reads: "{claim}"',
    "In a video that went around, a man says: {claim}",
    "{claim} I was told so by a friend of a friend.",
    "According to a message in a group chat: {claim}",
    "The campaign repeated its message on Monday: {claim}",
    "It has been alleged that the following is true: {claim}",
    '"{claim}" Comments: 214. Likes: 1,873.',
    "We say it again: {claim} Join us on Saturday!",
    "The rumor is an old one: {claim}",
    "Critics of the plan keep asking whether this is so: {claim}",
)
_BEFORE = (
    "A post says: {claim}",
    'Readers asked us about this sentence: "{claim}"',
    "It is often said that: {claim}",
    '"{claim}", a message in a group chat claims.',
    "Claim: {claim}",
)
ENTAILED, CONTRADICTED, NEUTRAL = range(len(LABELS))
OF_VERDICT = {
    Verdict.SUPPORTED: ENTAILED,
    Verdict.REFUTED: CONTRADICTED,
    Verdict.NOT_ENOUGH_EVIDENCE: NEUTRAL,
}
FOREIGN = 4  # the most passages of other claims
SHORTEST = 6  # the fewest words of a sentence that is a hypothesis
LONG = 150  # words of a claim's passages, above which fewer examples are made of it
MOST_PARTS = 3  # the most parts of a claim; one if its passages are long
PART_SWAPPED, PART_FOREIGN, PART_NOISY = 0.35, 0.15, 0.3  # shares of the examples


def passages(claim: LabelledClaim) -> list[TitledText]:
    """Return the gold passages of a claim as pairs of title and text."""
    return [(one.url, one.sentence) for one in claim.gold]


class Neighbours:
    """BM25 index of the passages of all claims."""

    def __init__(self, claims: Sequence[LabelledClaim]) -> None:
        self._claims = claims
        self._pool = [(place, one) for place, claim in enumerate(claims) for one in passages(claim)]
        self._index = BM25.of(numbered_words([f"{title} {text}" for _, (title, text) in self._pool]))

    def of(self, place: int) -> list[TitledText]:
        """Return up to NEAR passages of other claims: those most similar to the claim at index `place`, best first.

        Passages from pages of the claim's own evidence are left out.
        """
        own = set(passages(self._claims[place]))
        titles = set(self._claims[place].titles)
        ranked = (self._pool[at] for at in self._index.top(words(self._claims[place].claim), NEAR + 2 * len(own)))
        foreign = [one for _, one in ranked if one not in own and one[0] not in titles]
        return list(dict.fromkeys(foreign))[:NEAR]


def swapped(sentence: str, evidence: str, elsewhere: Sequence[str], draw: Random) -> str | None:
    """Return the sentence with one number or name replaced, so that its evidence contradicts it.

    Only a number or name that is also in `evidence` is replaced; None if there is none. A year is moved by 1 to 20
    years, and another number gets one different digit. A name is replaced by a name from the evidence or from the texts
    `elsewhere`.
    """
    numbers = [match for match in _NUMBER.finditer(sentence) if match[0] in evidence]
    names = [match for match in _NAME.finditer(sentence) if match[0] in evidence]
    chosen = draw.choice([*numbers, *names]) if numbers or names else None
    if chosen is None:
        return None
    other = (
        _other_number(chosen[0], draw)
        if chosen in numbers
        else _other_name(chosen[0], sentence, [evidence, *elsewhere], draw)
    )
    return None if other is None else sentence[: chosen.start()] + other + sentence[chosen.end() :]


def _other_number(number: str, draw: Random) -> str:
    """Return another number: a year moved by 1 to 20, or a number with one digit changed."""
    if _YEAR.fullmatch(number):
        return str(int(number) + draw.choice([-1, 1]) * draw.randint(1, 20))
    places = [place for place, digit in enumerate(number) if digit.isdigit()]
    place = draw.choice(places)
    other = draw.choice([digit for digit in "123456789" if digit != number[place]])
    return number[:place] + other + number[place + 1 :]


def _other_name(name: str, sentence: str, texts: Sequence[str], draw: Random) -> str | None:
    """Return a name from one of the texts, drawn at random, that is not in the sentence; None if there is none.

    Names with as many words as `name` are preferred.
    """
    names = {one[0] for one in _NAME.finditer(draw.choice(texts))}
    others = sorted(one for one in names if one not in sentence and one not in name and name not in one)
    alike = [one for one in others if one.count(" ") == name.count(" ")] or others
    return draw.choice(alike) if alike else None


def restated(claim: str, draw: Random) -> str:
    """Return a sentence that repeats the claim without evidence, such as "Have you heard? CLAIM"."""
    return draw.choice(_ALONE).format(claim=_with_stop(claim))


def quoted_before(claim: str, evidence: str, draw: Random) -> str:
    """Return the evidence with a sentence before it that quotes the claim."""
    return f"{draw.choice(_BEFORE).format(claim=_with_stop(claim))} {evidence}"


def _with_stop(claim: str) -> str:
    text = claim.strip()
    return text if text.endswith((".", "!", "?", '"')) else f"{text}."


class EntailmentExample(msgspec.Struct, frozen=True):
    """Training example of an entailment model.

    `kind`: how it was made, such as "whole" or "negated".
    `text`: hypothesis and passages.
    `label`: index into `LABELS`.
    """

    kind: str
    text: Input
    label: int


def whole(claim: LabelledClaim) -> EntailmentExample:
    """Return the example of a claim with all its gold passages: entailed if it is true, else contradicted."""
    label = ENTAILED if claim.value is Value.TRUE else CONTRADICTED
    return EntailmentExample("whole", (claim.claim, passages(claim)), label)


def labelled_examples(claims: Sequence[LabelledClaim], seed: int) -> list[EntailmentExample]:
    """Return the training examples of all claims that have evidence.

    The random choices for a claim depend only on the seed, the claim's key and the claims similar to it.
    """
    with_text = [claim for claim in claims if claim.gold]
    neighbours = Neighbours(with_text)
    return [
        example
        for place, claim in enumerate(with_text)
        for example in _Making(claim, neighbours.of(place), Random(f"{seed}\n{claim.key}")).examples()
    ]


def averitec_examples(claims: Sequence[Claim], seed: int) -> list[EntailmentExample]:
    """Return a training example of each AVeriTeC claim with evidence, except those with conflicting evidence.

    In half of the examples, answers are shown without their questions.
    """
    examples = []
    for claim in claims:
        label, pairs = OF_VERDICT.get(claim.label) if claim.label else None, gold_pairs(claim)
        if label is not None and pairs:
            bare = Random(f"{seed}\n{claim.claim}").random() < 0.5
            shown = [("", answer) for _, answer in pairs] if bare else pairs
            examples.append(EntailmentExample("averitec", (claim.claim, shown), label))
    return examples


class _Making:
    """Builder of the training examples of one claim; `foreign` are passages of similar claims."""

    def __init__(self, claim: LabelledClaim, foreign: Sequence[TitledText], draw: Random) -> None:
        self._claim, self._foreign, self._draw = claim, foreign, draw
        self._own = passages(claim)
        self._text = " ".join(text for _, text in self._own)
        self._whole = whole(claim)

    def examples(self) -> list[EntailmentExample]:
        """Return an example of the whole claim, one of its negation, and some of other kinds.

        Half of the other kinds that are possible are drawn; only one if the passages are long.
        """
        made = [self._of("whole", self._claim.claim, self._own, self._whole.label)]
        if self._claim.negated:
            made.append(self._of("negated", self._claim.negated, self._own, CONTRADICTED))
        ways = [self._noisy, self._of_sentence, self._another]
        ways += [self._swapped, self._partial] if self._claim.value is Value.TRUE else []
        few = 1 if len(self._text.split()) > LONG else (len(ways) + 1) // 2
        made += [way() for way in self._draw.sample(ways, few)]
        return [example for example in made if example is not None]

    def _another(self) -> EntailmentExample | None:
        return self._of("foreign", self._claim.claim, self._some(self._foreign), NEUTRAL)

    def _of(self, kind: str, hypothesis: str, shown: Sequence[TitledText], label: int) -> EntailmentExample | None:
        """Return an example with the passages `shown` in random order, or None if there are no passages."""
        shuffled = self._draw.sample(list(shown), len(shown))
        return EntailmentExample(kind, (hypothesis, shuffled), label) if shown else None

    def _some(self, pool: Sequence[TitledText]) -> list[TitledText]:
        """Draw 1 to FOREIGN passages of the pool."""
        return self._draw.sample(list(pool), min(len(pool), self._draw.randint(1, FOREIGN)))

    def _noisy(self) -> EntailmentExample | None:
        return self._of(
            "noisy", self._claim.claim, [*self._own, *self._some(self._foreign)[:2]], self._whole.label
        )  # fmt: skip

    def _swapped(self) -> EntailmentExample | None:
        false = swapped(self._claim.claim, self._text, [text for _, text in self._foreign], self._draw)
        return None if false is None else self._of("swapped", false, self._own, CONTRADICTED)

    def _partial(self) -> EntailmentExample | None:
        if len(self._own) < 2:
            return None
        lost = self._draw.randrange(len(self._own))
        rest = [one for place, one in enumerate(self._own) if place != lost]
        return self._of("partial", self._claim.claim, rest, NEUTRAL)

    def _of_sentence(self) -> EntailmentExample | None:
        source = self._draw.choice(self._own)
        long = [one for one in sentences(source[1]) if len(one.split()) >= SHORTEST]
        if not long:
            return None
        sentence, chance = self._draw.choice(long), self._draw.random()
        if chance < 0.3:
            return self._of("sentence", sentence, [one for one in self._own if one != source] or self._foreign, NEUTRAL)
        false = swapped(sentence, sentence, [text for _, text in self._foreign], self._draw) if chance < 0.65 else None
        if false is not None:
            return self._of("sentence", false, self._own, CONTRADICTED)
        return self._of("sentence", sentence, self._own, ENTAILED)


def part_examples(claims: Sequence[LabelledClaim], seed: int) -> list[EntailmentExample]:
    """Return training examples of parts of true claims (see `parts_of`); other claims give none.

    The random choices for a claim depend only on the seed, the claim's key and the claims similar to it. Raises
    MissingExtra when the parser of the rules is not installed.
    """
    with_text = [claim for claim in claims if claim.gold]
    neighbours = Neighbours(with_text)
    parts, false_parts = parts_of([one.claim for one in with_text]), parts_of([one.negated for one in with_text])
    return [
        example
        for place, claim in enumerate(with_text)
        if claim.value is Value.TRUE
        for example in _PartMaking(claim, neighbours.of(place), Random(f"parts\n{seed}\n{claim.key}")).examples(
            parts[place], false_parts[place]
        )
    ]


def parts_of(claims: Sequence[str]) -> list[tuple[str, ...]]:
    """Divide each claim, by rules, into parts that must all be true; return the parts of each claim, in order.

    A claim has no parts if it is not divided, joins its parts by "or", or needs a question answered.
    """
    texts = [ClaimText(place, claim) for place, claim in enumerate(claims)]
    return [_parts(read_program(outcome.record.programs[0])) for outcome in planner().generate(texts)]


def _parts(program: Program) -> tuple[str, ...]:
    is_plain = isinstance(program.label, And) and all(isinstance(part, Variable) for part in program.label.parts)
    facts = all(step.function is Function.VERIFY for step in program.steps)
    return tuple(step.text for step in program.steps) if is_plain and facts else ()


class _PartMaking:
    """Builder of the examples of one true claim's parts; `foreign` are passages of similar claims."""

    def __init__(self, claim: LabelledClaim, foreign: Sequence[TitledText], draw: Random) -> None:
        self._own, self._foreign, self._draw = passages(claim), foreign, draw
        self._text = " ".join(text for _, text in self._own)

    def examples(self, parts: Sequence[str], of_false: Sequence[str]) -> Iterator[EntailmentExample]:
        """Yield examples of up to MOST_PARTS facts of the claim (one if the passages are long).

        `parts`: the claim's single facts. `of_false`: those of a false variant of the claim. If the variant differs in
        exactly one fact, this fact is yielded, too, as contradicted.
        """
        most = 1 if len(self._text.split()) > LONG else MOST_PARTS
        for part in self._draw.sample(parts, min(most, len(parts))):
            yield self._of(part)
        false = [part for part in of_false if part not in parts]
        if parts and len(false) == 1:
            yield self._shown(false[0], self._own, CONTRADICTED)

    def _of(self, part: str) -> EntailmentExample:
        chance = self._draw.random()
        if self._foreign and chance < PART_FOREIGN:
            return self._shown(part, self._foreign[: len(self._own)], NEUTRAL)
        others = [other for _, other in self._foreign]
        false = swapped(part, self._text, others, self._draw) if chance < PART_FOREIGN + PART_SWAPPED else None
        noise = self._foreign[:1] if self._draw.random() < PART_NOISY else []
        return self._shown(false or part, [*self._own, *noise], CONTRADICTED if false else ENTAILED)

    def _shown(self, text: str, shown: Sequence[TitledText], label: int) -> EntailmentExample:
        return EntailmentExample("part", (text, self._draw.sample(list(shown), len(shown))), label)
