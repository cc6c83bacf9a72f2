"""Questions: what the engine does in a second, beside the published loop; and the n-gram ban beside the library's.

    python -m bench.questions [--rows trained beams ban shape] [--turns 3] [--sentences 100] [--prompts 200]

    trained   100 sentences of one claim by the trained recipe, with the bundled model's adapter: the likeliest question
              of each alone, and as users run it, with further ones drawn and one chosen; beside the published loop on
              some of the same sentences
    beams     the published prompt and beams in this engine, beside the published loop; what is read of the answers
              (250 characters up to the first `?`) is compared, and differing ones are printed
    ban       milliseconds a step of the ban alone: 2 and 64 rows of 1,300 tokens, beams reordered
    shape     `--shape bloom-7b1`: a model of that shape with random weights, prompts of 1,300 tokens, one at a time and
              in batches, and how far that is from what the device's memory and arithmetic allow

The published loop is transformers' `generate`, one prompt at a time: ten examples, two beams, no bigram twice, no stop.
It would go on for up to 5,000 tokens; here both sides end after `--cap` new ones, which is to its favour. The two
sides take turns; what is given is the ratio of the medians of their speeds.

But: greedy questions and published ones are other questions; only speed is compared. Other work on the machine counts.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from src.evaluation.meteor import meteor_table
from src.knowledge_store import KnowledgeStore
from src.llm import Options, Request, get_llm
from src.llm.measure import machine
from src.llm.weights import PRETRAINED, SMOLLM2
from src.records import RankedSentences, Sentence
from src.reranking.questions.examples import ExampleCorpus
from src.reranking.questions.prompt import claim_evidence_prompt, read_question, write_prompt
from src.reranking.questions.recipe import PUBLISHED, SHIPPED, TRAINED
from src.reranking.questions.writer import QuestionWriter
from src.store import read_claims, write_whole

_ROOT = Path(__file__).resolve().parents[1]
_DATA = Path(os.environ.get("FACTCHECK_SHARED", _ROOT.parent / "shared" / "data")) / "averitec"
ENGINE = "smollm2:transformers-bfloat16"
BAN_TOKENS, BAN_STEPS, VOCABULARY = 1_300, 20, 250_880
SHAPE_TOKENS, SHAPE_NEW = 1_300, 64
SHAPES: dict[str, dict[str, Any]] = {
    "bloom-7b1": {"hidden_size": 4096, "n_layer": 30, "n_head": 32, "vocab_size": 250_880},
    "tiny": {"hidden_size": 64, "n_layer": 2, "n_head": 4, "vocab_size": 512},
}


class Speeds(msgspec.Struct):
    """Of one row: units a second of each turn, ours and the reference's, and the ratio of their medians."""

    unit: str
    ours: list[float]
    reference: list[float]
    times: float
    notes: dict[str, float | str] = {}


class Result(msgspec.Struct):
    """Every row that was measured, by name; the others say why not."""

    machine: str
    rows: dict[str, Speeds | str]


def main() -> None:
    args = _parser().parse_args()
    measures: dict[str, Callable[[argparse.Namespace], dict[str, Speeds | str]]] = {
        "trained": trained,
        "beams": beams,
        "ban": ban,
        "shape": shape,
    }
    found: dict[str, Speeds | str] = {}
    for name in args.rows:
        found |= measures[name](args)
    for name, row in found.items():
        print(f"{name:24}", row if isinstance(row, str) else _line(row), flush=True)
    rows = {name: row for name, row in _kept(args.json).items() if name not in found} | found
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(Result(machine(), rows)), indent=2) + b"\n")


def _kept(path: Path) -> dict[str, Speeds | str]:
    """Rows of earlier runs on this machine."""
    if not path.is_file():
        return {}
    held = msgspec.json.decode(path.read_bytes(), type=Result)
    return held.rows if held.machine == machine() else {}


def trained(args: argparse.Namespace) -> dict[str, Speeds | str]:
    if not SHIPPED.is_dir():
        return {"trained": f"not measured: no {SHIPPED}"}
    claim, sentences = _sentences(args.sentences)
    model = get_llm(ENGINE, Options(adapter=SHIPPED, batch_rows=args.batch_rows))
    writer = QuestionWriter(model, None, TRAINED, meteor_table)
    ranked = RankedSentences(0, claim, len(sentences), [Sentence(text, "") for text in sentences])
    asked = [TRAINED.request(claim_evidence_prompt(claim, text), chat=False, system="") for text in sentences]
    published = _published_prompts(sentences[:: max(1, len(sentences) // args.reference)][: args.reference])
    loop = _published_loop(args.cap)
    model.complete(asked[:4])
    ours, chosen, reference = [], [], []
    for _ in range(args.turns):
        ours.append(_rate(len(asked), lambda: model.complete(asked)))
        chosen.append(_rate(len(asked), lambda: writer.write(ranked)))
        reference.append(_rate(len(published), lambda: loop(published)))
    together, alone = model.complete(asked), [model.complete([one])[0] for one in asked]
    differing = sum(one.text != other.text for one, other in zip(together, alone, strict=True))
    notes: dict[str, float | str] = {"differing_one_by_one": differing, "cap": args.cap}
    return {
        "trained, likeliest": _speeds("questions/s", ours, reference, notes),
        "trained, one of six": _speeds("questions/s", chosen, reference, {"cap": args.cap}),
    }


def beams(args: argparse.Namespace) -> dict[str, Speeds | str]:
    """Each turn has prompts of its own, so that all of them together are compared."""
    _, sentences = _sentences(args.prompts)
    prompts = _published_prompts(sentences)
    model, loop = get_llm(ENGINE, Options(batch_rows=args.batch_rows)), _published_loop(args.cap)
    recipe = msgspec.structs.replace(PUBLISHED, max_length=None, max_new_tokens=args.cap)
    ours, reference, differing = [], [], 0
    for turn in range(args.turns):
        part = prompts[turn :: args.turns]
        asked = [recipe.request(prompt, chat=False, system="") for prompt in part]
        began = time.perf_counter()
        said = [reply.text for reply in model.complete(asked)]
        between = time.perf_counter()
        expected = loop(part)
        ours.append(len(part) / (between - began))
        reference.append(len(part) / (time.perf_counter() - between))
        for mine, theirs in zip(map(read_question, said), map(read_question, expected), strict=True):
            if mine != theirs:
                differing += 1
                print(f"differs:\n  ours      {mine}\n  published {theirs}", flush=True)
    notes: dict[str, float | str] = {"prompts": len(prompts), "differing": differing, "cap": args.cap}
    return {"published beams": _speeds("questions/s", ours, reference, notes)}


def ban(args: argparse.Namespace) -> dict[str, Speeds | str]:
    """A speed here is steps a second; the notes say milliseconds."""
    found: dict[str, Speeds | str] = {}
    for rows in (2, 64):
        ours, reference = zip(*(_ban_turn(rows) for _ in range(args.turns)), strict=True)
        notes: dict[str, float | str] = {
            "ms": round(1000 / median(ours), 3),
            "ms_library": round(1000 / median(reference), 3),
        }
        found[f"ban, {rows} rows"] = _speeds("steps/s", list(ours), list(reference), notes)
    return found


def _ban_turn(rows: int) -> tuple[float, float]:
    """Steps a second, medians of the steps after a first one, which makes our tables; both must ban the same."""
    import torch
    from transformers import NoRepeatNGramLogitsProcessor

    from src.llm.decoding.ngram_ban import BanRepeats

    draw = torch.Generator().manual_seed(rows)
    ids = torch.randint(2_000, (rows // 2, BAN_TOKENS), generator=draw).repeat_interleave(2, 0)
    ours, library = BanRepeats(2, 2), NoRepeatNGramLogitsProcessor(2)
    spent: tuple[list[float], list[float]] = ([], [])
    scores = torch.zeros(rows, VOCABULARY)
    ours(ids, scores.clone())
    for _ in range(BAN_STEPS):
        kept = torch.randint(2, (rows // 2, 2), generator=draw) + torch.arange(rows // 2).unsqueeze(1) * 2
        ids = torch.cat([ids[kept.flatten()], torch.randint(2_000, (rows, 1), generator=draw)], 1)
        own, began = scores.clone(), time.perf_counter()
        mine = ours(ids, own)
        spent[0].append(time.perf_counter() - began)
        began = time.perf_counter()
        theirs = library(ids, scores)
        spent[1].append(time.perf_counter() - began)
        assert torch.equal(mine, theirs), "other tokens are banned"
    return 1 / median(spent[0]), 1 / median(spent[1])


def shape(args: argparse.Namespace) -> dict[str, Speeds | str]:
    import torch

    if args.shape is None or (args.shape != "tiny" and not torch.cuda.is_available()):
        return {"shape": "not measured: no GPU at hand" if args.shape else "not measured: no --shape"}
    from src.llm.decoding.generation import Generator, Row

    loaded = _random_model(args.shape)
    generator, draw = Generator(loaded), torch.Generator().manual_seed(0)
    long = SHAPE_TOKENS if args.shape != "tiny" else 40
    ids = torch.randint(5, SHAPES[args.shape]["vocab_size"], (args.shape_rows, long), generator=draw).tolist()
    asked = Request("", num_beams=2, no_repeat_ngram_size=2, max_new_tokens=SHAPE_NEW)
    rows = [Row(asked, tokens, SHAPE_NEW) for tokens in ids]

    def answer(some: list[Row], at_once: int) -> list[object]:
        return list(generator.answers(some, at_once, args.batch_tokens))

    with torch.inference_mode():
        answer(rows[:2], 2)
        ours, reference = [], []
        for _ in range(args.turns):
            ours.append(_rate(len(rows), lambda: answer(rows, args.shape_rows)))
            reference.append(_rate(2, lambda: [answer([row], 1) for row in rows[:2]]))
        limits = _limits(loaded, min(args.shape_rows, args.batch_tokens // rows[0].cost), long)
    notes: dict[str, float | str] = {name: round(median(ours) / limit, 3) for name, limit in limits.items()}
    return {f"shape {args.shape}": _speeds("questions/s", ours, reference, notes)}


def _random_model(name: str) -> Any:
    import torch
    from transformers import AutoTokenizer, BloomConfig, BloomForCausalLM

    from src.llm.loading import Loaded, find_device

    device = find_device()
    config = BloomConfig(**SHAPES[name], bos_token_id=1, eos_token_id=2, pad_token_id=3)
    with torch.device("meta"):
        model = BloomForCausalLM(config).bfloat16()
    model = model.to_empty(device=device).eval()
    model.tie_weights()
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(0, 0.02)
    tokenizer = AutoTokenizer.from_pretrained(PRETRAINED / SMOLLM2.folder / "transformers")
    return Loaded(model, tokenizer, False, device, "bfloat16", None)


def _limits(loaded: Any, rows: int, long: int) -> dict[str, float]:
    """Questions a second that arithmetic alone and memory alone would allow, at speeds measured on this device.

    Arithmetic: two operations for each weight and token, the prompt read once. Memory: a step reads all weights once,
    and keys and values of every beam.
    """
    import torch

    weights = sum(weight.numel() for weight in loaded.model.parameters())
    side = 8192 if loaded.device == "cuda" else 512
    square = torch.ones(side, side, dtype=torch.bfloat16, device=loaded.model.device)
    operations = 2 * side**3 * _best(lambda: square @ square, loaded.device)
    many = torch.ones(side, side * 4, dtype=torch.bfloat16, device=loaded.model.device)
    moved = 2 * many.nbytes * _best(lambda: many.clone(), loaded.device)
    config = loaded.model.config
    kept = 2 * 2 * config.n_layer * config.hidden_size * (long + SHAPE_NEW / 2) * 2 * rows
    return {
        "of_the_arithmetic_limit": operations / (2 * weights * (long + 2 * SHAPE_NEW)),
        "of_the_memory_limit": rows * moved / (SHAPE_NEW * (2 * weights + kept)),
    }


def _best(work: Callable[[], object], device: str) -> float:
    """How often in a second, the best of a few."""
    import torch

    rates = []
    for _ in range(8):
        began = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        rates.append(1 / (time.perf_counter() - began))
    return max(rates)


def _published_loop(cap: int) -> Callable[[Sequence[str]], list[str]]:
    """The published code: no batch, no stop, no attention mask but the model's own."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from src.llm.loading import find_device

    device = find_device()
    folder = PRETRAINED / SMOLLM2.folder / "transformers"
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval().to(device)

    def loop(prompts: Sequence[str]) -> list[str]:
        said = []
        for prompt in prompts:
            ids = tokenizer(prompt, return_tensors="pt").input_ids.to(device)
            with torch.inference_mode():
                out = model.generate(
                    ids, attention_mask=torch.ones_like(ids), max_new_tokens=cap, num_beams=PUBLISHED.num_beams,
                    no_repeat_ngram_size=PUBLISHED.no_repeat_ngram_size, early_stopping=True, do_sample=False,
                )  # fmt: skip
            said.append(tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True))
        return said

    return loop


def _sentences(count: int) -> tuple[str, list[str]]:
    """A claim and its first sentences; of the claims of dev, the first that has enough, else all of several."""
    claims = {claim.claim_id: claim.claim for claim in read_claims(_DATA / "dev.json")}
    store, found = KnowledgeStore(_DATA / "knowledge_store" / "dev"), list[str]()
    for claim_id in sorted(claims):
        found += [sentence.sentence for sentence in store.sentences(claim_id) if sentence.sentence.strip()]
        if len(found) >= count:
            break
    return claims[0], found[:count]


def _published_prompts(sentences: Sequence[str]) -> list[str]:
    corpus = ExampleCorpus(read_claims(_DATA / "train.json"))
    return [
        write_prompt([example.piece for example in corpus.similar(text, PUBLISHED.num_examples)], text)
        for text in sentences
    ]


def _rate(count: int, work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return count / (time.perf_counter() - began)


def _speeds(unit: str, ours: list[float], reference: list[float], notes: dict[str, float | str]) -> Speeds:
    times = round(median(ours) / median(reference), 1)
    return Speeds(unit, [round(rate, 3) for rate in ours], [round(rate, 3) for rate in reference], times, notes)


def _line(row: Speeds) -> str:
    notes = ", ".join(f"{name} {value}" for name, value in row.notes.items())
    return f"{median(row.ours):10.3f} {row.unit}, reference {median(row.reference):.3f}: {row.times} times; {notes}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--rows", nargs="*", choices=["trained", "beams", "ban", "shape"],
                        default=["trained", "beams", "ban", "shape"])  # fmt: skip
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--sentences", type=int, default=100, help="of one claim, for the trained recipe")
    parser.add_argument("--prompts", type=int, default=200, help="published prompts that are compared")
    parser.add_argument("--reference", type=int, default=10, help="sentences that the published loop gets a turn")
    parser.add_argument("--cap", type=int, default=256, help="new tokens at most, on both sides")
    parser.add_argument("--batch_rows", type=int, default=Options().batch_rows)
    parser.add_argument("--batch_tokens", type=int, default=Options().batch_tokens)
    parser.add_argument("--shape", choices=list(SHAPES))
    parser.add_argument("--shape_rows", type=int, default=64)
    parser.add_argument("--json", type=Path, default=Path("bench/results/questions.json"))
    return parser


if __name__ == "__main__":
    main()
