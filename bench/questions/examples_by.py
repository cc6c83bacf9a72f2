"""In-context examples chosen by the claim beside those chosen by each sentence: prompt tokens saved, and scores.

    python -m bench.questions.examples_by [--llm smollm2:transformers] [--num_examples 10] [--claims 100]

For each held-out claim that has retrieved evidence, questions for its first ten sentences are written both ways by the
greedy recipe; the other claims of train give the examples. Given are the tokens of all prompts, those that begin an
earlier prompt of the same claim, too (a prefix cache reads them once), and Q and Q+A (Hungarian METEOR), with the
paired bootstrap interval of the difference to the published choice. With `--tokens`, prompts are only counted. Answers
are kept in `--cache_dir`, so a run that was stopped goes on. Rows are added to the file.

Limitations: all ten pairs are scored, without reranking; the sentences are those of a weaker retrieval than ours.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from bench.command import command, natural, positive
from bench.questions.held_out import held_out
from bench.scoreboard.published import AVERITEC, ROOT
from src.atomic_file import write_whole
from src.errors import InputError
from src.evaluation.averitec import Gold, Guess, score
from src.evaluation.bootstrap import Figure, figures, mean_of
from src.evaluation.meteor import meteor_table
from src.llm import Options, get_llm
from src.llm.measure import machine
from src.records import Claim, QAPair, RankedSentences, Sentence
from src.reranking.questions.examples import ExampleCorpus
from src.reranking.questions.recipe import GREEDY
from src.reranking.questions.writer import QuestionWriter
from src.store import read_claims, read_json
from src.training.retrieved import Pairs

RESULTS = ROOT / "bench" / "results" / "examples_by.json"
TOKENIZER = ROOT / "pretrained_models" / "smollm2" / "transformers"
SENTENCES, SEED = 10, 0
WAYS = {"sentence": False, "claim": True}


class Way(msgspec.Struct):
    """One way to choose examples.

    `prompts`: number of prompts.
    `tokens`: tokens of all prompts.
    `shared`: those of them at the beginning of a prompt that begin an earlier prompt of its claim, too.
    `question`, `question_answer`: scores, with the difference to the first way; None if prompts were only counted.
    """

    prompts: int
    tokens: int
    shared: int
    question: Figure | None = None
    question_answer: Figure | None = None


class Row(msgspec.Struct):
    """Both ways with one model and number of examples."""

    llm: str
    num_examples: int
    claims: int
    machine: str
    ways: dict[str, Way]


@command
def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.questions.examples_by")
    parser.add_argument("--llm", default="smollm2:transformers")
    parser.add_argument("--num_examples", type=natural, default=GREEDY.num_examples)
    parser.add_argument("--claims", type=positive, default=100)
    parser.add_argument("--tokens", action="store_true", help="count tokens only; write no question")
    parser.add_argument("--tokenizer", type=Path, default=TOKENIZER)
    parser.add_argument("--cache_dir", type=Path, default=ROOT / "out" / "bench" / "examples_by")
    parser.add_argument("--averitec", type=Path, default=AVERITEC)
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args(argv)
    held, retrieved = held_out(args.averitec)
    claims = [claim for claim in held if retrieved.get(claim.claim_id)][: args.claims]
    if not claims:
        raise InputError("no held-out claim has retrieved evidence", path=args.averitec)
    left_out = {claim.claim_id for claim in held}
    corpus = ExampleCorpus(
        [claim for claim in read_claims(args.averitec / "train.json") if claim.claim_id not in left_out]
    )
    row = measured(args, claims, retrieved, corpus)
    rows = read_json(args.json, dict[str, Row]) if args.json.exists() else {}
    rows[f"{args.llm}, {args.num_examples} examples"] = row
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(rows), indent=2) + b"\n")
    print(shown(row))
    return 0


def measured(
    args: argparse.Namespace, claims: Sequence[Claim], retrieved: dict[int, Pairs], corpus: ExampleCorpus
) -> Row:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(args.tokenizer)
    model = get_llm(args.llm, Options(cache_dir=args.cache_dir))
    recipe = msgspec.structs.replace(GREEDY, num_examples=args.num_examples)
    ways, questions, answers = {}, [], []
    for name, by_claim in WAYS.items():
        writer = QuestionWriter(model, corpus, recipe, meteor_table, by_claim=by_claim)
        ranked = [_ranked(claim, retrieved[claim.claim_id]) for claim in claims]
        ways[name] = counted([[prompt.text for prompt in writer.prompts(one)] for one in ranked], tokenizer)
        if not args.tokens:
            scores = [scored(writer, claim, one) for claim, one in zip(claims, ranked, strict=True)]
            questions.append(mean_of(np.array([question for question, _ in scores])))
            answers.append(mean_of(np.array([answer for _, answer in scores])))
    if not args.tokens:
        for way, question, answer in zip(
            ways.values(),
            figures(questions, len(claims), SEED),
            figures(answers, len(claims), SEED),
            strict=True,
        ):
            way.question, way.question_answer = question, answer
    return Row(args.llm, args.num_examples, len(claims), machine(), ways)


def _ranked(claim: Claim, pairs: Pairs) -> RankedSentences:
    sentences = [Sentence(answer, "") for _, answer in pairs][:SENTENCES]
    return RankedSentences(claim.claim_id, claim.claim, len(sentences), sentences)


def counted(prompts: Sequence[Sequence[str]], tokenizer: Any) -> Way:
    """Return the number of prompts and tokens, and of the tokens that a prefix cache spares; `prompts` by claim."""
    way = Way(0, 0, 0)
    for of_claim in prompts:
        rows = tokenizer(list(of_claim))["input_ids"]
        way.prompts += len(rows)
        way.tokens += sum(map(len, rows))
        way.shared += sum(
            max((_alike(ids, earlier) for earlier in rows[:place]), default=0) for place, ids in enumerate(rows)
        )
    return way


def _alike(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens at the beginning are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (first, second) in pairs if first != second), min(len(one), len(other)))


def scored(writer: QuestionWriter, claim: Claim, ranked: RankedSentences) -> tuple[float, float]:
    """Return Q and Q+A of the claim's questions, each with its sentence as the answer."""
    pairs = [QAPair(pair.question, pair.answer) for pair in writer.write(ranked).record.bm25_qau]
    assert claim.label is not None
    result = score(Gold(claim, claim.label), Guess(claim.claim_id, None, pairs))
    return result.question_only or 0.0, result.question_answer


def shown(row: Row) -> str:
    """Return a row as a Markdown table."""
    head = "| examples by | prompts | tokens | begin an earlier prompt | Q | Q+A |\n|---|---|---|---|---|---|"
    lines = [
        f"| {name} | {way.prompts} | {way.tokens} | {way.shared} | {_figure(way.question)} "
        f"| {_figure(way.question_answer)} |"
        for name, way in row.ways.items()
    ]
    return "\n".join([f"{row.llm}, {row.num_examples} examples, {row.claims} claims", head, *lines])


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return ""
    less = figure.to_first
    return f"{figure.value:.4f}" + (
        f" ({less.value:+.4f}, {less.interval[0]:+.4f} to {less.interval[1]:+.4f})" if less else ""
    )


if __name__ == "__main__":
    raise SystemExit(main())
