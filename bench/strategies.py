"""Programs beside the question-answer strategy: AVeriTeC dev, the same store, the same number of pairs for each claim.

    python -m bench.strategies --claims 0-100 [--writers none qwen2.5-coder-1.5b]
    python -m bench.strategies --show

Both strategies search each claim's own file of the sample store. The questions' evidence is cut, claim by claim, to as
many pairs as the program has. Verdicts are those of the steps, and for the programs' pairs also those of the trained
verdict model. Seconds are taken from the steps' manifests, without the loading of models. Rows are added to
`bench/results/strategies.json`.

Limitations: a claim's own file contains little but what systems retrieved for it, so all figures are too high. Times
are of one run on a machine with other work.
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.command import command
from bench.scoreboard.__main__ import claim_range
from bench.scoreboard.published import AVERITEC, OWN, ROOT
from bench.scoreboard.record import Result, StepRecord, read_result, write_result
from bench.scoreboard.scored import Gold, Scored, scored
from bench.scoreboard.steps import VERDICTS, run_step
from bench.scoreboard.system import Bench, Setup
from bench.scoreboard.table import above, baseline_cells, baseline_name, with_intervals
from src.atomic_file import write_whole
from src.records import Evidence, Prediction
from src.runner.claim_range import in_range
from src.runner.manifest import revision
from src.store import encode_lines, read_by_claim, read_claims, sha256

RESULTS = ROOT / "bench" / "results" / "strategies.json"
WORK = ROOT / "out" / "bench" / "strategies"
GENERATE, EXECUTE = "src.programs.generate_programs", "src.programs.execute_programs"
ENTAILMENT = ROOT / "pretrained_models" / "adapters" / "entailment"
PAIRS = 3


class Strategies:
    """The claims, and the folder in which the steps leave what they made."""

    def __init__(self, gold: Gold, work: Path) -> None:
        self._gold, self._work = gold, work
        self._range = (gold.claims[0].claim_id, gold.claims[-1].claim_id + 1)

    def questions(self) -> Scored:
        """The question-answer strategy with all its pairs."""
        (row,) = Bench(self._gold, self._work).measure(Setup(OWN, top_n=PAIRS))
        return row

    def programs(self, writer: str, whole: Scored) -> list[Scored]:
        """Programs by a language model, or by rules where it is `none`; beside them questions, cut to their number."""
        folder = self._work / f"programs_{self._range[0]}_{self._range[1]}_{writer}"
        name, steps = f"programs by {'rules' if writer == 'none' else writer}", self._run(writer, folder)
        predictions = read_by_claim(folder / "predictions.json", Prediction)
        judged = self._judged(
            f"questions, as many as {name}", folder / "cut", cut(self._own_evidence(), predictions), whole.row.steps
        )
        rows = [
            self._row(name, folder / "predictions.json", steps),
            self._judged(f"{name}, verdict by the trained model", folder / "judged", _evidence(predictions), steps),
        ]
        for row in rows:
            row.beside(judged)
        return [judged, *rows]

    def _run(self, writer: str, folder: Path) -> dict[str, StepRecord]:
        first, end = map(str, self._range)
        programs, trace = folder / "programs.json", folder / "trace.json"
        flags: dict[str, Path | str] = {"-c": AVERITEC / "dev.json", "-o": programs, "-s": first, "-e": end}
        made = run_step(GENERATE, programs, flags, ["--llm", writer])
        flags = {
            "-i": programs, "-o": trace, "-k": AVERITEC / "knowledge_store" / "dev", "--setting": "open",
            "--entailment": ENTAILMENT, "--predictions": folder / "predictions.json", "--top_n": str(PAIRS),
        }  # fmt: skip
        return {"programs": made, "execution": run_step(EXECUTE, trace, flags)}

    def _own_evidence(self) -> list[Evidence]:
        folder = self._work / f"{OWN}_{self._range[0]}_{self._range[1]}" / "trained_default"
        return read_by_claim(folder / f"evidence_top_{PAIRS}.json", Evidence)

    def _judged(self, name: str, folder: Path, evidence: Sequence[Evidence], steps: dict[str, StepRecord]) -> Scored:
        source, output = folder / "evidence.json", folder / "predictions.json"
        write_whole(source, encode_lines(list(evidence)))
        verdicts = run_step(VERDICTS, output, {"-i": source, "-o": output})
        return self._row(name, output, steps | {"verdicts": verdicts})

    def _row(self, name: str, predictions: Path, steps: dict[str, StepRecord]) -> Scored:
        return scored(OWN, name, "ours", self._gold, predictions, steps=steps)


def cut(questions: Iterable[Evidence], programs: Sequence[Prediction]) -> list[Evidence]:
    """Return the questions of each claim, cut to the number of pairs of its program."""
    by_claim = {one.claim_id: one for one in questions}
    return [Evidence(one.claim_id, one.claim, by_claim[one.claim_id].evidence[: len(one.evidence)]) for one in programs]


def _evidence(predictions: Sequence[Prediction]) -> list[Evidence]:
    return [Evidence(one.claim_id, one.claim, one.evidence) for one in predictions]


def show(result: Result) -> str:
    """Return a Markdown table: each system, and below it the baseline on its own answers."""
    lines = ["| strategy | claims | pairs | Q | Q+A | @.25 | accuracy | macro-F1 | seconds a claim |", f"|{'---|' * 9}"]
    for row in result.rows:
        claims = row.claims[1] - row.claims[0]
        pairs = "" if row.mean_pairs is None else f"{row.mean_pairs:.1f}"
        seconds = sum(step.seconds for step in row.steps.values()) / claims
        lines.append(f"| {row.system} | {claims} | {pairs} | {' | '.join(with_intervals(row))} | {seconds:.1f} |")
        lines.append(f"| {baseline_name('')} | | {pairs} | {' | '.join(baseline_cells(row))} | |")
    return "\n".join([*lines, "", above([("as many pairs", result.rows)])])


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--claims", type=claim_range, metavar="START-END", default=(0, 100))
    flags.add_argument("--writers", nargs="+", default=["none", "qwen2.5-coder-1.5b"], help="as --llm of the step")
    flags.add_argument("--show", action="store_true", help="print the file as Markdown, measure nothing")
    args = flags.parse_args(argv)
    result = read_result(RESULTS)
    if not args.show:
        labels = AVERITEC / "dev.json"
        everyone = read_claims(labels)
        gold = Gold(labels, in_range(everyone, *args.claims), [claim.claim_id for claim in everyone])
        strategies = Strategies(gold, WORK)
        whole = strategies.questions()
        rows = [whole, *(row for writer in args.writers for row in strategies.programs(writer, whole))]
        result.label_sha256, result.revision = sha256(labels), revision()
        result.add([one.row for one in rows])
        write_result(RESULTS, result)
    print(show(result))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
