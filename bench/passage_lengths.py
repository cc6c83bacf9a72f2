"""How long a passage should be, for the verdict and for the metric, on held-out claims of AVeriTeC's train.

    python -m bench.passage_lengths [--claims 100] [--json FILE]

The stores have the gold pages in reach (`bench/check/gold_stores.py`). A passage is one of the ten best sentences of a
claim with what is around it, up to so many words and the page's heading, or the whole of a page of at most 100 words;
with 0 words, the sentence alone. Five of the ten are chosen as in a check, and judged. Q+A is the Hungarian METEOR of
questions and answers, with the claim as every question, so that only the passages differ.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.check.gold_stores import measured_claims, write_gold_stores
from bench.check.measures import plain, row_of
from bench.check.records import Row
from bench.command import StepParser, command, positive
from bench.scoreboard.published import AVERITEC
from src.atomic_file import write_whole
from src.check.models import Models
from src.knowledge_store import KnowledgeStore
from src.models.encoder import load_encoder
from src.prediction.verdicts import judge
from src.records import Claim, Evidence, QAPair, Sentence
from src.reranking.claim_ranking import ClaimRanking
from src.reranking.retriever_settings import RetrieverSettings
from src.reranking.retrievers import RETRIEVERS
from src.stance.records import Passage
from src.stance.selection import CHOSEN, RETRIEVED, selected
from src.store import read_claims

LENGTHS = (0, 45, 60, 90, 120)  # words of a passage, at most


class Length(msgspec.Struct, frozen=True):
    """Passages of at most `most_words` words; `words` is the mean of the five that are shown."""

    most_words: int
    words: float
    row: Row


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.passage_lengths", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("--claims", type=positive, default=100, help="how many of the held-out claims")
    flags.add_argument("--json", type=Path, help="where to write the result")
    args = flags.parse_args(argv)
    train = read_claims(AVERITEC / "train.json")
    claims = measured_claims(train, read_claims(AVERITEC / "dev.json"))[: args.claims]
    models = Models()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        write_gold_stores(Path(folder), claims, train)
        store, index_dir = KnowledgeStore(Path(folder)), Path(kept)
        lengths = [_measured(models, claims, _found(store, index_dir, claims, most), most) for most in LENGTHS]
    for one in lengths:
        print(_line(one), flush=True)
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(lengths), indent=2) + b"\n")
    return 0


def _found(store: KnowledgeStore, index_dir: Path, claims: Sequence[Claim], most: int) -> list[list[Sentence]]:
    """Return the passages of each claim, best first."""
    settings = RetrieverSettings(index_dir, load_encoder(), passages=most > 0, passage_words=most)
    ranked = ClaimRanking(store, RETRIEVERS["hybrid"].make(settings), RETRIEVED)(claims)
    return [outcome.record.sentences for outcome in ranked]


def _measured(models: Models, claims: Sequence[Claim], found: Sequence[Sequence[Sentence]], most: int) -> Length:
    evidence = [_evidence(models, claim, own) for claim, own in zip(claims, found, strict=True)]
    verdicts = [outcome.record.pred_label for outcome in judge(models.verdict, evidence)]
    pairs = [[QAPair(one.claim, pair.answer, pair.url) for pair in one.evidence] for one in evidence]
    words = [len(pair.answer.split()) for own in pairs for pair in own]
    row = row_of(f"passages of {most} words", claims, plain(claims, verdicts), pairs)
    return Length(most, round(sum(words) / max(1, len(words)), 1), row)


def _evidence(models: Models, claim: Claim, passages: Sequence[Sentence]) -> Evidence:
    """Return the passages that decide, best first, without questions."""
    read = [Passage(one.sentence, one.url) for one in passages]
    (stances,) = models.reader.stances([(claim.claim, read)])
    chosen = [passages[place] for place in selected(read, stances, CHOSEN)]
    return Evidence(claim.claim_id, claim.claim, [QAPair("", one.sentence, one.url) for one in chosen])


def _line(one: Length) -> str:
    row = one.row
    assert row.question_answer is not None
    return (
        f"at most {one.most_words:3} words, {one.words:.0f} in the mean: accuracy {row.accuracy:.3f}, "
        f"macro-F1 {row.macro_f1:.3f}; Q+A {row.question_answer:.3f}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
