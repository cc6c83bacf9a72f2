"""Claims of articles: are check-worthy sentences found, are others left out, and do the claims read alone?

    python -m bench.articles [--shared ../shared/data] [--json bench/results/articles.json]

All figures are of two halves: one that the rules were developed on, and one for reporting. Claims and gold questions
are of AVeriTeC's train, labeled sentences of other shared data (see `worthiness.py`), and articles with gold claims of
`data_store/articles`.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from bench.articles.halves import Half, half_of
from bench.articles.readable import Readable, read_articles, readable
from bench.articles.worthiness import (
    Detection,
    Recognized,
    claims_and_questions,
    detections,
    labeled_sentences,
    recognized,
)
from bench.scoreboard.published import ROOT
from src.atomic_file import write_whole
from src.runner.console import say
from src.runner.paths import check_output
from src.runner.step import step
from src.settings import Flag

ARTICLES = ROOT / "data_store" / "articles" / "articles.json"
RESULTS = ROOT / "bench" / "results" / "articles.json"
SHARED = Path(os.environ.get("FACTCHECK_SHARED", ROOT.parent / "shared" / "data"))


class HalfResult(msgspec.Struct, frozen=True):
    """Figures of a half of the data.

    `claims`, `questions`: of AVeriTeC's train.
    `sentences`, `claims_labeled`: numbers of labeled sentences, and of claims among them.
    `articles`: number of articles.
    """

    half: Half
    claims: Recognized
    questions: Recognized
    sentences: int
    claims_labeled: int
    detections: list[Detection]
    articles: int
    readable: list[Readable]


class ArticlesSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the benchmark."""

    shared: Annotated[Path, Flag("folder of the shared data")] = SHARED
    articles: Annotated[Path, Flag("articles with gold claims")] = ARTICLES
    json: Annotated[Path, Flag("where to write the result")] = RESULTS


@step(ArticlesSettings)
def main(settings: ArticlesSettings) -> int:
    check_output(settings.json, {"articles": settings.articles}, "json")
    results = [measured(settings, half) for half in Half]
    say("\n\n".join(table(one) for one in results))
    write_whole(settings.json, msgspec.json.format(msgspec.json.encode(results), indent=2) + b"\n")
    return 0


def measured(settings: ArticlesSettings, half: Half) -> HalfResult:
    """Return the figures of a half. Raises InputError if data is missing."""
    claims, questions = claims_and_questions(settings.shared / "averitec")
    sentences = half_of(labeled_sentences(settings.shared), half)
    articles = read_articles(settings.articles, half)
    return HalfResult(
        half=half,
        claims=recognized(half_of(claims, half)),
        questions=recognized(half_of(questions, half)),
        sentences=len(sentences),
        claims_labeled=sum(one.is_claim for one in sentences),
        detections=detections(sentences),
        articles=len(articles),
        readable=readable(articles),
    )


def table(result: HalfResult) -> str:
    """Return the figures of a half as lines of text."""
    lines = [f"half: {result.half}"]
    for name, one in (("claims", result.claims), ("gold questions", result.questions)):
        lines += [f"{name} taken for claims: {one.recognized} of {one.texts} ({one.share:.1%})", *_reasons(one.reasons)]
    lines += [f"labeled sentences: {result.sentences}, of them claims {result.claims_labeled}"]
    lines += [f"    {_scores(one)}  {one.rule}" for one in result.detections]
    lines += [f"articles: {result.articles}, with {result.readable[0].gold} gold claims"]
    lines += [f"    {_readable(one)}  {one.system}" for one in result.readable]
    return "\n".join(lines)


def _reasons(reasons: dict[str, int]) -> Sequence[str]:
    return [f"    {number:5}  {reason}" for reason, number in reasons.items()]


def _scores(one: Detection) -> str:
    return f"precision {one.precision:.3f}, recall {one.recall:.3f}, F1 {one.f1:.3f}"


def _readable(one: Readable) -> str:
    return f"given {one.given}, equal to gold {one.equal}, wrong name {one.wrong}, of no claim {one.of_no_claim}"


if __name__ == "__main__":
    raise SystemExit(main())
