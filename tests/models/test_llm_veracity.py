"""Labels scored by a language model: prompt, softmax, replies without a label, and prompts that are too long."""

import math
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from src.llm import get_llm
from src.llm.protocol import ModelInfo, Reply, Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.models.llm_veracity import ROLE, ROOM, LabelScorer, prompt_for, shortened
from src.records import VERDICTS, Evidence, QAPair, Verdict
from tests.tiny_models import make_causal

CLAIM = Evidence(0, " The river\nrose. ", [QAPair("When? ", "In  2019,\nby 12 percent."), QAPair("Why?", "Rain.")])
LETTERS = ModelInfo("letters", "test", "letters")
TOKENS = ModelInfo("tokens", "test", "tokens", can=frozenset({"label_tokens"}))


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


class FixedReply:
    """Model that gives the same reply to every request."""

    def __init__(self, reply: Reply, info: ModelInfo = TOKENS) -> None:
        self.reply, self.info = reply, info
        self.requests: list[Request] = []

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.requests += requests
        return [self.reply] * len(requests)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return words(texts)


def reply(text: str, *scores: float) -> Reply:
    return Reply(text, 50, 0, "choices", scores)


def test_the_prompt_holds_claim_and_evidence_one_line_each() -> None:
    lines = prompt_for(CLAIM).splitlines()
    assert "Claim: The river rose." in lines
    assert lines[lines.index("Evidence:") + 1 :][:2] == ["1. When? In 2019, by 12 percent.", "2. Why? Rain."]
    assert "$evidence costs $5" in prompt_for(Evidence(0, "$evidence costs $5", []))


@pytest.mark.parametrize("best", range(4))
def test_the_best_score_is_the_verdict(best: int) -> None:
    scores = [-5.0] * 4
    scores[best] = -1.0
    (judgment,) = LabelScorer(FixedReply(reply("", *scores))).judge([CLAIM])
    assert judgment.verdict == VERDICTS[best]
    assert judgment.probabilities is not None
    assert sum(judgment.probabilities.values()) == pytest.approx(1, abs=1e-5)
    assert judgment.counts == {"prompts": 1, "prompt_tokens": 50, "answers_cut": 0, "unparsed": 0}


@pytest.mark.parametrize(
    "garbage",
    [reply(""), reply("Banana"), reply("Supported Refuted"), reply("", math.nan, 0, 0, 0), reply("", -1.0, -2.0)],
)
def test_an_answer_that_is_no_label_is_counted_and_not_guessed(garbage: Reply) -> None:
    (judgment,) = LabelScorer(FixedReply(garbage)).judge([CLAIM])
    assert (judgment.verdict, judgment.probabilities) == (Verdict.NOT_ENOUGH_EVIDENCE, None)
    assert judgment.counts["unparsed"] == 1


def test_a_label_without_scores_is_taken() -> None:
    (judgment,) = LabelScorer(FixedReply(reply(" Refuted"))).judge([CLAIM])
    assert (judgment.verdict, judgment.probabilities) == (Verdict.REFUTED, None)
    assert judgment.counts["unparsed"] == 0


def test_the_requests_for_labels() -> None:
    by_tokens, by_letters = FixedReply(reply("Refuted"), TOKENS), FixedReply(reply("Refuted"), LETTERS)
    LabelScorer(by_tokens).judge([CLAIM])
    LabelScorer(by_letters).judge([CLAIM])
    assert by_tokens.requests == [
        Request(prompt_for(CLAIM), choices=tuple(f" {verdict}" for verdict in VERDICTS), role=ROLE)
    ]
    assert by_letters.requests == [Request(prompt_for(CLAIM), chat=True, choices=tuple(VERDICTS), role=ROLE)]


def test_a_script_may_name_labels_or_scores() -> None:
    model = ScriptedModel([ScriptLine(ROLE, "Refuted"), ScriptLine(ROLE, [-9.0, -8.0, -7.0, -6.0])])
    judgments = LabelScorer(model).judge([CLAIM, CLAIM])
    assert [judgment.verdict for judgment in judgments] == [Verdict.REFUTED, Verdict.CONFLICTING]


def test_long_answers_are_cut_until_the_prompt_fits() -> None:
    long = Evidence(0, "c", [QAPair("Q?", "word " * 900), QAPair("Q?", "other " * 150)])
    shortest = shortened(long, 10, words)
    assert shortest == prompt_for(long, 25)
    assert shortened(long, 10_000, words) == prompt_for(long, 400)
    assert shortened(long, words([prompt_for(long, 100)])[0], words) == prompt_for(long, 100)
    model = FixedReply(reply("Refuted"), msgspec.structs.replace(TOKENS, context=300 + ROOM))
    first, second = LabelScorer(model).judge([long, CLAIM])
    assert (first.counts["answers_cut"], second.counts["answers_cut"]) == (1, 0)
    assert [len(request.prompt.split()) <= 300 for request in model.requests] == [True, True]
    assert model.requests[1].prompt == prompt_for(CLAIM)


def test_a_real_engine_scores_a_batch_as_one_by_one(tmp_path: Path) -> None:
    scorer = LabelScorer(get_llm(f"hf:{make_causal(tmp_path / 'tiny')}"))
    claims = [CLAIM, Evidence(1, "Taxes were cut.", CLAIM.evidence[:1]), Evidence(2, "No.", CLAIM.evidence * 3)]
    together = scorer.judge(claims)
    for claim, judgment in zip(claims, together, strict=True):
        (alone,) = scorer.judge([claim])
        assert judgment.verdict == alone.verdict
        assert judgment.probabilities == pytest.approx(alone.probabilities, abs=1e-4)


def test_the_estimate_counts_claims_with_evidence_only() -> None:
    claims = [msgspec.structs.replace(CLAIM, claim_id=place) for place in range(10)] + [Evidence(10, "c", [])]
    estimate = LabelScorer(FixedReply(reply("Refuted"))).estimate(claims)
    (tokens,) = words([prompt_for(CLAIM)])
    assert (estimate.claims, estimate.prompts, estimate.tokens) == (11, 10, 10 * tokens)
    assert LabelScorer(FixedReply(reply("Refuted"))).estimate(claims[10:]).prompts == 0
