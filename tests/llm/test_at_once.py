import pytest

from src.errors import InputError
from src.llm import Options, bundled
from src.llm.at_once import requests_at_once


@pytest.mark.parametrize(
    ("spec", "options", "expected"),
    [
        ("openai:tiny", Options(), 16),
        ("openai:tiny@http://127.0.0.1/v1", Options(concurrency=50), 100),
        ("openai:tiny", Options(concurrency=1), 1),
        ("vllm:tiny", Options(), 64),
        ("gguf:tiny.gguf", Options(), 1),
        ("gguf:tiny.gguf", Options(slots=4), 8),
        ("qwen2.5-coder-1.5b", Options(slots=4), 8),
        ("qwen2.5-coder-1.5b:transformers", Options(slots=4), 6),
        ("smollm2:llamacpp", Options(), 1),
        ("smollm2:torch", Options(), 6),
        ("owner/tiny", Options(batch_rows=2), 2),
        ("hf:owner/tiny", Options(batch_tokens=10_000), 2),
        ("hf:owner/tiny", Options(batch_tokens=1_000), 1),
        ("scripted:replies.jsonl", Options(), 1),
    ],
)
def test_requests_at_once_follow_the_options_of_the_engine(spec: str, options: Options, expected: int) -> None:
    assert requests_at_once(spec, options, 5_000) == expected


def test_the_bundled_model_has_batches_of_the_engine_that_was_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bundled, "remembered", lambda folder: bundled.LLAMACPP)
    assert requests_at_once("smollm2", Options(slots=2), 5_000) == 4
    monkeypatch.setattr(bundled, "remembered", lambda folder: bundled.TORCH)
    assert requests_at_once("smollm2", Options(slots=2), 5_000) == 6


def test_an_unknown_spec_is_refused() -> None:
    with pytest.raises(InputError, match="unknown model"):
        requests_at_once("tiny", Options(), 5_000)
