"""The models that tests of whole checks cannot do without."""

import os
from pathlib import Path

import pytest

from src.llm.weights import MINILM, MPNET, SMOLLM2, is_there
from src.models.trained import is_trained
from src.stance.reader import READER


def need_models(project_root: Path) -> None:
    """Without them a test is skipped, and fails with `CI=true`."""
    root = project_root / "pretrained_models"
    lacking = [one.name for one in (MINILM, MPNET, SMOLLM2) if not is_there(one, root)]
    if lacking or not is_trained(project_root / READER):
        reason = f"not in pretrained_models: {', '.join(lacking) or READER}; run: python -m src.llm.fetch"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
