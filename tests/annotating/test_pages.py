"""Files of the pages: they load nothing from elsewhere and make no markup of texts."""

from pathlib import Path

import pytest

from src.annotating.app import SHARED
from src.explanation.annotation.service import PAGE as OF_EXPLANATIONS
from src.programs.annotation.service import PAGE as OF_PROGRAMS


@pytest.mark.parametrize("folder", [SHARED, OF_EXPLANATIONS, OF_PROGRAMS])
def test_files_of_a_page(folder: Path) -> None:
    files = list(folder.iterdir())
    assert len(files) >= 3
    for file in files:
        text = file.read_text("utf-8")
        assert "http" not in text, file
        assert "innerHTML" not in text, file
        assert max(map(len, text.splitlines())) <= 120, file
