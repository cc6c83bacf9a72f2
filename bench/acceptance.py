"""Shares of right and wrong revisions that the gate of `refine_explanations --accept careful` rejects.

    python -m bench.acceptance --set report [--json bench/results/acceptance.json]

Two errors of different kinds are planted into a clean explanation: a justification of AVeriTeC, or the sentences that
PolitiHop's annotators chose. A right revision mends one of them, mends both, or drops the sentences that they are in. A
wrong one adds an error, or mends one and adds another. The shares that the gate rejects are printed for 100 claims of
each data set, by what the revision does and by kind of error, with 95 % intervals.

`--set tune` has the claims with which the gate was developed: held-out claims of AVeriTeC's train, and PolitiHop's
valid. `--set report` has AVeriTeC's dev and PolitiHop's test.

Limitations: annotators of AVeriTeC knew more than their evidence says. If neither claim nor evidence has the words that
replace an error, the gate has reason to reject them; `told` counts only pairs for which they have these words.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.check_thresholds import POLITIHOP_VALID, held_out
from bench.command import command, positive
from bench.scoreboard.published import AVERITEC
from src.atomic_file import write_whole
from src.explanation.checks.checker import Checker, chosen_checker
from src.explanation.checks.grounds import Grounds
from src.explanation.claims_file import gold_explanations
from src.explanation.debate.conversation import Result
from src.explanation.debate.refiner import kept_explanation
from src.explanation.politihop import copied_explanations
from src.explanation.records import Debate, ExplainedClaim, Stop
from src.explanation.synthetic_errors.planting import plant
from src.explanation.synthetic_errors.records import IN_A_SENTENCE, Kind
from src.explanation.synthetic_errors.scene import Elsewhere, Scene, elsewhere, scenes
from src.explanation.synthetic_errors.scores import Share, share
from src.explanation.synthetic_errors.word_lists import LISTS, WordLists
from src.reranking.hybrid.own_words import own_words
from src.spacy_pipelines import FROM_PYPI, load
from src.text import sentences

POLITIHOP_TEST = POLITIHOP_VALID.with_name("politihop_test.tsv.gz")
MOST_WORDS = 80  # the default of refine_explanations
FIRST_ID = {"AVeriTeC": 0, "PolitiHop": 10_000}
WORDS = {"tune": "train", "report": "test"}  # the word lists of planted errors


class Form(StrEnum):
    """What a revision does to its draft. The gate should accept the first three forms and reject the last two."""

    ONE_MENDED = "mends one of two errors"
    BOTH_MENDED = "mends both errors"
    DROPPED = "drops the sentences with errors"
    ADDED = "adds an error"
    SWAPPED = "mends an error, adds another"


RIGHT = (Form.ONE_MENDED, Form.BOTH_MENDED, Form.DROPPED)
WRONG = (Form.ADDED, Form.SWAPPED)


class Pair(NamedTuple):
    """A draft and its revision.

    `source`: name of the data set.
    `form`: what the revision does to the draft.
    `draft`: the claim with the draft as explanation.
    `revision`: text of the revision.
    `kinds`: kinds of the errors that are mended; for wrong revisions, the kind of the added error.
    `told`: True if claim and evidence have the revision's words that are correct where an error was planted.
    """

    source: str
    form: Form
    draft: ExplainedClaim
    revision: str
    kinds: tuple[Kind, ...]
    told: bool


class Edit(NamedTuple):
    """An error to plant: `text` replaces the characters from `start` up to, not including, `end` of the clean text."""

    start: int
    end: int
    text: str
    kind: Kind


class Row(msgspec.Struct, frozen=True):
    """Share of the revisions of one form or kind, in one data set or all, that the gate rejects."""

    source: str
    form: str
    rejected: Share


class GateResult(msgspec.Struct, frozen=True):
    """Results of the measurement.

    `set`: value of `--set`.
    `seed`: seed of the drawn errors and of the bootstrap.
    `forms`: shares by what the revision does.
    `told`: the same shares over the pairs with `Pair.told`.
    `kinds`: shares by kind of error.
    `reasons`: number of rejected right revisions by reason, without the quoted words.
    """

    set: str
    seed: int
    forms: list[Row]
    told: list[Row]
    kinds: list[Row]
    reasons: dict[str, int]


def clean(name: str, most: int) -> dict[str, list[ExplainedClaim]]:
    """Return clean explanations by data set: four times `most`, because some have no place for two errors.

    `name` is the value of `--set`.
    """
    if name == "tune":
        explanations = {
            "AVeriTeC": [one.claim for one in held_out()],
            "PolitiHop": copied_explanations(POLITIHOP_VALID),
        }
    else:
        explanations = {
            "AVeriTeC": gold_explanations(AVERITEC / "dev.json"),
            "PolitiHop": copied_explanations(POLITIHOP_TEST),
        }
    return {
        source: [
            msgspec.structs.replace(one, claim_id=FIRST_ID[source] + one.claim_id) for one in them if one.explanation
        ][: 4 * most]
        for source, them in explanations.items()
    }


def pairs(source: str, scenes: Sequence[Scene], lists: WordLists, most: int, seed: int) -> Iterator[Pair]:
    """Yield the right and the wrong revisions of `most` claims, in the order of the claims."""
    others, number = elsewhere(scenes), 0
    for scene in scenes:
        if number == most:
            return
        edits = _two_edits(scene, others, lists, seed, number)
        if edits is not None:
            yield _right(source, scene, edits, RIGHT[number % len(RIGHT)])
            yield _wrong(source, scene, edits, WRONG[number % len(WRONG)])
            number += 1


def _two_edits(scene: Scene, others: Elsewhere, lists: WordLists, seed: int, number: int) -> tuple[Edit, Edit] | None:
    """Return two errors of different kinds that do not touch each other; None if the explanation has no place for them.

    `number` is the number of the pair; the kinds that are tried first depend on it.
    """
    first, twin = None, " ".join(scene.sentences)
    for place in range(len(IN_A_SENTENCE)):
        kind = IN_A_SENTENCE[(5 * number + place) % len(IN_A_SENTENCE)]
        made = plant(scene, kind, others, lists, seed)
        if made is None:
            continue
        edit = _edit(twin, made[0], kind)
        if first is None:
            first = edit
        elif edit.start > first.end + 1 or edit.end + 1 < first.start:
            return first, edit
    return None


def _edit(twin: str, copy: str, kind: Kind) -> Edit:
    """Return the edit that turns the clean text into the copy, as the characters that differ."""
    start = 0
    while start < min(len(twin), len(copy)) and twin[start] == copy[start]:
        start += 1
    end = 0
    while end < min(len(twin), len(copy)) - start and twin[-1 - end] == copy[-1 - end]:
        end += 1
    return Edit(start, len(twin) - end, copy[start : len(copy) - end], kind)


def _with(twin: str, edits: Sequence[Edit]) -> str:
    for one in sorted(edits, reverse=True):
        twin = twin[: one.start] + one.text + twin[one.end :]
    return twin


def _right(source: str, scene: Scene, edits: tuple[Edit, Edit], form: Form) -> Pair:
    twin = " ".join(scene.sentences)
    both = _with(twin, edits)
    unchanged = [one for one in sentences(both) if one in scene.sentences]
    if form is Form.DROPPED and not unchanged:
        form = Form.BOTH_MENDED
    if form is Form.ONE_MENDED:
        return _pair(source, scene, form, both, _with(twin, edits[1:]), edits[:1])
    return _pair(source, scene, form, both, " ".join(unchanged) if form is Form.DROPPED else twin, edits)


def _wrong(source: str, scene: Scene, edits: tuple[Edit, Edit], form: Form) -> Pair:
    twin, (first, second) = " ".join(scene.sentences), edits
    revision = _with(twin, edits if form is Form.ADDED else [second])
    return _pair(source, scene, form, _with(twin, [first]), revision, [second])


def _pair(source: str, scene: Scene, form: Form, draft: str, revision: str, edits: Sequence[Edit]) -> Pair:
    twin, known = " ".join(scene.sentences), Grounds.of(scene.claim).words
    mended = {word for one in edits for word in own_words(_around(twin, one))} & set(own_words(revision))
    claim = msgspec.structs.replace(scene.claim, explanation=draft)
    return Pair(source, form, claim, revision, tuple(one.kind for one in edits), mended <= known)


def _around(twin: str, edit: Edit) -> str:
    """Return the whole words of the clean text that an error replaces."""
    words = (match for match in re.finditer(r"\S+", twin) if match.end() > edit.start and match.start() < edit.end)
    return " ".join(match[0] for match in words)


def reasons(pairs: Sequence[Pair], by: Checker) -> list[str]:
    """Return the reason why the gate rejects each revision; an empty string if it accepts it."""
    each = []
    for pair in pairs:
        debate = Debate(Stop.AGREED, 0, 4, 0, False, [])
        (before,) = by.check([pair.draft])
        kept_explanation(pair.draft, before, Result(pair.revision, debate), by, MOST_WORDS)
        each.append(debate.kept_back)
    return each


def measured(name: str, pairs: Sequence[Pair], why: Sequence[str], seed: int) -> GateResult:
    """Return the shares of rejected revisions by form and kind, over all data sets and for each; `why` has the reason
    of each pair.
    """
    forms = [*RIGHT, *WRONG]
    groups = {"right revisions": RIGHT, "wrong revisions": WRONG, **{form.value: (form,) for form in forms}}
    both = list(zip(pairs, why, strict=True))
    sources = ["all", *dict.fromkeys(one.source for one in pairs)]

    def rows(some: Sequence[tuple[Pair, str]]) -> list[Row]:
        return [
            row for source in sources for group, of in groups.items()
            if (row := _row(source, group, [one for one in some if one[0].form in of], seed)) is not None
        ]  # fmt: skip

    kinds = [
        row for side, of in (("right", RIGHT), ("wrong", WRONG)) for kind in IN_A_SENTENCE
        if (row := _row("all", f"{side}: {kind}", [one for one in both if one[0].form in of and kind in one[0].kinds],
                        seed)) is not None
    ]  # fmt: skip
    rejections = Counter(_kind_of(reason) for pair, reason in both if reason and pair.form in RIGHT)
    return GateResult(
        name, seed, rows(both), rows([one for one in both if one[0].told]), kinds, dict(rejections.most_common())
    )


def _kind_of(reason: str) -> str:
    """Return the reason without the quoted words; the first one if there are several."""
    return re.sub(r'"[^"]*"', '"…"', reason).partition("; the revision")[0]


def _row(source: str, name: str, some: Sequence[tuple[Pair, str]], seed: int) -> Row | None:
    chosen = [(pair, why) for pair, why in some if source in ("all", pair.source)]
    if not chosen:
        return None
    claims = [pair.draft.claim_id for pair, _ in chosen]
    return Row(source, name, share([bool(why) for _, why in chosen], claims, seed))


def lines(result: GateResult) -> Iterator[str]:
    for title, rows in (("", result.forms), ("mended words in the evidence", result.told), ("by kind", result.kinds)):
        yield title
        for row in rows:
            of = row.rejected
            yield f"{row.source:10} {row.form:48} n={of.n:<4} {of.share:.3f} ({of.low:.3f} to {of.high:.3f})"
    yield f"reasons for rejecting right revisions: {result.reasons}"


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--set", choices=["tune", "report"], default="report")
    flags.add_argument("--each", type=positive, default=100, help="claims of each data set")
    flags.add_argument("--seed", type=int, default=0)
    flags.add_argument("--tagger", help="as in refine_explanations")
    flags.add_argument("--json", type=Path)
    flags.add_argument("--rejected", action="store_true", help="print each right revision that is rejected, and why")
    args = flags.parse_args(argv)
    language, lists = load(FROM_PYPI, []), LISTS[WORDS[args.set]]
    revisions = [
        pair for source, them in clean(args.set, args.each).items()
        for pair in pairs(source, list(scenes(them, language)), lists, args.each, args.seed)
    ]  # fmt: skip
    why = reasons(revisions, chosen_checker(args.tagger))
    if args.rejected:
        for pair, reason in zip(revisions, why, strict=True):
            if bool(reason) is (pair.form in RIGHT):
                print(
                    f"## {pair.source} {pair.form} {pair.draft.label} {pair.kinds} {'told' if pair.told else ''}\n"
                    f"WHY {reason}\nDRAFT {pair.draft.explanation}\nREVISION {pair.revision}\n"
                )
    made = measured(args.set, revisions, why, args.seed)
    print("\n".join(lines(made)))
    if args.json is not None:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(made)) + b"\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
