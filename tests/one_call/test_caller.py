import json
from collections.abc import Sequence

import msgspec
import pytest

from src.errors import ModelError
from src.llm.protocol import ModelInfo, PartialError, Reply, Request
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.one_call.caller import ROLE, OneCall
from src.one_call.examples import ClaimExamples
from src.one_call.sources import ClaimSources
from src.records import Answer, Claim, Level, Question, Verdict
from tests.one_call.replies import AGREEMENT, ANSWER, CLAIM, OTHER, PAIR

TEXT = json.dumps(ANSWER)
INVENTED = json.dumps(ANSWER | {"questions": [PAIR | {"quote": "Something that no source says anywhere."}]})


def scripted(*outputs: str, context: int | None = None) -> ScriptedModel:
    info = ModelInfo("scripted", "scripted", "script", context=context)
    return ScriptedModel([ScriptLine(ROLE, output) for output in outputs], info)


def test_a_claim_takes_one_call() -> None:
    model = scripted(TEXT)
    (outcome,) = OneCall(model).check_all([CLAIM])
    prediction = outcome.record
    assert (prediction.claim_id, prediction.pred_label, prediction.speaker) == (7, Verdict.REFUTED, "Ilse Tarrant")
    assert [pair.url for pair in prediction.evidence] == [source.url for source in CLAIM.sources]
    assert prediction.justification == "Eels swim in the Varn. [1]"
    assert prediction.level is None
    assert (outcome.counts["calls"], outcome.failure) == (1, "")
    (request,) = model.asked
    assert request.chat
    assert request.temperature == 0
    assert json.loads(request.schema)["type"] == "object"
    assert request.prompt[: request.shared].endswith("proves nothing.")


@pytest.mark.parametrize("first", ["", "I cannot say.", TEXT[:80], INVENTED])
def test_a_reply_that_cannot_be_used_is_asked_for_once_more_with_what_was_wrong(first: str) -> None:
    model = scripted(first, TEXT)
    (outcome,) = OneCall(model).check_all([CLAIM])
    assert outcome.record.pred_label is Verdict.REFUTED
    assert (outcome.counts["calls"], outcome.counts["asked_again"]) == (2, 1)
    assert model.asked[1].prompt.startswith(model.asked[0].prompt)
    assert "An earlier reply cannot be used: " in model.asked[1].prompt


@pytest.mark.parametrize("second", ["no", INVENTED])
def test_then_the_claim_fails_alone_and_has_no_verdict(second: str) -> None:
    other = ClaimSources(8, CLAIM.claim, "", "", CLAIM.sources)
    first, last = OneCall(scripted("nothing", TEXT, second)).check_all([CLAIM, other])
    assert first.failure.startswith("no reply of the model can be used: ")
    assert first.counts["pairs_with_misquote"] == (second == INVENTED)
    assert (first.record.evidence, first.record.probabilities, first.record.justification) == ([], None, None)
    assert first.record.level is Level.UNDECIDED
    assert (last.failure, last.record.claim_id, last.record.pred_label) == ("", 8, Verdict.REFUTED)


class Failing:
    """A model that fails for prompts with a word."""

    def __init__(self, word: str) -> None:
        self._word, self.info = word, ModelInfo("f", "f", "f")

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        outcomes: list[Reply | ModelError] = [
            ModelError("busy") if self._word in one.prompt else Reply(TEXT, 1, 1, "eos") for one in requests
        ]
        if any(isinstance(one, ModelError) for one in outcomes):
            raise PartialError(outcomes)
        return [one for one in outcomes if isinstance(one, Reply)]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def test_an_error_of_the_model_fails_one_claim() -> None:
    other = ClaimSources(8, "Otters sing.", "", "", CLAIM.sources)
    first, last = OneCall(Failing("Otters sing.")).check_all([CLAIM, other])
    assert first.failure == ""
    assert last.failure.endswith("busy")


def test_without_sources_no_model_is_asked() -> None:
    bare = ClaimSources(8, "Otters sing.", "", "", ())
    outcomes = OneCall(scripted(TEXT)).check_all([bare, CLAIM])
    assert [one.record.pred_label for one in outcomes] == [Verdict.NOT_ENOUGH_EVIDENCE, Verdict.REFUTED]
    assert (outcomes[0].failure, outcomes[0].counts) == ("", {"no_evidence": 1})


def test_without_a_pair_an_answer_can_only_be_not_enough_evidence() -> None:
    bare = json.dumps(ANSWER | {"questions": []})
    (outcome,) = OneCall(scripted(bare, bare)).check_all([CLAIM])
    assert "the sources show nothing" in outcome.failure
    assert (outcome.counts["asked_again"], outcome.record.probabilities) == (1, None)
    unknown = {"supported": 1, "refuted": 1, "not_enough_evidence": 5, "conflicting_evidence_or_cherrypicking": 1}
    (outcome,) = OneCall(scripted(json.dumps(ANSWER | {"questions": [], "agreement": unknown}))).check_all([CLAIM])
    assert (outcome.record.pred_label, outcome.record.evidence) == (Verdict.NOT_ENOUGH_EVIDENCE, [])


def test_samples_vote_with_their_ratings_and_the_fullest_that_agrees_is_shown() -> None:
    supported = json.dumps(ANSWER | {"agreement": AGREEMENT | {"supported": 4, "refuted": 2}})
    short = json.dumps(ANSWER | {"questions": [OTHER]})
    model = scripted(supported, short, TEXT, "no", "no again")
    (outcome,) = OneCall(model, samples=4).check_all([CLAIM])
    assert outcome.record.pred_label is Verdict.REFUTED
    assert len(outcome.record.evidence) == 2
    assert (outcome.counts["calls"], outcome.counts["samples_unusable"]) == (5, 1)
    drawn = model.asked[:4]
    assert len({request.seed for request in drawn}) == 4
    assert {request.temperature for request in drawn} == {0.7}
    assert {request.shared for request in drawn} == {len(drawn[0].prompt)}
    assert outcome.counts["prompts"] == 4


def test_a_prompt_without_room_fails_its_claim() -> None:
    (outcome,) = OneCall(scripted(TEXT, context=2_200)).check_all([CLAIM])
    assert "longer than the 104 tokens" in outcome.failure


def test_examples_are_like_the_claim_and_never_the_claim_itself() -> None:
    def claim(text: str, label: Verdict | None = Verdict.REFUTED) -> Claim:
        return Claim(text, label=label, questions=[Question(f"About {text}?", [Answer("It is so")])])

    claims = [claim("Otters sing in spring."), claim("no eels swim in the Varn"), claim("Eels swim in the Thames."),
              claim("Eels swim.", None)]  # fmt: skip
    first, second = ClaimExamples(claims).similar(CLAIM.claim, 3)
    assert first.startswith(
        "Claim: Eels swim in the Thames.\nQuestion: About Eels swim in the Thames.?\nAnswer: It is so"
    )
    assert first.endswith("Label: Refuted")
    assert second.startswith("Claim: Otters")


def test_an_estimate_counts_samples() -> None:
    estimate = OneCall(scripted(*[TEXT] * 8), samples=5).estimate([CLAIM, msgspec.convert(CLAIM, ClaimSources)])
    assert estimate.prompts == 10
    assert estimate.tokens > 1_000
