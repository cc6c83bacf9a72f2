"""The figures of programs in docs/results, part by part: which steps were run, with which flags.

    python -m bench.programs feverous                 rules and the entailment model over FEVEROUS-S, gold evidence
    python -m bench.programs feverous_open            the same over the pooled evidence of all claims, a sample
    python -m bench.programs hover hover_votes        Qwen2.5-Coder 1.5b over samples of HOVER, gold evidence
    python -m bench.programs hover_threshold          one verify of each claim, its threshold chosen on other claims
    python -m bench.programs hover_rules              rules and the entailment model over 4 hops of HOVER, gold evidence
    python -m bench.programs sizes                    the programs of `cells_model`, answered by 135M and 0.5b
    python -m bench.programs open_small               searches of HOVER's pages side by side, recall of pages
    python -m bench.programs cells_entailment         programs by rules, and 1, 3 and 5 as published, on 100 claims of
                                                      each number of hops and of FEVEROUS-S, gold and open, by the
                                                      entailment model
    python -m bench.programs cells_model              the same, gold, open and closed, answered by Qwen2.5-Coder 1.5b
    python -m bench.programs closed                   the closed-book baselines
    python -m bench.programs in_context               two small models shown other claims with their gold evidence
    python -m bench.programs few_shot                 encoders fine-tuned on 20 claims, 10 times: HOVER, gold evidence
    python -m bench.programs few_shot_feverous        the same over a sample of FEVEROUS-S
    python -m bench.programs few_shot_whole           MiniLM on 3 seeds: all weights, as published, and our LoRA

Each command is printed before it is run; a step that is finished is not run again. Scores: `bench/results/programs_*`;
how they were made, from the steps' manifests: `bench/results/program_runs.json`.
"""

import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from bench.program_runs import add_runs
from src.runner.manifest import read_manifest
from src.runner.step import step
from src.settings import Flag

DATA = Path("../shared/data/programfc")
HOVER, FEVEROUS = DATA / "hover_dev_gold_evidence.jsonl.gz", DATA / "feverous_dev.json.gz"
PAGES = DATA / "hover_wiki_paragraphs.jsonl.gz"
SPLITS, RESULTS, OUT = Path("bench/splits"), Path("bench/results"), Path("out/bench/programs")
RUNS = RESULTS / "program_runs.json"
POOLED = OUT / "feverous_pages.jsonl"
SMALL = "pretrained_models/adapters/entailment"
ASKED = f"--llm qwen2.5-coder-1.5b --cache_dir {OUT}/cache"


def generated(name: str, claims: Path, ids: str, *how: str) -> str:
    return " ".join([
        f"src.programs.generate_programs -c {claims} --ids {SPLITS}/{ids}.txt -o {OUT}/{name}_programs.json", *how
    ])  # fmt: skip


def executed(programs: str, name: str, *how: str) -> str:
    return " ".join([f"src.programs.execute_programs -i {OUT}/{programs}_programs.json -o {OUT}/{name}.json", *how])


def scored(result: str, gold: Path, ids: str, *traces: str) -> str:
    """What programs are compared with stands first: differences are to the first trace."""
    tune = "hover_tune" if gold == HOVER else "feverous_tune"
    files = " ".join(f"{OUT}/{name}.json" for name in traces)
    return (
        f"src.programs.evaluate_programs -i {files} --gold {gold} --ids {SPLITS}/{ids}.txt "
        f"--tune_ids {SPLITS}/{tune}.txt --paper -o {RESULTS}/programs_{result}.json"
    )


def feverous() -> Iterator[str]:
    how = f"--setting gold --gold {FEVEROUS} --entailment {SMALL}"
    yield generated("feverous", FEVEROUS, "feverous_report", "--llm none")
    yield executed("feverous", "feverous_rules", how)
    yield executed("feverous", "feverous_whole", how, "--whole_claim")
    yield scored("feverous", FEVEROUS, "feverous_report", "feverous_whole", "feverous_rules")


def feverous_open() -> Iterator[str]:
    """Over the pooled evidence of all claims (`python -m bench.pooled_evidence`)."""
    how = f"--setting open --corpus {POOLED} --retriever bm25 --read_top_k 5 --entailment {SMALL}"
    yield f"bench.pooled_evidence {POOLED}"
    yield generated("feverous_sample", FEVEROUS, "feverous_sample", "--llm none")
    yield executed("feverous_sample", "feverous_open_whole", how, "--whole_claim")
    yield executed("feverous_sample", "feverous_open_rules", how)
    yield scored("feverous_open", FEVEROUS, "feverous_sample", "feverous_open_whole", "feverous_open_rules")


def hover() -> Iterator[str]:
    name = "hover_sample_all"
    yield from by_model(name)
    yield scored("hover", HOVER, name, f"{name}_whole_gold", f"{name}_gold")


def by_model(name: str) -> Iterator[str]:
    """Yield commands for one program of each claim of a list, and for the claim as a whole, over gold evidence."""
    how = f"--setting gold --gold {HOVER} {ASKED}"
    yield generated(name, HOVER, name, ASKED)
    yield executed(name, f"{name}_gold", how)
    yield executed(name, f"{name}_whole_gold", how, "--whole_claim")


def hover_votes() -> Iterator[str]:
    """One program and five, and the claim as a whole, on the same 40 claims."""
    name = "hover_sample_voting"
    yield from one_and_five()
    yield scored("hover_votes", HOVER, name, "hover_sample_all_whole_gold", "hover_sample_all_gold",
                 f"{name}_five_gold")  # fmt: skip


def one_and_five() -> Iterator[str]:
    name = "hover_sample_voting"
    yield from by_model("hover_sample_all")
    yield generated(name, HOVER, name, f"{ASKED} --num_programs 5")
    yield executed(name, f"{name}_five_gold", f"--setting gold --gold {HOVER} {ASKED}")


def hover_threshold() -> Iterator[str]:
    """One verify with the threshold that suits claims for tuning, beside one program and the vote of five; the
    programs of the tuning claims, by rules, are not run."""
    name, voting, tune = "hover_sample_all", "hover_sample_voting", "hover_tune_sample"
    how = f"--setting gold --gold {HOVER} {ASKED}"
    yield from one_and_five()
    yield generated(tune, HOVER, tune, "--llm none")
    yield executed(tune, f"{tune}_whole_gold", how, "--whole_claim")
    yield executed(voting, f"{voting}_whole_gold", how, "--whole_claim")
    for reported, programs in ((name, f"{name}_gold"), (voting, f"{voting}_five_gold")):
        yield threshold(f"{tune}_whole_gold", f"{reported}_whole_gold", programs)


def threshold(tune: str, whole: str, programs: str) -> str:
    return (
        f"bench.verify_threshold --tune {OUT}/{tune}.json --report {OUT}/{whole}.json {OUT}/{programs}.json "
        f"--gold {HOVER}"
    )


def hover_rules() -> Iterator[str]:
    how = f"--setting gold --gold {HOVER} --entailment {SMALL}"
    yield generated("hover_rules", HOVER, "hover_report_4_hops", "--llm none")
    yield executed("hover_rules", "hover_rules_gold", how)
    yield executed("hover_rules", "hover_rules_whole", how, "--whole_claim")
    yield scored("hover_rules", HOVER, "hover_report_4_hops", "hover_rules_whole", "hover_rules_gold")


def sizes() -> Iterator[str]:
    """Figure 4 in small: the published programs answered by smaller models, and each of these on the claims as wholes;
    the 1.5b's figures are those of `cells_model`."""
    yield from written_as_published()
    for model in ("smollm2", "qwen2.5-coder-0.5b"):
        how = f"--setting gold --gold {HOVER} --llm {model} --cache_dir {OUT}/cache"
        whole, one = (f"hover_cells_{what}_gold_{model}" for what in ("whole", 1))
        yield executed("hover_cells_1", whole, how, "--whole_claim")
        yield executed("hover_cells_1", one, how)
        yield scored(f"sizes_{model}", HOVER, "hover_cells", whole, one)


def open_small() -> Iterator[str]:
    """For each search the claim as a whole, which is retrieval in one step, and programs, which retrieve by steps."""
    part, answered = "open_small", f"--entailment {SMALL}"
    yield generated("hover_sample", HOVER, "hover_sample", ASKED)
    traces = []
    for search in ("bm25", "linked"):
        how = f"--setting open --corpus {PAGES} --index_dir {OUT}/pages.index --retriever {search} --read_top_k 3"
        traces += [f"hover_{part}_{search}_whole", f"hover_{part}_{search}"]
        yield executed("hover_sample", traces[-2], how, answered, "--whole_claim")
        yield executed("hover_sample", traces[-1], how, answered)
    yield scored(part, HOVER, "hover_sample", *traces)
    yield scored(f"{part}_linked", HOVER, "hover_sample", *traces[2:])


CELLS = {"hover": (HOVER, PAGES, "multi_hop"), "feverous": (FEVEROUS, POOLED, "clauses")}


def cells_entailment() -> Iterator[str]:
    yield from written_as_published()
    for name, (claims, _, _) in CELLS.items():
        yield generated(f"{name}_cells_rules", claims, f"{name}_cells", "--llm none")
    yield from voted("entailment", f"--entailment {SMALL}", ("gold", "open"), (RULES, *PUBLISHED))


def cells_model() -> Iterator[str]:
    """Days on two cores for all of it; a GPU takes minutes."""
    yield from written_as_published()
    yield from voted("model", ASKED, ("gold", "open", "closed"), PUBLISHED)
    tune, how = "hover_tune_sample", f"--setting gold --gold {HOVER} {ASKED}"
    yield generated(tune, HOVER, tune, "--llm none")
    yield executed(tune, f"{tune}_whole_gold_model", how, "--whole_claim")
    yield threshold(f"{tune}_whole_gold_model", "hover_cells_whole_gold_model", "hover_cells_5_gold_model")


def written_as_published() -> Iterator[str]:
    """One likeliest program of each claim and five drawn ones; files that are there are taken, wherever they were made.

    Ours were made on one H100: bfloat16, `--device cuda --batch_rows 512 --batch_tokens 1200000`.
    """
    yield f"bench.pooled_evidence {POOLED}"
    for name, (claims, _, shown) in CELLS.items():
        for number in (1, 5):
            how = f"--accept published --num_programs {number} --demonstrations {shown}"
            if not (OUT / f"{name}_cells_{number}_programs.json").exists():
                yield generated(f"{name}_cells_{number}", claims, f"{name}_cells", how, ASKED)


class Programs(NamedTuple):
    """Those of a file `NAME_cells_FILE_programs.json`; `first`: so many of each claim's, taken from the run of all."""

    name: str
    file: str
    first: int | None = None


RULES = Programs("rules", "rules")
PUBLISHED = (Programs("1", "1"), Programs("3", "5", first=3), Programs("5", "5"))


def voted(by: str, answered: str, settings: Sequence[str], several: Sequence[Programs]) -> Iterator[str]:
    """The claim as a whole, then the programs; the first of a file's programs cost nothing more than all."""
    for name, (claims, pages, _) in CELLS.items():
        evidence = {"gold": f"--gold {claims}", "open": f"--corpus {pages} --retriever lucene", "closed": ""}
        for setting in settings:
            how = f"--setting {setting} {evidence[setting]} {answered}"
            made = {one: f"{name}_cells_{one}_{setting}_{by}" for one in ("whole", *(one.name for one in several))}
            yield executed(f"{name}_cells_1", made["whole"], how, "--whole_claim")
            for one in sorted(several, key=lambda one: one.first is not None):
                part = f"--num_programs {one.first} --trace {OUT}/{made[one.file]}.json" if one.first else ""
                yield executed(f"{name}_cells_{one.file}", made[one.name], how, part)
            yield scored(f"cells_{name}_{setting}_{by}", claims, f"{name}_cells", *made.values())


def closed() -> Iterator[str]:
    folder = OUT / "hover_sample_closed"
    yield f"src.programs.closed_book -c {HOVER} --ids {SPLITS}/hover_sample.txt {ASKED} -o {folder}"
    yield generated("hover_sample", HOVER, "hover_sample", ASKED)
    yield executed("hover_sample", "hover_sample_programs_closed", f"--setting closed {ASKED}")
    methods = [f"hover_sample_closed/{name}" for name in ("verify", "direct", "zs_cot", "cot", "self_ask")]
    yield scored("closed", HOVER, "hover_sample", *methods, "hover_sample_programs_closed")


def in_context() -> Iterator[str]:
    """Table 1's group III in small, each model beside itself without examples; 16 are what smollm2 has room for.

    llama.cpp reads the examples once for all claims."""
    name = "hover_sample"
    yield generated(f"{name}_by_rules", HOVER, name, "--llm none")
    for spec, examples in (("smollm2:llamacpp", 16), ("qwen2.5-coder-0.5b", 20)):
        model, flags = spec.partition(":")[0], f"--llm {spec} --cache_dir {OUT}/cache"
        traces = (f"{name}_{model}_alone_whole", f"{name}_{model}_in_context")
        yield executed(f"{name}_by_rules", traces[0], f"--setting gold --gold {HOVER} {flags}", "--whole_claim")
        yield (
            f"src.programs.in_context -c {HOVER} --ids {SPLITS}/{name}.txt --tune_ids {SPLITS}/hover_tune.txt "
            f"--examples {examples} {flags} -o {OUT}/{traces[1]}.json"
        )
        yield scored(f"in_context_{model}", HOVER, name, *traces)


def few_shot() -> Iterator[str]:
    yield from fine_tuned("few_shot", HOVER, "hover_sample_all", "hover_tune")


def few_shot_feverous() -> Iterator[str]:
    yield from fine_tuned("few_shot_feverous", FEVEROUS, "feverous_sample", "feverous_tune")


def fine_tuned(part: str, claims: Path, ids: str, tune_ids: str) -> Iterator[str]:
    """Table 1's group I, then group II; of these the entailment model was trained on the claims for tuning before."""
    group_two = {name: f"pretrained_models/adapters/{name}" for name in ("veracity", "entailment")}
    for name, encoder in ({"minilm": "minilm", "mpnet": "mpnet"} | group_two).items():
        yield (
            f"src.programs.few_shot -c {claims} --ids {SPLITS}/{ids}.txt --tune_ids {SPLITS}/{tune_ids}.txt "
            f"--encoder {encoder} --recipe ours -o {OUT}/{part}_{name} --json {RESULTS}/programs_{part}_{name}.json"
        )


def few_shot_whole() -> Iterator[str]:
    """All weights as published, and our LoRA on the same examples."""
    for name in ("published", "ours"):
        part = f"few_shot_whole_{name}"
        yield (
            f"src.programs.few_shot -c {HOVER} --ids {SPLITS}/hover_sample_all.txt --tune_ids {SPLITS}/hover_tune.txt "
            f"--encoder minilm --seeds 3 --recipe {name} -o {OUT}/{part} --json {RESULTS}/programs_{part}.json"
        )


PARTS = {
    "feverous": feverous,
    "feverous_open": feverous_open,
    "hover": hover,
    "hover_votes": hover_votes,
    "hover_threshold": hover_threshold,
    "hover_rules": hover_rules,
    "sizes": sizes,
    "open_small": open_small,
    "cells_entailment": cells_entailment,
    "cells_model": cells_model,
    "closed": closed,
    "in_context": in_context,
    "few_shot": few_shot,
    "few_shot_feverous": few_shot_feverous,
    "few_shot_whole": few_shot_whole,
}


def give_way(command: str) -> None:
    """Remove results without a manifest, which are committed, because steps refuse to replace them."""
    for path in map(Path, shlex.split(command)):
        if path.parent == RESULTS and path.exists() and read_manifest(path) is None:
            path.unlink()


class BenchSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the benchmark."""

    parts: Annotated[tuple[str, ...], Flag("to run, in this order", positional=True, choices=PARTS)]


@step(BenchSettings)
def main(settings: BenchSettings) -> int:
    OUT.mkdir(parents=True, exist_ok=True)
    for part in settings.parts:
        for command in PARTS[part]():
            print(f"python -m {command}", flush=True)
            give_way(command)
            if subprocess.run([sys.executable, "-m", *shlex.split(command)], check=False).returncode:
                return 1
        add_runs(RUNS, part, PARTS[part]())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
