"""Submission folders with the small models, made, run without a network and checked on the sample world."""

import json
import sys
from pathlib import Path

import pytest

from src.fever8 import check_folder, make_folder
from src.fever8.network import Blocking, blocking
from src.llm.weights import ARCHIVES, is_there

pytestmark = pytest.mark.slow

QUESTIONS = ("--strategy", "questions", "--", "--samples", "0", "--top_k", "3")


@pytest.mark.parametrize("flags", [QUESTIONS, ("--strategy", "programs")], ids=["questions", "programs"])
def test_a_system_of_small_models_passes(flags: tuple[str, ...], tmp_path: Path, project_root: Path) -> None:
    if not all(is_there(archive, project_root / "pretrained_models") for archive in ARCHIVES.values()):
        pytest.skip("the models are not here; run: bash script/setup.sh")
    folder, out = tmp_path / "submission", tmp_path / "report.json"
    assert make_folder.main(["--system_name", "small", "-o", str(folder), *flags]) == 0
    (folder / ".venv").symlink_to(sys.prefix)
    for archive in ARCHIVES.values():
        (folder / "pretrained_models" / archive.folder).symlink_to(project_root / "pretrained_models" / archive.folder)
    code = check_folder.main([str(folder), "--trial", "4", "--json", str(out)])
    report = json.loads(out.read_bytes())
    assert [one for one in report["findings"] if one["passed"] is False] == []
    assert code == 0
    found = {one["rule"]: one["detail"] for one in report["findings"]}
    assert (blocking() is Blocking.GUARD) == ("weaker" in found["offline"])
    assert report["memory"]["models"]["pretrained_models/all-MiniLM-L6-v2"] > 80e6
