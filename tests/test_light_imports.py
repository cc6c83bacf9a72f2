"""Words, sentences, METEOR and parses come without the libraries that NLTK and spaCy import if they are there."""

import importlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from src.light_imports import light_nltk, without

USE = """
import sys
from src.text import sentences, words
from src.evaluation.meteor import meteor_table
assert sentences("One. Two.") == ["One.", "Two."]
assert words("It's one.") == ["It", "'s", "one", "."]
assert meteor_table(["a big dog"], ["the large dog"])[0, 0] > 0
print(sorted({"scipy", "sklearn"} & set(sys.modules)))
import scipy.stats
"""


def test_nltk_brings_no_scipy(project_root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", USE], cwd=project_root, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


PARSE = """
import sys
from src.spacy_pipelines import FROM_PYPI, load
text = "The town of Oster sold 14 trams in 1999, but Maria Berg did not buy one."
parse = lambda language: [(t.pos_, t.tag_, t.dep_, t.head.i, t.lemma_, t.ent_type_) for t in language(text)]
if sys.argv[1:]:
    import torch
    import spacy
else:
    language = load(FROM_PYPI, [])
    assert "torch" not in sys.modules
print(parse(load(FROM_PYPI, [])))
"""


def test_spacy_brings_no_torch_and_parses_as_with_it(project_root: Path) -> None:
    parses = [
        subprocess.run(
            [sys.executable, "-c", PARSE, *more], cwd=project_root, capture_output=True, text=True, check=True
        ).stdout
        for more in ([], ["torch"])
    ]
    assert parses[0] == parses[1]
    assert "'PROPN'" in parses[0]


def test_other_modules_are_found_within() -> None:
    before = list(sys.meta_path)
    with light_nltk():
        assert importlib.import_module("colorsys")
    assert sys.meta_path == before


def test_large_libraries_are_missing_within_for_this_thread_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "invented_library").mkdir()
    (tmp_path / "invented_library" / "__init__.py").touch()
    (tmp_path / "invented_library" / "small.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with ThreadPoolExecutor(1) as other, without("invented_library"):
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("invented_library")
        assert other.submit(importlib.import_module, "invented_library").result()
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("invented_library.small")
    assert importlib.import_module("invented_library.small")
