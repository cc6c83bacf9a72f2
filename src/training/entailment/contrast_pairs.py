"""Pairs of training examples: a row of the inference pack unchanged, and the same row changed in one place.

The change and the row's label determine the label of the changed example:

    supported  a name or number is replaced, in claim or evidence: contradicted; neutral if it is the claim's subject
    supported  the evidence loses the sentences with the name or number: neutral
    supported  the verb is negated, or a word is replaced by its opposite: contradicted
    refuted    the verb is negated: entailed
    neutral    the verb is negated, or nothing is changed: neutral, so that "not" does not reveal the label

The random choices depend only on the seed and the set. Pairs of held-out claims are scored, and never learned from.

Limitations: claims are held out, but evidence is not. Other claims about the same text may be learned from.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from src.spacy_pipelines import FROM_PYPI, load
from src.text import sentences
from src.training.entailment.changed_claims import is_subject, negated, opposite, other_of, pattern_of, swappable
from src.training.entailment.examples import CONTRADICTED, ENTAILED, NEUTRAL, EntailmentExample
from src.training.entailment.pack import PackRow, is_held_out, learnable, read_set, window

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

Pool = Mapping[str, Sequence[str]]
_OF_CLAIMS_ALONE = ["parser", "tagger", "lemmatizer", "attribute_ruler"]

OF_OTHERS = 0.75  # share of the swaps that do not change the claim's subject, if both are possible
CONTRASTED = {  # the most rows of each set
    "mnli": 4000, "anli": 1500, "fever_dev": 6000, "fever_symmetric": 600, "fm2": 1100, "check_covid": 1200,
    "scifact": 500, "liar_plus": 600, "infotabs": 2500, "conjnli": 1500,
}  # fmt: skip
OF_NAME, OF_VERB, OF_WORD = 0.75, 0.1, 0.15  # shares of the ways to change a claim, if all are possible
OF_EVIDENCE = 1 / 3  # share of the swaps that are made in the evidence
NEGATED = 0.5  # share of the rows that are negated, if nothing else can be changed
CUT = 0.5  # share of the swaps that also give an example without the sentences that have the swapped name
HELD_OUT_ROWS = 40  # of a set


class ReadRow(NamedTuple):
    """A row of the inference pack, analyzed by spaCy.

    `row`: the row.
    `claim`: its claim, fully parsed.
    `evidence`: its evidence, cut to a window, with recognized names and numbers but no parse.
    """

    row: PackRow
    claim: "Doc"
    evidence: "Doc"


def read_rows(rows: Sequence[PackRow]) -> list[ReadRow]:
    """Analyze the claims and the evidence of rows with spaCy. Raises MissingExtra when its model is not installed."""
    nlp = _language()
    claims = nlp.pipe([row.claim for row in rows])
    texts = nlp.pipe([window(row) for row in rows], disable=_OF_CLAIMS_ALONE)
    return [ReadRow(*one) for one in zip(rows, claims, texts, strict=True)]


def _language() -> "Language":
    return load(FROM_PYPI, [])


def names_by_kind(read: Sequence[ReadRow]) -> Pool:
    """Return all names and numbers in the rows' claims, by kind (spaCy's entity labels)."""
    by_kind: dict[str, dict[str, None]] = defaultdict(dict)
    for parsed in read:
        for name in parsed.claim.ents:
            by_kind[name.label_][name.text] = None
    return {kind: list(names) for kind, names in by_kind.items()}


class Swap(NamedTuple):
    """A claim and its evidence before and after one name or number was replaced.

    `claim`, `evidence`: the unchanged texts.
    `changed_claim`, `changed_evidence`: the texts with the replacement.
    `cut`: the evidence without the sentences that have the name or number; may be empty.
    `is_of_subject`: the replaced name is the subject of the claim.
    """

    claim: str
    changed_claim: str
    evidence: str
    changed_evidence: str
    cut: str
    is_of_subject: bool


def swap_of(parsed: ReadRow, pool: Pool, draw: Random, *, also_subjects: bool = True) -> Swap | None:
    """Replace a randomly drawn name or number of a row; return None if none can be replaced.

    `pool` has replacement names by kind. With `also_subjects` (the default), the claim's subject may be replaced too.
    """
    spans = swappable(parsed.claim, parsed.evidence)
    others = [span for span in spans if not is_subject(span)]
    chosen = others if others and (not also_subjects or draw.random() < OF_OTHERS) else spans if also_subjects else []
    if not chosen:
        return None
    span = draw.choice(chosen)
    other = other_of(span, parsed.evidence, pool, draw)
    if other is None:
        return None
    claim, evidence, old = parsed.claim.text, parsed.evidence.text, pattern_of(span.text)
    return Swap(
        claim,
        claim[: span.start_char] + other + claim[span.end_char :],
        evidence,
        old.sub(lambda _: other, evidence),
        " ".join(sentence for sentence in sentences(evidence) if not old.search(sentence)),
        is_subject(span),
    )


def contrast_pairs(folder: Path, share: float, seed: int) -> list[EntailmentExample]:
    """Return training examples: rows of the inference pack, each also with one place changed.

    Of each data set in CONTRASTED, `share` times the number of rows given there are drawn.

    Raises InputError when a set is missing or invalid, MissingExtra when spaCy's model is not installed.
    """
    counts = {name: round(most * share) for name, most in CONTRASTED.items()}
    return [one for name, count in counts.items() for one in _of_set(folder, name, count, seed, held_out=False)]


def held_out_pairs(folder: Path) -> list[EntailmentExample]:
    """Return examples to score models on: rows of held-out claims, each with its changed forms.

    Raises the errors of `contrast_pairs`.
    """
    return [one for name in CONTRASTED for one in _of_set(folder, name, HELD_OUT_ROWS, 0, held_out=True)]


def _of_set(folder: Path, name: str, count: int, seed: int, *, held_out: bool) -> Iterator[EntailmentExample]:
    rows = [row for row in learnable(read_set(folder, name)) if is_held_out(row) is held_out]
    draw = Random(f"{seed}\n{name}\ncontrast")
    read = read_rows(draw.sample(rows, min(len(rows), count)))
    pool = names_by_kind(read)
    for one in read:
        yield from _pair(one, pool, draw)


def _pair(parsed: ReadRow, pool: Pool, draw: Random) -> Iterator[EntailmentExample]:
    """Yield examples of the unchanged row and its changed forms.

    A row that cannot be changed is left out, unless it is neutral.
    """
    made = list(_supported(parsed, pool, draw) if parsed.row.label == ENTAILED else _others(parsed, draw))
    if made or parsed.row.label == NEUTRAL:
        assert parsed.row.label is not None
        yield _example("unchanged", parsed.claim.text, parsed.evidence.text, parsed.row.label)
        yield from made


def _others(parsed: ReadRow, draw: Random) -> Iterator[EntailmentExample]:
    """Yield the negated form of a row that is refuted or neutral, for a share NEGATED of these rows."""
    other = negated(parsed.claim)
    if other is not None and draw.random() < NEGATED:
        label = ENTAILED if parsed.row.label == CONTRADICTED else NEUTRAL
        yield _example("negated", other, parsed.evidence.text, label)


def _supported(parsed: ReadRow, pool: Pool, draw: Random) -> Iterator[EntailmentExample]:
    """Yield the changed forms of a supported row, all by one way of changing it, drawn at random."""
    evidence = parsed.evidence.text
    ways: list[tuple[float, Callable[[], Iterator[EntailmentExample]]]] = []
    if swappable(parsed.claim, parsed.evidence):
        ways.append((OF_NAME, lambda: _swapped(parsed, pool, draw)))
    if (denied := negated(parsed.claim)) is not None:
        ways.append((OF_VERB, lambda: iter([_example("negated", denied, evidence, CONTRADICTED)])))
    if (turned := opposite(parsed.claim, draw)) is not None:
        ways.append((OF_WORD, lambda: iter([_example("opposite", turned, evidence, CONTRADICTED)])))
    if len(ways) > 1 or (ways and (ways[0][0] != OF_VERB or draw.random() < NEGATED)):
        (way,) = draw.choices([way for _, way in ways], [weight for weight, _ in ways])
        yield from way()


def _swapped(parsed: ReadRow, pool: Pool, draw: Random) -> Iterator[EntailmentExample]:
    """Yield an example with a name or number swapped, and sometimes one whose evidence lacks this name or number."""
    swap = swap_of(parsed, pool, draw)
    if swap is None:
        return
    kind, label = ("elsewhere", NEUTRAL) if swap.is_of_subject else ("swapped", CONTRADICTED)
    if draw.random() < OF_EVIDENCE:
        yield _example(kind, swap.claim, swap.changed_evidence, label)
    else:
        yield _example(kind, swap.changed_claim, swap.evidence, label)
    if swap.cut and not swap.is_of_subject and draw.random() < CUT:
        yield _example("cut", swap.claim, swap.cut, NEUTRAL)


def _example(kind: str, claim: str, evidence: str, label: int) -> EntailmentExample:
    return EntailmentExample(kind, (claim, [("", evidence)]), label)
