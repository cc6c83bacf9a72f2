"""The step that trains a model for one call a claim: the replies it learns, its rows, and its output folder."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import torch
from transformers import AutoTokenizer

from src.llm.chat import prompt_text
from src.llm.protocol import ModelInfo, Reply, Request
from src.llm.schema_mask import SchemaMask, schema_tokenizer
from src.llm.special_tokens import special_of
from src.models.trained import read_trained
from src.one_call.answers import ClaimAnswer, Ratings, schema
from src.one_call.caller import OneCall
from src.one_call.checks import checked
from src.one_call.sources import ClaimSources, Source
from src.records import Claim, RankedSentences, Sentence, Verdict
from src.reranking.top_file import encode_ranked
from src.training.gold_replies import SourcedAnswer, gold_reply, shown_sources, sourced_answers
from src.training.one_call import Example, OneCallTraining, examples_of, richest
from src.training.text_loss import Row
from src.training.train_one_call import main
from tests.tiny_models import make_causal
from tests.training.small_claims import claims, write_claims

CONTEXT = 4096
SMALL = [
    "--steps", "2", "--every", "2", "--batch", "2", "--rank", "2", "--alpha", "4", "--scored", "2",
    "--first_layer", "1", "--max_length", str(CONTEXT), "--tokens", str(CONTEXT),
]  # fmt: skip


class Listener:
    """A language model that keeps its requests and writes nothing of use."""

    info = ModelInfo("listener", "listener", "listener")

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.requests += requests
        return [Reply("no", 1, 1, "eos") for _ in requests]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


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
    answers = sourced_answers(claim, _sources(claim))
    shown = shown_sources(_sources(claim), answers, most=2)
    assert [source.url for source in shown.sources] == ["https://page.example/1", "https://page.example/2"]
    reply = gold_reply(claim, shown, answers)
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
    away = ClaimSources(0, claim.claim, "", "", (Source("Ducks swim.", "https://page.example"),))
    assert sourced_answers(claim, away) == []
    assert sourced_answers(claim, ClaimSources(0, claim.claim, "", "", ())) == []


def test_answers_that_the_checks_would_drop_are_left_out() -> None:
    claim = claims(1)[0]
    claim.questions[1].question = "Did Quentin Marlow raise a tax?"
    assert [one.quote[:6] for one in sourced_answers(claim, _sources(claim))] == ["People"]
    claim.justification = "The town closed three. Quentin Marlow says so."
    answers = sourced_answers(claim, _sources(claim))
    reply = gold_reply(claim, _sources(claim), answers)
    assert [one.sentence for one in reply.justification] == ["The town closed three."]


def test_sources_keep_their_order() -> None:
    sources = tuple(Source(f"Text {number}.", "https://page.example") for number in range(4))
    answers = [SourcedAnswer("q", "a", sources[3], "Text 3."), SourcedAnswer("q", "a", sources[1], "Text 1.")]
    shown = shown_sources(ClaimSources(0, "A claim.", "", "", sources), answers, most=3)
    assert [source.text for source in shown.sources] == ["Text 0.", "Text 1.", "Text 3."]


def test_a_row_is_the_prompt_of_the_step_and_the_reply(base: Path, tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    settings = OneCallTraining(output=tmp_path, top_k_sentences=tmp_path)
    claim = claims(1)[0]
    ((_, answers, row),) = examples_of([claim], {0: _sources(claim)}, settings, tokenizer)
    assert answers == 2
    reply = str(tokenizer.decode(row.tokens[-row.learned :]))
    assert reply.endswith(tokenizer.eos_token)
    answer = msgspec.json.decode(reply.removesuffix(tokenizer.eos_token), type=ClaimAnswer)
    assert len(answer.questions) == 2
    model = Listener()
    shown = shown_sources(_sources(claim), sourced_answers(claim, _sources(claim)), most=5)
    OneCall(model, examples=None, num_examples=0, pairs=settings.top_n).check_all([shown])
    prompt = prompt_text(tokenizer, model.requests[0], special_of(tokenizer.added_tokens_decoder))
    assert tokenizer(prompt.text, add_special_tokens=prompt.special)["input_ids"] == row.tokens[: -row.learned]


def test_an_engine_that_holds_replies_to_the_schema_could_write_what_is_learned(base: Path, tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    settings = OneCallTraining(output=tmp_path, top_k_sentences=tmp_path)
    claim = claims(1)[0]
    ((_, answers, row),) = examples_of([claim], {0: _sources(claim)}, settings, tokenizer)
    assert answers == 2
    *learned, end = row.tokens[-row.learned :]
    mask = SchemaMask(schema_tokenizer(tokenizer, len(tokenizer), [end]), [schema(settings.top_n)], 1, [end])
    tokens = [end]  # a prompt
    for token in [*learned, end]:
        allowed = mask(torch.tensor([tokens]), torch.zeros(1, len(tokenizer)))[0]
        assert torch.isfinite(allowed[token])
        tokens.append(token)


@pytest.mark.parametrize(("label", "learned"), [(Verdict.NOT_ENOUGH_EVIDENCE, 1), (Verdict.REFUTED, 0), (None, 0)])
def test_claims_without_an_answer_in_the_sources(
    label: Verdict | None, learned: int, base: Path, tmp_path: Path
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    settings = OneCallTraining(output=tmp_path, top_k_sentences=tmp_path)
    claim = Claim("Ducks fly.", claim_id=0, label=label)
    sources = ClaimSources(0, claim.claim, "", "", (Source("Ducks swim.", "https://page.example"),))
    rows = [one.row for one in examples_of([claim], {0: sources}, settings, tokenizer)]
    assert len(rows) == learned
    if rows:
        text = str(tokenizer.decode(rows[0].tokens[-rows[0].learned :])).removesuffix(tokenizer.eos_token)
        answer = msgspec.json.decode(text, type=ClaimAnswer)
        assert (answer.questions, answer.agreement) == ([], Ratings(1, 1, 5, 1))


def test_claims_with_most_answers_are_learned_and_labels_keep_their_shares() -> None:
    counts = [(Verdict.REFUTED, count) for count in (1, 3, 2, 3)] + [(Verdict.SUPPORTED, count) for count in (1, 2)]
    examples = [Example(label, count, Row([place], 1)) for place, (label, count) in enumerate(counts)]
    assert [one.row.tokens for one in richest(examples, 3)] == [[1], [3], [5]]
    assert richest(examples, 6) == richest(examples, 60) == examples
    assert richest([], 3) == []


def test_a_source_with_the_question_teaches_no_question() -> None:
    claim = claims(1)[0]
    question = claim.questions[1].question
    sources = [replace(source, text=f"{question} {source.text}") for source in _sources(claim).sources]
    answers = sourced_answers(claim, replace(_sources(claim), sources=tuple(sources)))
    assert [one.question for one in answers] == [claim.questions[0].question]


def test_without_pairs_only_a_conclusion_is_learned() -> None:
    claim = claims(1)[0]
    claim.justification = "The town closed three. Nothing is known."
    reply = gold_reply(claim, _sources(claim), [])
    assert [(one.sentence, one.sources) for one in reply.justification] == [("Nothing is known.", [])]
    assert checked(reply, _sources(claim), 4).justification == "Nothing is known."


def test_fewer_claims_can_be_learned(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _train(tmp_path, base, "--claims", "4") == 0
    assert "4 examples" in capsys.readouterr().out


def test_it_leaves_an_adapter_and_says_what_the_model_was_without_it(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _train(tmp_path, base) == 0
    trained = read_trained(tmp_path / "made", "one_call")
    assert set(trained.scores) == {"log-probability"}
    assert set(trained.baselines) == {"without the adapter: log-probability"}
    assert trained.recipe["options"] == {"claims": 240, "sources": 5, "top_n": 4, "scored": 2, "measured": 16}
    printed = capsys.readouterr().out
    assert "2 claims choose the weights, 3 others are scored, 0 are too long" in printed


def test_all_weights_can_be_trained(base: Path, tmp_path: Path) -> None:
    assert _train(tmp_path, base, "--rank", "0", "--first_layer", "0", "--quiet") == 0
    assert read_trained(tmp_path / "made").baselines == {}


def test_a_file_without_training_claims(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_claims(tmp_path)
    empty = tmp_path / "empty.json"
    empty.write_bytes(encode_ranked(RankedSentences(0, claims(1)[0].claim, 1, [])) + b"\n")
    assert _train(tmp_path, base, "-i", str(empty)) == 2
    assert "empty.json: 0 claims to learn from and 0 held out are too few" in capsys.readouterr().err
