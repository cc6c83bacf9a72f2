"""Trained classifiers in our layers, in transformers and in onnxruntime: speed, start, memory, and logits.

    python -m bench.classifiers [--adapters reranker veracity] [--inputs 60] [--turns 3]

The inputs are claims of dev with their published question-answer pairs. All engines have the same rows, in batches of
equal length. Engines take turns; the figure is the median. Start: processor time and memory of a new process from its
beginning to the first logits, median of the turns. Logits are compared with those of the default engine: ours in
bfloat16 where the processor computes in it.

Limitations: a speed is inputs a second of processor time: other work on the machine counts less than in seconds of a
clock, and threads that wait count. onnxruntime has no bfloat16 on a CPU. Its graph is exported before, which
the figures leave out; each adapter needs a graph of its own, as large as its base.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any
from unittest import mock

import msgspec

from src.atomic_file import write_whole
from src.llm.loading import silence
from src.llm.measure import machine
from src.llm.weights import PRETRAINED
from src.models.base_model import find_base
from src.models.evidence_rows import Input, RowMaker
from src.models.pooled import new_classifier
from src.models.trained import read_trained
from src.models.trained_classifier import TrainedClassifier, lay_over, load_trained
from src.store import read_claims

_ROOT = Path(__file__).resolve().parents[1]
_AVERITEC = Path(os.environ.get("FACTCHECK_SHARED", _ROOT.parent / "shared" / "data")) / "averitec"
DTYPES = ("bfloat16", "float32")
FIGURES = (
    "; import time; memory = [line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')][0]; "
    "print(time.process_time(), memory)"
)
OURS = (
    "from pathlib import Path; from src.models.trained_classifier import load_trained; "
    "load_trained(Path({folder!r}), {task!r}, {dtype!r}, 'cpu').logits([('one', [('two', 'three')])])"
)
LIBRARY = "import src.models.trained_classifier as module; module._plain_layers = lambda base: None; " + OURS
ONNX = (
    "import onnxruntime, numpy; from pathlib import Path; from src.models.evidence_rows import RowMaker; "
    "(row,) = RowMaker(Path({base!r}), 256).rows([('one', [('two', 'three')])]); ids = numpy.array([row.ids]); "
    "onnxruntime.InferenceSession({graph!r}).run(None, {{'ids': ids, 'types': numpy.zeros_like(ids)}})"
)

Logits = Callable[[Sequence[Input]], Any]


class EngineFigures(msgspec.Struct):
    """Measurements of an engine with an adapter. `difference` is the largest difference of a logit from the default
    engine.
    """

    inputs_per_second: float
    all_turns: list[float]
    start_seconds: float
    start_megabytes: float
    difference: float


class Result(msgspec.Struct):
    machine: str
    inputs: int
    adapters: dict[str, dict[str, EngineFigures]]


def main() -> None:
    args = _parser().parse_args()
    silence()
    inputs: list[Input] = [
        (
            claim.claim,
            [(one.question, answer.answer) for one in claim.questions for answer in one.answers],
        )
        for claim in read_claims(args.averitec / "dev.json")[: args.inputs]
    ]
    result = Result(machine(), len(inputs), {})
    print(f"{result.machine}; {len(inputs)} inputs")
    for adapter in args.adapters:
        with tempfile.TemporaryDirectory() as folder:
            result.adapters[adapter] = rows = measure(adapter, inputs, args.turns, Path(folder))
        print(f"{adapter:28}{'inputs/s':>10}{'CPU s':>9}{'MB':>7}{'difference':>12}")
        for name, row in rows.items():
            print(f"{name:28}{row.inputs_per_second:10.1f}{row.start_seconds:9.2f}{row.start_megabytes:7.0f}"
                  f"{row.difference:12.1e}", flush=True)  # fmt: skip
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result)) + b"\n")


def measure(adapter: str, inputs: Sequence[Input], turns: int, target: Path) -> dict[str, EngineFigures]:
    """Load every engine, let them take turns, then compare what they give."""
    folder = PRETRAINED / "adapters" / adapter
    trained = read_trained(folder)
    base = find_base(trained.base).folder
    graph = export(base, folder, len(trained.labels), target / "graph.onnx")
    engines: dict[str, Logits] = {}
    codes: dict[str, str] = {}
    for dtype in DTYPES:
        named = {"folder": str(folder), "task": trained.task, "dtype": dtype}
        engines[f"ours, {dtype}"] = load_trained(folder, trained.task, dtype, "cpu").logits
        codes[f"ours, {dtype}"] = OURS.format(**named)
        with mock.patch("src.models.trained_classifier._plain_layers", return_value=None):
            engines[f"transformers, {dtype}"] = load_trained(folder, trained.task, dtype, "cpu").logits
        codes[f"transformers, {dtype}"] = LIBRARY.format(**named)
    name = "onnxruntime, float32"
    engines[name] = _onnx(graph, RowMaker(base, trained.max_length), engines["ours, float32"])
    codes[name] = ONNX.format(base=str(base), graph=str(graph))
    speeds: dict[str, list[float]] = {name: [] for name in engines}
    starts: dict[str, list[tuple[float, float]]] = {name: [] for name in engines}
    for turn in range(turns + 1):
        for name, logits in engines.items():
            began = time.process_time()
            logits(inputs)
            if turn:  # the first one warms up
                speeds[name].append(round(len(inputs) / (time.process_time() - began), 2))
                starts[name].append(_start(codes[name]))
    default = engines[f"ours, {DTYPES[0]}"](inputs)
    return {
        name: EngineFigures(
            round(median(speeds[name]), 2), speeds[name], round(median(one for one, _ in starts[name]), 2),
            round(median(one for _, one in starts[name])), float((logits(inputs) - default).abs().max()),
        )
        for name, logits in engines.items()
    }  # fmt: skip


def _start(code: str) -> tuple[float, float]:
    """Return the seconds of processor time and the megabytes of a new process."""
    done = subprocess.run([sys.executable, "-c", code + FIGURES], cwd=_ROOT, check=True, capture_output=True, text=True)
    seconds, kilobytes = done.stdout.split()[-2:]
    return float(seconds), int(kilobytes) / 1024


def _onnx(graph: Path, maker: RowMaker, like: Logits) -> Logits:
    """Return the classifier of a graph, with the batches of the other engines."""
    import numpy
    import onnxruntime
    import torch

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # as OpenMP waits here
    session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    trained = like.__self__  # type: ignore[attr-defined]

    def forward(rows: Sequence[Any], by_piece: bool) -> Any:
        ids = numpy.array([row.ids for row in rows])
        types = (numpy.arange(ids.shape[1]) >= numpy.array([[row.second] for row in rows])).astype(numpy.int64)
        return torch.from_numpy(session.run(None, {"ids": ids, "types": types})[0])

    return TrainedClassifier(forward, maker, trained.trained, trained.info).logits


def export(base: Path, folder: Path, classes: int, target: Path) -> Path:
    """Write the graph of an adapter on its base, in float32."""
    import torch

    model: Any = new_classifier(base, classes, attention="eager")
    lay_over(model, folder)
    takes_types = getattr(model.config, "type_vocab_size", 0) > 1

    class Scored(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model.eval()

        def forward(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
            more = {"token_type_ids": types} if takes_types else {}
            means = self.model.encoder(input_ids=ids, attention_mask=torch.ones_like(ids), **more)[0].mean(1)
            unit = means * torch.rsqrt((means * means).mean(-1, keepdim=True) + torch.finfo(means.dtype).eps)
            logits: torch.Tensor = self.model.score(unit)  # `scaled` by operators that a graph has
            return logits if takes_types else logits + 0.0 * types.sum()

    ids = torch.tensor([[0, 2054, 2003, 2]] * 2)
    axes = {"ids": {0: "rows", 1: "tokens"}, "types": {0: "rows", 1: "tokens"}, "logits": {0: "rows"}}
    torch.onnx.export(
        Scored(), (ids, torch.zeros_like(ids)), str(target), dynamo=False, opset_version=17,
        input_names=["ids", "types"], output_names=["logits"], dynamic_axes=axes,
    )  # fmt: skip
    return target


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.classifiers", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--adapters", nargs="+", default=["reranker", "veracity"])
    parser.add_argument("--averitec", type=Path, default=_AVERITEC)
    parser.add_argument("--inputs", type=int, default=60)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json", type=Path, default=_ROOT / "bench" / "results" / "classifiers.json")
    return parser


if __name__ == "__main__":
    main()
