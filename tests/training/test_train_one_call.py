"""The step that trains a model for one call a claim: the replies it learns, its rows, and its output folder."""

from pathlib import Path

import msgspec
import pytest
from transformers import AutoTokenizer

from src.models.trained import read_trained
from src.one_call.answers import ClaimAnswer, Ratings
from src.one_call.checks import checked
from src.one_call.sources import ClaimSources, Source
from src.records import Claim, RankedSentences, Sentence, Verdict
from src.reranking.top_file import encode_ranked
from src.training.one_call import Found, OneCallTraining, found_answers, gold_reply, rows_of, shown_sources
from src.training.train_one_call import main
from tests.tiny_models import make_causal
from tests.training.small_claims import claims, write_claims

CONTEXT = 4096
SMALL = [
    "--steps", "2", "--every", "2", "--batch", "2", "--rank", "2", "--alpha", "4", "--scored", "2",
    "--first_layer", "1", "--max_length", str(CONTEXT), "--tokens", str(CONTEXT),
]  # fmt: skip


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_causal(tmp_path_factory.mktemp("causal") / "tiny", context=CONTEXT)


def _ranked(claim: Claim) -> list[Sentence]:
    """Return a claim's passages: one about something else first, then those of its gold answers."""
    answers = [answer for question in claim.questions[:2] for answer in question.answers[:1]]
    texts = ["Ducks swim.", *(answer.boolean_explanation or f"People say: {answer.answer}." for answer in answers)]
    return [Sentence(text, f"https://page.example/{place}") for place, text in enumerate(texts)]


def _sources(claim: Claim) -> ClaimSources:
    sources = tuple(Source(one.sentence, one.url) for one in _ranked(claim))
    return ClaimSources(claim.claim_id, claim.claim, "", "", sources)


def _top_file(folder: Path, most: int = 40) -> Path:
    path = folder / "top_k.json"
    lines = [encode_ranked(RankedSentences(one.claim_id, one.claim, 3, _ranked(one))) for one in claims(most)]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def _train(folder: Path, base: Path, *more: str) -> int:
    output = ["-o", str(folder / "made"), "--results", str(folder / "results.jsonl"), "-i", str(_top_file(folder))]
    files = ["--train", str(write_claims(folder)), "--leave_out", "none", "--base", f"hf:{base}"]
    return main([*files, *output, *SMALL, *more])


def test_the_reply_is_made_from_gold_data_and_passes_the_checks() -> None:
    claim = claims(1)[0]
    claim.justification = "The town closed three. The tax rose."
    found = found_answers(claim, _sources(claim))
    shown = shown_sources(_sources(claim), found, most=2)
    assert [source.url for source in shown.sources] == ["https://page.example/1", "https://page.example/2"]
    reply = gold_reply(claim, shown, found)
    assert [(pair.source, pair.quote, pair.question, pair.answer) for pair in reply.questions] == [
        (
            1,
            "People say: In 1990 the town closed 3 of its schools.",
            "How many schools did Oster close in 1990",
            "In 1990 the town closed 3 of its schools",
        ),
        (
            2,
            "The council of Oster raised the tax on 2 bridges.",
            "Was a tax raised in Oster?",
            "Yes. The council of Oster raised the tax on 2 bridges.",
        ),
    ]
    assert [(one.sentence, one.sources) for one in reply.justification] == [
        ("The town closed three.", [1, 2]),
        ("The tax rose.", [1, 2]),
    ]
    assert reply.agreement == Ratings(5, 1, 1, 1)
    assert len(checked(reply, shown, 4).pairs) == 2


def test_answers_that_no_source_has_are_left_out() -> None:
    claim = claims(1)[0]
    bare = ClaimSources(0, claim.claim, "", "", (Source("Ducks swim.", "https://page.example"),))
    assert found_answers(claim, bare) == []
    assert found_answers(claim, ClaimSources(0, claim.claim, "", "", ())) == []


def test_sources_keep_their_order() -> None:
    sources = tuple(Source(f"Text {number}.", "https://page.example") for number in range(4))
    found = [Found("q", "a", sources[3], "Text 3."), Found("q", "a", sources[1], "Text 1.")]
    shown = shown_sources(ClaimSources(0, "A claim.", "", "", sources), found, most=3)
    assert [source.text for source in shown.sources] == ["Text 0.", "Text 1.", "Text 3."]


def test_a_row_is_the_prompt_of_the_step_and_the_reply(base: Path, tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    settings = OneCallTraining(output=tmp_path, top_k_sentences=tmp_path)
    claim = claims(1)[0]
    (row,) = rows_of([claim], {0: _sources(claim)}, settings, tokenizer, CONTEXT)
    reply = str(tokenizer.decode(row.tokens[-row.learned :]))
    assert reply.endswith(tokenizer.eos_token)
    answer = msgspec.json.decode(reply.removesuffix(tokenizer.eos_token), type=ClaimAnswer)
    assert len(answer.questions) == 2
    prompt = tokenizer.decode(row.tokens[: -row.learned])
    assert f"Claim: {claim.claim}" in prompt
    assert '[2] page.example: "People say: In 1990' in prompt


@pytest.mark.parametrize(("label", "learned"), [(Verdict.NOT_ENOUGH_EVIDENCE, 1), (Verdict.REFUTED, 0), (None, 0)])
def test_claims_without_an_answer_in_the_sources(
    label: Verdict | None, learned: int, base: Path, tmp_path: Path
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    settings = OneCallTraining(output=tmp_path, top_k_sentences=tmp_path)
    claim = Claim("Ducks fly.", claim_id=0, label=label)
    sources = ClaimSources(0, claim.claim, "", "", (Source("Ducks swim.", "https://page.example"),))
    rows = rows_of([claim], {0: sources}, settings, tokenizer, CONTEXT)
    assert len(rows) == learned
    if rows:
        text = str(tokenizer.decode(rows[0].tokens[-rows[0].learned :])).removesuffix(tokenizer.eos_token)
        answer = msgspec.json.decode(text, type=ClaimAnswer)
        assert (answer.questions, answer.agreement) == ([], Ratings(1, 1, 5, 1))


def test_it_leaves_an_adapter_and_says_what_the_model_was_without_it(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _train(tmp_path, base) == 0
    trained = read_trained(tmp_path / "made", "one_call")
    assert set(trained.scores) == {"log-probability"}
    assert set(trained.baselines) == {"without the adapter"}
    assert trained.recipe["options"] == {"sources": 5, "top_n": 4, "scored": 2}
    assert "claims held out" in capsys.readouterr().out


def test_all_weights_can_be_trained(base: Path, tmp_path: Path) -> None:
    assert _train(tmp_path, base, "--rank", "0", "--first_layer", "0", "--quiet") == 0
    assert read_trained(tmp_path / "made").baselines == {}


def test_a_file_without_training_claims(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_claims(tmp_path)
    empty = tmp_path / "empty.json"
    empty.write_bytes(encode_ranked(RankedSentences(0, claims(1)[0].claim, 1, [])) + b"\n")
    assert _train(tmp_path, base, "-i", str(empty)) == 2
    assert "empty.json: 0 claims to learn from and 0 held out are too few" in capsys.readouterr().err
