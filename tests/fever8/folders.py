"""Submission folders for tests: made by the project, with this environment in place of installation.sh."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from src.fever8 import make_folder, packing
from src.store import encode_list

# A system in a few lines: calls every claim Refuted, by one pair of question and answer.
STAND_IN = """#!/usr/bin/env bash
set -e
out=$DATA_STORE/@NAME@
.venv/bin/python - "$DATA_STORE/averitec/$SPLIT.json" "$out/${SPLIT}_veracity_prediction.json" <<'END'
import json, sys, time
claims = json.load(open(sys.argv[1]))
assert not any(claim.get("label") or claim.get("questions") for claim in claims)
time.sleep(SECONDS * len(claims))
pair = {"question": "Is it so?", "answer": "No.", "url": "", "scraped_text": ""}
made = [{"claim_id": claim["claim_id"], "claim": claim["claim"], "evidence": [pair], "pred_label": "Refuted"}
        for claim in claims]
json.dump(made, open(sys.argv[2], "w"))
END
.venv/bin/python -m src.prediction.fever8_submission -i "$out/${SPLIT}_veracity_prediction.json" \\
    -o "$out/submission.csv" --split "$SPLIT"
"""


def made(folder: Path, monkeypatch: pytest.MonkeyPatch, *flags: str, name: str = "small") -> Path:
    """Make a submission folder without the trained models, and give it this environment."""
    monkeypatch.setattr(packing, "PARTS", ("src/", "script/"))
    assert make_folder.main(["--system_name", name, "-o", str(folder), *flags]) == 0
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def with_stand_in(folder: Path, seconds: float = 0.05, name: str = "small") -> Path:
    """Replace the system by a small program that takes `seconds` for each claim."""
    text = STAND_IN.replace("@NAME@", name).replace("SECONDS", str(seconds), 1)
    replace(folder / "system_inference.sh", text)
    return folder


def replace(script: Path, text: str) -> None:
    script.write_text(text)
    os.chmod(script, 0o755)


def write_model(folder: Path, gigabytes: float, config: dict[str, object]) -> None:
    """Write a model whose file has the given size and, beyond its header, no content."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    numbers = int(gigabytes * 1e9) // 2
    header = json.dumps({"weight": {"dtype": "BF16", "shape": [numbers], "data_offsets": [0, 2 * numbers]}}).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + 2 * numbers)


def write_claims(path: Path, texts: Sequence[str]) -> None:
    path.write_bytes(encode_list([{"claim": text, "label": "Refuted", "questions": []} for text in texts]))
