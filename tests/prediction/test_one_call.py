import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request as HttpRequest
from werkzeug import Response

from src.one_call.caller import ROLE, ROOM
from src.prediction import one_call
from src.records import ChosenSentence, Claim, Prediction, RankedSentences, Verdict
from src.reranking.top_file import encode_ranked
from src.runner import merge
from src.store import encode_list, read_by_claim
from tests.one_call.replies import AGREEMENT, ANSWER, CLAIM

TEXT = json.dumps(ANSWER)


@pytest.fixture
def flags(tmp_path: Path) -> list[str]:
    """Write three claims with the same sources; return the flags that name the files."""
    sources = [ChosenSentence(source.text, source.url) for source in CLAIM.sources]
    ranked = [encode_ranked(RankedSentences(number, CLAIM.claim, 2, [*sources])) for number in range(3)]
    (tmp_path / "top.json").write_bytes(b"\n".join(ranked))
    claims = [Claim(CLAIM.claim, number, claim_date="3-5-2020") for number in range(3)]
    (tmp_path / "claims.json").write_bytes(encode_list(claims))
    return ["-i", str(tmp_path / "top.json"), "-c", str(tmp_path / "claims.json"), "-o", str(tmp_path / "out.json"),
            "--num_examples", "0"]  # fmt: skip


def script(folder: Path, *outputs: str) -> list[str]:
    lines = [json.dumps({"role": ROLE, "output": output}) for output in outputs]
    (folder / "script.jsonl").write_text("\n".join(lines))
    return ["--llm", f"scripted:{folder / 'script.jsonl'}"]


def test_one_claim_fails_and_the_others_keep_their_own_answers(tmp_path: Path, flags: list[str]) -> None:
    supported = json.dumps(ANSWER | {"agreement": AGREEMENT | {"supported": 5, "refuted": 1}})
    assert one_call.main([*flags, *script(tmp_path, TEXT, "no", "no", supported)]) == 1
    first, failed, last = read_by_claim(tmp_path / "out.json", Prediction)
    assert (first.pred_label, last.pred_label) == (Verdict.REFUTED, Verdict.SUPPORTED)
    assert (first.quote_fits, failed.quote_fits) == ([1.0, 1.0], None)
    assert (failed.evidence, failed.probabilities, failed.level) == ([], None, "undecided")
    (failure,) = map(json.loads, (tmp_path / "out.failures.jsonl").read_text().splitlines())
    assert (failure["claim_id"], failure["error"]) == (1, "ModelError")
    counts = json.loads((tmp_path / "out.manifest.json").read_text())["counts"]
    assert (counts["asked_again"], counts["samples_unusable"]) == (1, 1)


def test_only_failed_claims_are_asked_again(tmp_path: Path, flags: list[str]) -> None:
    assert one_call.main([*flags, *script(tmp_path, TEXT, "no", "no", TEXT)]) == 1
    assert one_call.main([*flags, *script(tmp_path, TEXT, "no", "no", TEXT)]) == 0
    assert all(one.evidence for one in read_by_claim(tmp_path / "out.json", Prediction))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--temperature", "1"], "--temperature changes nothing without --samples"),
        (["--input_price", "1"], "--input_price and --output_price go together"),
        (["--num_examples", "1", "--reference_corpus", "none.json"], "none.json"),
        (["--calibration", "none.json"], "none.json"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, flags: list[str], more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert one_call.main([*flags, *script(tmp_path, TEXT), *more]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_calibration_of_another_model_is_refused(
    tmp_path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    levels = {"limits": {}, "least": 0.1, "alpha": 0.1, "claims": 10}
    numbers = {"sources": 10, "num_examples": 0, "samples": 1, "top_n": 10}
    other = {"model": "another", "sha256": None, "prompt": "x", "settings": numbers, "temperature": 1.0,
             "biases": [0, 0, 0, 0], "levels": levels}  # fmt: skip
    (tmp_path / "calibration.json").write_text(json.dumps(other))
    assert one_call.main([*flags, *script(tmp_path, TEXT), "--calibration", str(tmp_path / "calibration.json")]) == 2
    assert "was fitted for model another" in capsys.readouterr().err


@contextmanager
def served(answer: Callable[[str], object] = str, *, refuses: str = "") -> Iterator[list[str]]:
    """Yield flags that name a server, which calls `answer` with each prompt and gives the right reply.

    It refuses requests with the field `refuses`.
    """

    def handle(request: HttpRequest) -> Response:
        sent = json.loads(request.data)
        if refuses in sent:
            refusal = {"error": {"message": f"{refuses} is not supported"}}
            return Response(json.dumps(refusal), 400, mimetype="application/json")
        answer(sent["messages"][0]["content"])
        choices = [{"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}]
        usage = {"prompt_tokens": 1_000, "completion_tokens": 200}
        return Response(json.dumps({"choices": choices, "usage": usage}), mimetype="application/json")

    with HTTPServer(threaded=True) as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(handle)
        yield ["--llm", f"openai:tiny@{server.url_for('/v1')}"]


def test_claims_are_answered_together_by_a_server(tmp_path: Path, flags: list[str]) -> None:
    together = threading.Barrier(3, timeout=10)  # broken unless the requests of three claims wait at the same time
    with served(lambda prompt: together.wait()) as llm:
        assert one_call.main([*flags, *llm, "--concurrency", "3"]) == 0
    assert all(one.evidence for one in read_by_claim(tmp_path / "out.json", Prediction))


PRICES = ["--input_price", "1.25", "--output_price", "10"]


def test_estimate_and_manifest_have_the_cost(
    tmp_path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    sent: list[str] = []
    with served(sent.append) as llm:
        assert one_call.main([*flags, *llm, *PRICES, "--dry_run"]) == 0
        text = capsys.readouterr().out
        assert "tokens   3000 in prompts, about 600 in replies" in text
        assert "cost     about 0.01, at" in text
        assert len(sent) == 3
        assert one_call.main([*flags, *llm, *PRICES]) == 0
        assert one_call.main([*flags, *llm]) == 0
    assert len(sent) == 6
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert manifest["cost"] == pytest.approx((3_000 * 1.25 + 600 * 10) / 1e6)


@pytest.mark.parametrize(("second", "expected"), [(PRICES, 0.00975), ([], None)])
def test_the_cost_of_shards_is_added_up(
    tmp_path: Path, flags: list[str], second: list[str], expected: float | None
) -> None:
    with served() as llm:
        assert one_call.main([*flags, *llm, *PRICES, "--shard", "0/2"]) == 0
        assert one_call.main([*flags, *llm, *second, "--shard", "1/2"]) == 0
    assert merge.main([str(tmp_path / "out.json"), "-e", "3"]) == 0
    assert json.loads((tmp_path / "out.manifest.json").read_text())["cost"] == expected


def test_prompts_fit_into_the_context_that_is_named_for_a_server(
    tmp_path: Path, flags: list[str], project_root: Path
) -> None:
    sent: list[str] = []
    corpus = project_root / "data_store" / "sample" / "reference.json"
    flags = [*flags, "--num_examples", "3", "--reference_corpus", str(corpus), "--max_new_tokens", "100"]
    with served(sent.append) as llm:
        assert one_call.main([*flags, *llm]) == 0
        longest = max(map(len, sent))
        sent.clear()
        assert one_call.main([*flags, *llm, "--context", str(longest // 3 + 100), "--overwrite"]) == 0
    assert len(sent) == 3
    assert max(map(len, sent)) <= longest - 3 * ROOM
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    assert manifest["counts"]["examples_dropped"] >= 3
    assert manifest["model"]["context"] == longest // 3 + 100


@pytest.mark.parametrize("refuses", ["response_format", ""])
def test_a_refused_schema_is_in_the_manifest(
    tmp_path: Path, flags: list[str], refuses: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(refuses=refuses) as llm:
        assert one_call.main([*flags, *llm, "--cache_dir", str(tmp_path / "cache")]) == 0
        assert one_call.main([*flags, *llm, "--cache_dir", str(tmp_path / "cache"), "--overwrite"]) == 0
    manifest = json.loads((tmp_path / "out.manifest.json").read_text())
    notes = ["the server was not sent the JSON schema: 3 replies"] if refuses else []
    assert [note for note in manifest["notes"] if "schema" in note] == notes
    assert manifest["counts"].get("schema_left_out", 0) == 3 * len(notes)
    assert ("note: the server was not sent the JSON schema" in capsys.readouterr().out) is bool(notes)
