"""Questions a second: the published loop, this project's transformers backend, and vLLM, on the same prompts.

    .venv-vllm/bin/python -m bench.throughput [--model FOLDER] [--claims 1] [--num_examples 3] [--rounds 3]

Run it in the environment of `bash script/setup.sh --vllm`, which has all engines. The prompts are those of the
greedy recipe for the first ten retrieved sentences of held-out claims of AVeriTeC's train, with examples chosen by each
sentence (`sentence`) and by the claim (`claim`). All engines decode greedily and write `--new_tokens` tokens. The loop
sends one prompt after another to transformers' `generate`, as the published code does. In every round the engines take
turns; loading and one prompt that goes before are not counted. The figure is the ratio of medians to that of the loop.
Rows of other machines, models and numbers are kept in the file.

Limitations: other work on the machine counts. The published loop's two beams and ban of bigrams are left out, since
vLLM has neither.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import msgspec

from bench.command import command, natural, positive
from bench.questions.held_out import held_out
from bench.scoreboard.published import AVERITEC, ROOT
from bench.turns import rate
from src.atomic_file import write_whole
from src.errors import InputError
from src.llm import LanguageModel, Options, Request, get_llm
from src.llm.gguf_files import COPY
from src.llm.measure import machine
from src.reranking.questions.examples import ExampleCorpus
from src.reranking.questions.prompt import write_prompt
from src.runner.console import how_many
from src.store import read_claims, read_json

RESULTS = ROOT / "bench" / "results" / "throughput.json"
MODEL = Path("pretrained_models/smollm2/transformers")
SENTENCES = 10
LOOP, BATCHED, VLLM = "published loop", "transformers, in batches", "vLLM"


class Row(msgspec.Struct):
    """Prompts a second of each engine in each round, the medians, and how many times the loop's median that is."""

    prompts: int
    new_tokens: int
    num_examples: int
    rounds: dict[str, list[float]]
    median: dict[str, float]
    times: dict[str, float]
    details: dict[str, str]


Ask = Callable[[Sequence[str]], object]


@command
def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.throughput")
    parser.add_argument("--model", default=str(MODEL), help="folder or hub name that transformers and vLLM load")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--claims", type=positive, default=1)
    parser.add_argument("--num_examples", type=natural, default=3)
    parser.add_argument("--new_tokens", type=positive, default=24)
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--averitec", type=Path, default=AVERITEC)
    parser.add_argument("--json", type=Path, default=RESULTS)
    args = parser.parse_args(argv)
    sets = prompt_sets(args.averitec, args.claims, args.num_examples)
    rows = read_json(args.json, dict[str, Row]) if args.json.exists() else {}
    engines, details = loaded(args.model, args.dtype, args.new_tokens)
    for name, prompts in sets.items():
        row = measured(engines, prompts, args, details)
        rows[row_name(args, details["device"], name)] = row
        print(f"examples by {name}: {row.median} prompts/s, {row.times} times the loop")
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(rows), indent=2) + b"\n")
    return 0


def row_name(args: argparse.Namespace, device: str, chosen_by: str) -> str:
    """Return the name of a row: all that its figures depend on."""
    claims = how_many(args.claims, "claim")
    written = f"{args.new_tokens} new tokens in {args.dtype}"
    return f"{device}, {short_name(args.model)}, {claims}, {args.num_examples} examples by {chosen_by}, {written}"


def short_name(model: str) -> str:
    """Return the name of a model: that of its folder (`NAME/transformers`: NAME), or its whole name on the hub."""
    path = Path(model)
    if path.name == COPY:
        return path.parent.name
    return path.name if path.is_absolute() else model


def prompt_sets(averitec: Path, count: int, num_examples: int) -> dict[str, list[str]]:
    """Return the prompts with examples by sentence and by claim. Raises InputError."""
    held, retrieved = held_out(averitec)
    claims = [claim for claim in held if len(retrieved.get(claim.claim_id, [])) >= SENTENCES][:count]
    if not claims:
        raise InputError("no held-out claim has enough retrieved evidence", path=averitec)
    held_ids = {claim.claim_id for claim in held}
    corpus = ExampleCorpus([one for one in read_claims(averitec / "train.json") if one.claim_id not in held_ids])
    sets: dict[str, list[str]] = {"sentence": [], "claim": []}
    for claim in claims:
        for _, sentence in retrieved[claim.claim_id][:SENTENCES]:
            for name, query in (("sentence", sentence), ("claim", claim.claim)):
                examples = [example.piece for example in corpus.similar(query, num_examples)]
                sets[name].append(write_prompt(examples, sentence).rstrip())
    return sets


def loaded(model: str, dtype: str, new_tokens: int) -> tuple[dict[str, Ask], dict[str, str]]:
    """Return the engines by name, and what they are. Raises InputError when one cannot be loaded."""
    options = Options(dtype=dtype, context=4096)
    vllm, batched = get_llm(f"vllm:{model}", options), get_llm(f"hf:{model}", options)
    engines: dict[str, Ask] = {
        LOOP: loop(model, dtype, new_tokens),
        BATCHED: partial(_complete, batched, new_tokens),
        VLLM: partial(_complete, vllm, new_tokens),
    }
    device = vllm.info.details["device"]
    return engines, {"device": _device(device), "dtype": dtype, "vllm": vllm.info.details["version"]}


def _complete(model: LanguageModel, new_tokens: int, prompts: Sequence[str]) -> None:
    model.complete([Request(prompt, max_new_tokens=new_tokens) for prompt in prompts])


def _device(kind: str) -> str:
    import torch

    return torch.cuda.get_device_name() if kind == "cuda" else machine()


def loop(model: str, dtype: str, new_tokens: int) -> Ask:
    """Return a function that sends one prompt after another to transformers' `generate`."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from src.llm.loading import find_device

    tokenizer = AutoTokenizer.from_pretrained(model)
    network = AutoModelForCausalLM.from_pretrained(model, dtype=dtype).eval().to(find_device())

    def ask(prompts: Sequence[str]) -> None:
        for prompt in prompts:
            ids = tokenizer(prompt, return_tensors="pt").input_ids.to(network.device)
            with torch.inference_mode():
                network.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=new_tokens, do_sample=False)

    return ask


def measured(engines: dict[str, Ask], prompts: Sequence[str], args: argparse.Namespace, details: dict[str, str]) -> Row:
    """Return the speeds of the engines, in turns, after one prompt that does not count."""
    rounds: dict[str, list[float]] = {name: [] for name in engines}
    for ask in engines.values():
        ask(prompts[:1])
    for _ in range(args.rounds):
        for name, ask in engines.items():
            rounds[name].append(round(rate(len(prompts), partial(ask, prompts)), 3))
    medians = {name: round(median(speeds), 3) for name, speeds in rounds.items()}
    times = {name: round(speed / medians[LOOP], 1) for name, speed in medians.items()}
    return Row(len(prompts), args.new_tokens, args.num_examples, rounds, medians, times, details)


if __name__ == "__main__":
    raise SystemExit(main())
