"""Questions about real sentences: the trained recipe, and the published prompt in our engine, each beside the published
loop.

Limitations: greedy questions and published ones are other questions; only speed is compared, but for `beams`.
"""

import argparse
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from bench.questions import published
from bench.turns import Rows, rate, speeds
from src.errors import InputError
from src.evaluation.meteor import meteor_table
from src.knowledge_store import KnowledgeStore
from src.llm import Options, Request, get_llm
from src.records import Claim, RankedSentences, Sentence
from src.reranking.questions.prompt import LONGEST_REPLY, claim_evidence_prompt, read_question
from src.reranking.questions.recipe import PUBLISHED, SHIPPED, TRAINED
from src.reranking.questions.writer import QuestionWriter
from src.store import read_claims

ENGINE, DTYPE = "smollm2:transformers", "bfloat16"
CAP = 256  # new tokens


def trained(args: argparse.Namespace) -> Rows:
    ranked = one_claim(args.averitec, args.sentences)
    texts = [sentence.sentence for sentence in ranked.sentences]
    model = get_llm(ENGINE, Options(adapter=SHIPPED, batch_rows=args.batch_rows, dtype=args.dtype))
    writer = QuestionWriter(model, None, TRAINED, meteor_table)
    requests = [TRAINED.request(claim_evidence_prompt(ranked.claim, text), chat=False, system="") for text in texts]
    some = texts[:: max(1, len(texts) // args.reference)][: args.reference]
    prompts, loop = published.prompts(some, args.averitec), published.loop(args.cap, args.dtype)
    model.complete(requests[:4])
    ours, chosen, reference = [], [], []
    for _ in range(args.turns):
        ours.append(rate(len(requests), lambda: model.complete(requests)))
        chosen.append(rate(len(requests), lambda: writer.write(ranked)))
        reference.append(rate(len(prompts), lambda: loop(prompts)))
    together, alone = model.complete(requests), [model.complete([one])[0] for one in requests]
    differing = sum(one.text != other.text for one, other in zip(together, alone, strict=True))
    notes = _setting(args)
    noted = notes | {"differing alone": differing}
    return {
        row_name("trained, likeliest", args): speeds("questions/s", ours, reference, noted),
        row_name("trained, chosen among draws", args): speeds("questions/s", chosen, reference, notes),
    }


def beams(args: argparse.Namespace) -> Rows:
    """Each turn has prompts of its own, so that all of them together are compared: what is read of the timed answers,
    and the first 250 characters of answers that go on where reading ends.
    """
    prompts = published.prompts(many_sentences(args.averitec, args.prompts), args.averitec)
    model = get_llm(ENGINE, Options(batch_rows=args.batch_rows, dtype=args.dtype))
    loop = published.loop(args.cap, args.dtype)
    recipe = msgspec.structs.replace(PUBLISHED, max_length=None, max_new_tokens=args.cap)
    ours, reference, differing = list[float](), list[float](), {"questions": 0, "characters": 0}
    for turn in range(args.turns):
        requests = [recipe.request(prompt, chat=False, system="") for prompt in prompts[turn :: args.turns]]
        began = time.perf_counter()
        texts = [reply.text for reply in model.complete(requests)]
        between = time.perf_counter()
        expected = loop([one.prompt for one in requests])
        ours.append(len(requests) / (between - began))
        reference.append(len(requests) / (time.perf_counter() - between))
        differing["questions"] += _differing(map(read_question, texts), map(read_question, expected))
        whole = [reply.text[:LONGEST_REPLY] for reply in model.complete([_unread(one) for one in requests])]
        differing["characters"] += _differing(whole, (text[:LONGEST_REPLY] for text in expected))
    notes = _setting(args) | {"prompts": len(prompts)} | {f"differing {what}": n for what, n in differing.items()}
    return {row_name("published beams", args): speeds("questions/s", ours, reference, notes)}


def row_name(what: str, args: argparse.Namespace) -> str:
    """Another number format or end is another row: it does not take the usual one's place."""
    dtype = "" if args.dtype == DTYPE else f", {args.dtype}"
    return what + dtype + ("" if args.cap == CAP else f", {args.cap} tokens")


def _setting(args: argparse.Namespace) -> dict[str, float | str]:
    return {"dtype": args.dtype, "cap": args.cap}


def _unread(request: Request) -> Request:
    return msgspec.structs.replace(request, reading=None)


def _differing(ours: Iterable[str], published: Iterable[str]) -> int:
    """Return the number of questions that differ, and print each."""
    pairs = [(mine, theirs) for mine, theirs in zip(ours, published, strict=True) if mine != theirs]
    for mine, theirs in pairs:
        print(f"differs:\n  ours      {mine!r}\n  published {theirs!r}", flush=True)
    return len(pairs)


def one_claim(averitec: Path, count: int) -> RankedSentences:
    """Return the first claim of dev whose store has `count` sentences, with the first of them. Raises InputError."""
    for claim, sentences in _stores(averitec):
        if len(sentences) >= count:
            return RankedSentences(claim.claim_id, claim.claim, count, sentences[:count])
    raise InputError(f"no claim's store has {count} sentences", path=averitec)


def many_sentences(averitec: Path, count: int) -> list[str]:
    """The first ones of dev's stores, of as many claims as it takes."""
    return list(islice((one.sentence for _, sentences in _stores(averitec) for one in sentences), count))


def _stores(averitec: Path) -> Iterator[tuple[Claim, list[Sentence]]]:
    store = KnowledgeStore(averitec / "knowledge_store" / "dev")
    for claim in read_claims(averitec / "dev.json"):
        yield claim, [one for one in store.sentences(claim.claim_id) if one.sentence.strip()]
