"""The bundled encoder: compared with sentence-transformers, independence of the other texts, and bad input."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from src.errors import InputError, MissingExtra, ModelError
from src.models.encoder import SentenceEncoder, computes_bfloat16, equal_lengths, load_bundled, load_encoder
from tests.models.tiny_encoder import make_sentence_encoder
from tests.tiny_models import sentences

pytestmark = pytest.mark.long

STRANGE = ["", " ", "\x00\u200b\t", "naïve café 東京 2020 — “quoted”", "\ud800 lone", "x" * 1_000_000, "a b " * 250_000]
LINES = [*sentences()[::4], *STRANGE, " ".join(sentences()[:9]), "Yes.", "1"]


@pytest.fixture(scope="module")
def float32(minilm: Path) -> SentenceEncoder:
    return load_bundled("float32", minilm)


@pytest.fixture(scope="module")
def bfloat16(minilm: Path) -> SentenceEncoder:
    return load_bundled("bfloat16", minilm)


@pytest.fixture(scope="module")
def library(minilm: Path) -> SentenceEncoder:
    return load_encoder(str(minilm / "all-MiniLM-L6-v2"))


@pytest.fixture(scope="module")
def tiny(two_classes: Path, tmp_path_factory: pytest.TempPathFactory) -> SentenceEncoder:
    return load_encoder(str(make_sentence_encoder(tmp_path_factory.mktemp("tiny"), two_classes)))


def test_float32_is_that_of_sentence_transformers(float32: SentenceEncoder, library: SentenceEncoder) -> None:
    np.testing.assert_allclose(float32.encode(LINES), library.encode(LINES), atol=1e-5)


def test_the_library_gives_what_it_gives_alone(minilm: Path, library: SentenceEncoder) -> None:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(minilm / "all-MiniLM-L6-v2"), device=library.info.details["device"])
    texts = [line for line in LINES if line not in STRANGE[4:]]
    expected = model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    np.testing.assert_allclose(library.encode(texts), expected, atol=1e-5)


def test_bfloat16_is_close(float32: SentenceEncoder, bfloat16: SentenceEncoder) -> None:
    assert (float32.encode(LINES) * bfloat16.encode(LINES)).sum(1).min() > 0.9995
    assert float32.identity != bfloat16.identity


@pytest.mark.parametrize(("name", "tolerance"), [("float32", 1e-6), ("bfloat16", 0)])
def test_a_vector_depends_on_its_text_alone(name: str, tolerance: float, request: pytest.FixtureRequest) -> None:
    encoder: SentenceEncoder = request.getfixturevalue(name)
    together = encoder.encode(LINES)
    assert np.array_equal(encoder.encode(LINES), together)
    np.testing.assert_allclose(encoder.encode(LINES[::-1]), together[::-1], rtol=0, atol=tolerance)
    for place in range(0, len(LINES), 3):
        np.testing.assert_allclose(encoder.encode([LINES[place]])[0], together[place], rtol=0, atol=tolerance)


def test_rows_have_length_1_and_equal_texts_equal_rows(bfloat16: SentenceEncoder, tiny: SentenceEncoder) -> None:
    for encoder in (bfloat16, tiny):
        vectors = encoder.encode([*LINES, *LINES])
        assert vectors.shape == (2 * len(LINES), encoder.width)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        assert np.array_equal(vectors[: len(LINES)], vectors[len(LINES) :])
        assert encoder.encode([]).shape == (0, encoder.width)


def test_queries_get_the_prompt_of_a_model_that_has_one(two_classes: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    folder = make_sentence_encoder(tmp_path, two_classes)
    model = SentenceTransformer(str(folder), device="cpu", prompts={"query": "the report ", "document": "bridge "})
    model.save_pretrained(str(tmp_path / "prompted"))
    plain, prompted = load_encoder(str(folder)), load_encoder(str(tmp_path / "prompted"))
    line = sentences()[5]
    np.testing.assert_allclose(prompted.encode_queries([line]), plain.encode([f"the report {line}"]), atol=1e-6)
    np.testing.assert_allclose(prompted.encode([line]), plain.encode([f"bridge {line}"]), atol=1e-6)
    assert np.array_equal(plain.encode_queries([line]), plain.encode([line]))
    assert prompted.identity != plain.identity


def test_batches_are_of_one_length_and_bounded() -> None:
    lengths = [3, 5, 3, 3, 9, 5, 3]
    assert equal_lengths(lengths, 6) == [[0, 2], [3, 6], [1], [5], [4]]
    assert equal_lengths([0, 0], 6) == [[0, 1]]
    assert equal_lengths([], 6) == []


def test_nothing_heavy_is_loaded_before_the_first_vector(project_root: Path, minilm: Path) -> None:
    code = (
        "import sys; from src.models.encoder import load_encoder; encoder = load_encoder();"
        "before = 'torch' in sys.modules; encoder.encode(['one']);"
        "print(before, 'transformers' in sys.modules, encoder.identity == load_encoder().identity)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=project_root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("processor : 0\nflags\t: fpu avx512f avx512_bf16\n", True),
        ("Features\t: fp asimd bf16\n", True),
        ("flags\t: fpu avx512f avx512_vnni\n", False),
        ("model name : bf16 avx512_bf16\n", False),
        ("", False),
    ],
)
def test_bfloat16_by_the_flags_of_the_processor(text: str, expected: bool, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(text, encoding="utf-8")
    assert computes_bfloat16(tmp_path / "cpuinfo") is expected
    assert not computes_bfloat16(tmp_path / "absent")


def test_a_hub_model_is_known_by_its_commit(two_classes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    held = tmp_path / "models--some--encoder"
    (held / "refs").mkdir(parents=True)
    folder = make_sentence_encoder(tmp_path, two_classes)
    for commit in ("a" * 40, "b" * 40):
        shutil.copytree(folder, held / "snapshots" / commit)
        (held / "refs" / "main").write_text(commit, encoding="utf-8")
        encoder = load_encoder("some/encoder")
        assert encoder.identity == f"some/encoder@{commit}"
        assert encoder.info.details["revision"] == commit
        assert encoder.encode(["one"]).shape == (1, 32)


def test_a_model_that_computes_no_numbers_is_an_error(two_classes: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    folder = make_sentence_encoder(tmp_path, two_classes)
    weights = load_file(folder / "model.safetensors")
    save_file({name: np.full_like(weight, np.nan) for name, weight in weights.items()}, folder / "model.safetensors")
    with pytest.raises(ModelError, match="the encoder encoder gave a vector that is no number"):
        load_encoder(str(folder)).encode(["one"])


def test_what_is_no_encoder_is_one_line(tmp_path: Path, minilm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, message in (
        (str(tmp_path), "it has no modules.json"),
        (str(tmp_path / "absent"), "no such folder"),
        ("a/b/c", "no such folder, nor on the hub"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            load_encoder(name)
        assert "\n" not in str(caught.value)
    (tmp_path / "modules.json").write_text("[]", encoding="utf-8")
    (tmp_path / "modules.json").write_text('[{"idx": 0, "name": "0", "path": "", "type": "x.Y"}]', encoding="utf-8")
    with pytest.raises(InputError, match="cannot load the encoder"):
        load_encoder(str(tmp_path))
    with pytest.raises(InputError, match="in its own number format"):
        load_encoder(str(minilm / "all-MiniLM-L6-v2"), dtype="bfloat16")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingExtra, match=r"python -m src\.llm\.fetch minilm"):
        load_encoder()


def test_another_file_in_the_bundled_folder_is_refused(minilm: Path, tmp_path: Path) -> None:
    folder = tmp_path / "all-MiniLM-L6-v2"
    folder.mkdir()
    for file in (minilm / "all-MiniLM-L6-v2").rglob("*"):
        if file.is_file():
            target = folder / file.relative_to(minilm / "all-MiniLM-L6-v2")
            target.parent.mkdir(exist_ok=True)
            target.symlink_to(file)
    (folder / "config.json").unlink()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"config\.json: sha256 is"):
        load_bundled(None, tmp_path)
