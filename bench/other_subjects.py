"""Evidence about somebody else: how often a check gives a verdict on it, with and without the rule on names.

    python -m bench.other_subjects [--claims N] [--json FILE]

The claims are the first of AVeriTeC's dev; the rule (`src/stance/subject.py`) was chosen on train. Passages are
retrieved, chosen and judged as in a check. In a second run the first person of each claim that has one (by spaCy) gets
an invented name, and the passages stay. They are then about somebody else, and no verdict follows from them.

Limitations: the label of a claim with an invented name is Not Enough Evidence by construction. Names are exchanged
where spaCy finds a person, which need not be the subject of the claim.
"""

import re
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from bench.check.sets import chosen
from bench.command import StepParser, command, positive
from src.atomic_file import write_whole
from src.check.models import Models
from src.knowledge_store import KnowledgeStore
from src.models.encoder import load_encoder
from src.prediction.verdicts import judge
from src.records import Claim, Evidence, Level, Prediction, QAPair, Sentence, Verdict
from src.reranking.claim_ranking import ClaimRanking
from src.reranking.retriever_settings import RetrieverSettings
from src.reranking.retrievers import HYBRID, RETRIEVERS
from src.spacy_pipelines import FROM_PYPI, load
from src.stance.levels import Leveled, Levels
from src.stance.records import Passage
from src.stance.selection import CHOSEN, RETRIEVED, selected

INVENTED = ("Milo Varnek", "Edda Holmquist", "Tobin Ashgrove", "Petra Lindqvar", "Oswin Marbeck", "Selma Dravik")
RESULTS = Path("bench/results/other_subjects.json")


class Row(msgspec.Struct, frozen=True):
    """Counts of one set of claims.

    `claims`: number of claims. `unnamed`: those whose subject no passage names.
    `leaning`, `firm`: verdicts of this level, without the rule and with it.
    `right`: of both levels together, verdicts that are the label, without the rule and with it.
    """

    claims: int
    unnamed: int
    leaning: tuple[int, int]
    firm: tuple[int, int]
    right: tuple[int, int]


class Result(msgspec.Struct, frozen=True):
    """`as_they_are`: all claims. `with_person`: those with a person. `renamed`: these with an invented name."""

    as_they_are: Row
    with_person: Row
    renamed: Row


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.other_subjects", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("--claims", type=positive, default=250, help="how many of dev")
    flags.add_argument("--json", type=Path, default=RESULTS, help="where to write the result")
    args = flags.parse_args(argv)
    models = Models()
    claims, store = chosen("dev", 0, args.claims, Path())
    result = _measured(models, claims, _evidence(models, claims, store))
    for name, row in msgspec.structs.asdict(result).items():
        print(f"{name}: {row}", flush=True)
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    return 0


def _measured(models: Models, claims: Sequence[Claim], evidence: Sequence[Evidence]) -> Result:
    renamed = list(map(renamed_evidence, evidence, range(len(evidence))))
    labels = [claim.label for claim in claims]
    people = [place for place, one in enumerate(renamed) if one is not None]
    return Result(
        as_they_are=_row(models, evidence, labels),
        with_person=_row(models, [evidence[place] for place in people], [labels[place] for place in people]),
        renamed=_row(models, filter(None, renamed), [Verdict.NOT_ENOUGH_EVIDENCE] * len(people)),
    )


def renamed_evidence(evidence: Evidence, number: int) -> Evidence | None:
    """Return the evidence with an invented name for the first person of its claim; None if the claim has none."""
    persons = [one for one in load(FROM_PYPI, [])(evidence.claim).ents if one.label_ == "PERSON"]
    if not persons:
        return None
    name = persons[0].text.removesuffix("'s").removesuffix("\u2019s")
    claim = re.sub(rf"\b{re.escape(name)}\b", INVENTED[number % len(INVENTED)], evidence.claim)
    return None if claim == evidence.claim else msgspec.structs.replace(evidence, claim=claim)


def _evidence(models: Models, claims: Sequence[Claim], store: Path) -> list[Evidence]:
    """Return the passages that a check would choose for each claim, without questions."""
    with tempfile.TemporaryDirectory() as indexes:
        retriever = RETRIEVERS[HYBRID].make(RetrieverSettings(Path(indexes), load_encoder(), passages=True))
        ranked = ClaimRanking(KnowledgeStore(store), retriever, RETRIEVED)(claims)
        return [_chosen(models, claim, outcome.record.sentences) for claim, outcome in zip(claims, ranked, strict=True)]


def _chosen(models: Models, claim: Claim, sentences: Sequence[Sentence]) -> Evidence:
    speaker = claim.speaker or ""
    passages = [Passage(one.sentence, one.url, speaker) for one in sentences]
    (stances,) = models.reader.stances([(claim.claim, passages)])
    pairs = [QAPair("", passages[at].text, passages[at].url) for at in selected(passages, stances, CHOSEN)]
    return Evidence(claim.claim_id, claim.claim, pairs, speaker)


def _row(models: Models, evidence: Iterable[Evidence], labels: Sequence[Verdict | None]) -> Row:
    assert isinstance(models.verdict, Leveled)
    judged = [outcome.record for outcome in judge(models.verdict, list(evidence))]
    both = [(level_without_rule(one, models.verdict.levels), one.level) for one in judged]
    right = [one.pred_label is label for one, label in zip(judged, labels, strict=True)]
    return Row(
        claims=len(judged),
        unnamed=sum(bool(one.unnamed) for one in judged),
        leaning=_counts(both, (Level.LEANING,)),
        firm=_counts(both, (Level.FIRM,)),
        right=_counts(
            [pair for pair, is_right in zip(both, right, strict=True) if is_right], (Level.LEANING, Level.FIRM)
        ),
    )


def level_without_rule(prediction: Prediction, levels: Levels) -> Level | None:
    """Return the level that the prediction has by its probabilities alone."""
    if prediction.unnamed and prediction.probabilities:
        return levels.of(prediction.probabilities, prediction.pred_label)
    return prediction.level


def _counts(both: Sequence[tuple[Level | None, Level | None]], wanted: tuple[Level, ...]) -> tuple[int, int]:
    """Return how many of the claims have one of the levels, without the rule and with it."""
    return sum(one in wanted for one, _ in both), sum(one in wanted for _, one in both)


if __name__ == "__main__":
    raise SystemExit(main())
