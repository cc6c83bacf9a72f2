"""How many questions to draw for a sentence, and how to weigh them: tried on held-out claims of train.

    python -m bench.questions.choice [--most 15]

For each held-out claim that has retrieved evidence, the adapter's likeliest question and `--most` draws for each of its
first ten sentences are written once (twenty minutes on two cores; kept in `--draws`, by default under the adapter's
hash); then questions are chosen among fewer or all of them, with each weighing. Given are Q and Q+A (Hungarian
METEOR), and how far Q is from that of the likeliest questions alone, with its standard error over the claims.

Limitations: a hundred claims, and the sentences of a weaker retrieval than ours.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev

import msgspec

from bench.command import command, positive
from bench.questions.held_out import held_out
from bench.scoreboard.published import AVERITEC, ROOT
from src.atomic_file import write_whole
from src.errors import InputError
from src.evaluation.averitec import Gold, Guess, score
from src.evaluation.meteor import meteor_table
from src.llm import Options, get_llm
from src.llm.weights import hash_of
from src.records import Claim, QAPair, RankedSentences, Sentence
from src.reranking.questions.choice import USUAL, Weighing, choose_questions
from src.reranking.questions.prompt import FittedPrompt, read_question
from src.reranking.questions.recipe import SHIPPED, TRAINED
from src.reranking.questions.writer import QuestionWriter
from src.store import encode_line
from src.training.retrieved import Pairs

RESULTS = ROOT / "bench" / "results" / "question_choice.json"
SENTENCES = 10
WEIGHINGS = tuple(
    Weighing(typical, named) for typical, named in ((0, 0), (0.02, 0), (0.02, 0.02), (0.05, 0.05), (0.1, 0.1))
)
SAMPLES = (2, 5, 8, 11, 15)


class Draws(msgspec.Struct):
    """Sentences of one claim with their questions: for each the likeliest question, then the sampled ones."""

    claim_id: int
    sentences: list[str]
    questions: list[list[str]]


class Tried(msgspec.Struct):
    """Scores of one way to choose a question. `more` is the gain in Q over the likeliest questions, `error` its
    standard error.
    """

    samples: int
    typical: float
    named: float
    expected: int
    claims: int
    question: float
    question_answer: float
    more: float
    error: float


@command
def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.questions.choice")
    parser.add_argument("--draws", type=Path)
    parser.add_argument("--most", type=positive, default=max(SAMPLES))
    parser.add_argument("--averitec", type=Path, default=AVERITEC)
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args(argv)
    args.draws = args.draws or ROOT / "out" / "bench" / f"draws.{(hash_of(SHIPPED) or 'none')[:12]}.jsonl"
    held, retrieved = held_out(args.averitec)
    claims = {claim.claim_id: claim for claim in held}
    if not args.draws.is_file():
        write_whole(args.draws, b"".join(map(encode_line, drawn(held, retrieved, args.most))))
    draws = [msgspec.json.decode(line, type=Draws) for line in args.draws.read_bytes().splitlines()]
    if min((len(of) for own in draws for of in own.questions), default=0) < 1 + args.most:
        raise InputError(f"holds fewer than --most {args.most} draws; remove it to draw again", path=args.draws)
    ways = [(0, USUAL), *((samples, weighing) for samples in SAMPLES for weighing in WEIGHINGS)]
    scores = {way: scored(draws, claims, *way) for way in ways if way[0] <= args.most}
    results = [_tried(*way, of_claims, scores[ways[0]]) for way, of_claims in scores.items()]
    print(shown(results))
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(results)) + b"\n")
    return 0


def drawn(claims: Sequence[Claim], retrieved: Mapping[int, Pairs], most: int) -> Iterable[Draws]:
    writer = QuestionWriter(
        get_llm("smollm2:torch", Options(adapter=SHIPPED)),
        None,
        msgspec.structs.replace(TRAINED, samples=most),
        meteor_table,
    )
    for claim in claims:
        sentences = [answer for _, answer in retrieved.get(claim.claim_id, [])][:SENTENCES]
        if sentences:
            ranked = [Sentence(sentence, "") for sentence in sentences]
            candidates = RankedSentences(claim.claim_id, claim.claim, len(ranked), ranked)
            questions = [_draw(writer, prompt, claim.claim) for prompt in writer.prompts(candidates)]
            yield Draws(claim.claim_id, sentences, questions)


def _draw(writer: QuestionWriter, prompt: FittedPrompt, claim: str) -> list[str]:
    return [read_question(reply.text) for reply in writer.model.complete(writer.requests(prompt, claim))]


def scored(
    draws: Sequence[Draws], claims: dict[int, Claim], samples: int, weighing: Weighing
) -> list[tuple[float, float]]:
    """Return Q and Q+A of each claim."""
    scores = []
    for own in draws:
        claim = claims[own.claim_id]
        candidates = [questions[: 1 + samples] for questions in own.questions]
        chosen = choose_questions(claim.claim, candidates, meteor_table, weighing)
        pairs = [QAPair(question, answer) for question, answer in zip(chosen, own.sentences, strict=True)]
        assert claim.label is not None
        result = score(Gold(claim, claim.label), Guess(claim.claim_id, None, pairs))
        scores.append((result.question_only or 0.0, result.question_answer))
    return scores


def _tried(
    samples: int, weighing: Weighing, scores: Sequence[tuple[float, float]], first: Sequence[tuple[float, float]]
) -> Tried:
    questions, answers = zip(*scores, strict=True)
    more = [question - other for question, (other, _) in zip(questions, first, strict=True)]
    error = stdev(more) / len(more) ** 0.5
    figures = (round(figure, 4) for figure in (mean(questions), mean(answers), mean(more), error))
    return Tried(samples, *weighing, len(scores), *figures)


def shown(results: Sequence[Tried]) -> str:
    """Return the results as a Markdown table."""
    head = "| draws | typical | named | Q | Q+A | Q more than the likeliest |\n|---|---|---|---|---|---|"
    rows = (
        f"| {one.samples} | {one.typical:g} | {one.named:g} | {one.question:.3f} | {one.question_answer:.3f} "
        f"| {one.more:+.3f} (± {one.error:.3f}) |"
        for one in results
    )
    return "\n".join([head, *rows])


if __name__ == "__main__":
    raise SystemExit(main())
