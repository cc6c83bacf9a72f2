"""Tiny BERT classifiers, created once for all tests of this folder."""

from pathlib import Path

import pytest

from tests.tiny_models import make_bert


@pytest.fixture(scope="session")
def two_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bert(tmp_path_factory.mktemp("bert") / "two", num_labels=2)


@pytest.fixture(scope="session")
def four_classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bert(tmp_path_factory.mktemp("bert") / "four", num_labels=4)
