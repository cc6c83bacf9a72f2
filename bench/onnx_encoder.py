"""The bundled sentence encoder as an ONNX graph, in float32 or with int8 weights: what `bench.encoder` compares with.

Limitations: not used by the project. int8 numbers are scaled by what stands in the batch, so that a vector depends on
it.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from src.llm.batching import sub_batches
from src.models.encoder import Vectors

ROWS = 64
MAX_LENGTH = 256


class OnnxEncoder:
    """Encoder that runs an exported graph on two threads, in length-sorted batches of at most `tokens` padded
    tokens.
    """

    def __init__(self, folder: Path, graph: Path, tokens: int = 1024) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._tokenizer, self._tokens = Tokenizer.from_file(str(folder / "tokenizer.json")), tokens
        self._tokenizer.enable_truncation(MAX_LENGTH)
        self._tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # as OpenMP waits here
        self._session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])

    def encode(self, texts: Sequence[str]) -> Vectors:
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(list(texts))]
        vectors = np.empty((len(rows), 384), np.float32)
        for places in sub_batches([len(row) for row in rows], ROWS, self._tokens):
            width = max(len(rows[place]) for place in places)
            ids, mask = np.zeros((2, len(places), width), np.int64)
            for row, place in enumerate(places):
                ids[row, : len(rows[place])], mask[row, : len(rows[place])] = rows[place], 1
            vectors[places] = self._session.run(None, {"ids": ids, "mask": mask})[0]
        return vectors


def export(folder: Path, target: Path) -> dict[str, Path]:
    """Write the graphs `float32` and `int8` (weights by channel, dynamic activations) into `target`."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import BertModel

    class Averaged(torch.nn.Module):
        def __init__(self, bert: Any) -> None:
            super().__init__()
            self.bert = bert

        def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
            words = self.bert(input_ids=ids, attention_mask=mask).last_hidden_state
            weights = mask.unsqueeze(-1).float()
            return torch.nn.functional.normalize((words * weights).sum(1) / weights.sum(1), dim=-1)

    bert: Any = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager")
    ids = torch.tensor([[101, 2054, 2003, 102]] * 2)
    graphs = {name: target / f"{name}.onnx" for name in ("float32", "int8")}
    axes = {"ids": {0: "rows", 1: "tokens"}, "mask": {0: "rows", 1: "tokens"}, "vectors": {0: "rows"}}
    torch.onnx.export(
        Averaged(bert.eval()), (ids, torch.ones_like(ids)), str(graphs["float32"]), dynamo=False, opset_version=17,
        input_names=["ids", "mask"], output_names=["vectors"], dynamic_axes=axes,
    )  # fmt: skip
    quantize_dynamic(graphs["float32"], graphs["int8"], weight_type=QuantType.QInt8, per_channel=True)
    return graphs
