"""A language model as judge: one request for the questions of a claim, and one for its question-answer pairs.

The settings are those of the official scorers: greedy decoding, at most 3,000 new tokens. An answer that cannot be read
is requested once more, with what was wrong. After that the claim is not scored. It is never scored as 0.
"""

from collections.abc import Sequence
from typing import NamedTuple

from src.errors import ModelError
from src.ev2r.prompts import EVIDENCE, QUESTIONS, JudgePrompts
from src.ev2r.records import ClaimJudgment, Judged, Status
from src.ev2r.texts import ClaimTexts
from src.llm.json_replies import UnreadableReplyError, asked_again
from src.llm.protocol import LanguageModel, Reply, Request
from src.llm.replies import with_room

NEW_TOKENS = 3_000
Read = Judged | UnreadableReplyError | ModelError


class Asked(NamedTuple):
    """A request to the judge: index of its claim, its role, and its prompt."""

    place: int
    role: str
    prompt: str


class ModelJudge:
    """Judge that asks a language model.

    `model`: model that chats.
    `prompts`: its prompts.
    `at_once`: number of claims that it should get together.
    """

    def __init__(self, model: LanguageModel, prompts: JudgePrompts, at_once: int = 1) -> None:
        self._model, self._prompts = model, prompts
        self.info, self.prompt_sha256, self.at_once = model.info, prompts.sha256, at_once

    def judge(self, claims: Sequence[ClaimTexts], *, only_questions: bool = False) -> list[ClaimJudgment]:
        """Return the judgment of each claim, in order. Raises FatalError as the model does."""
        asked = [one for place, claim in enumerate(claims) for one in self._asked(place, claim)]
        if only_questions:
            asked = [one for one in asked if one.role == QUESTIONS]
        first = self._read(asked)
        again = [
            one._replace(prompt=asked_again(one.prompt, str(result)))
            for one, result in zip(asked, first, strict=True)
            if isinstance(result, UnreadableReplyError)
        ]
        second = {(one.place, one.role): result for one, result in zip(again, self._read(again), strict=True)}
        results = {
            (one.place, one.role): second.get((one.place, one.role), result)
            for one, result in zip(asked, first, strict=True)
        }
        return [
            _judgment(
                claim,
                {role: results[place, role] for role in (QUESTIONS, EVIDENCE) if (place, role) in results},
                sum(place == other for other, _ in second),
            )
            for place, claim in enumerate(claims)
        ]

    def _asked(self, place: int, claim: ClaimTexts) -> list[Asked]:
        questions = [Asked(place, QUESTIONS, self._prompts.of_questions(claim))] if claim.has_questions else []
        return [*questions, Asked(place, EVIDENCE, self._prompts.of_evidence(claim))]

    def _read(self, asked: Sequence[Asked]) -> list[Read]:
        if not asked:
            return []
        requests = [
            Request(one.prompt, chat=True, max_new_tokens=NEW_TOKENS, role=one.role, schema=self._prompts.schema)
            for one in asked
        ]
        return [self._of_reply(reply) for reply in with_room(self._model, requests)]

    def _of_reply(self, reply: Reply | ModelError) -> Read:
        if isinstance(reply, ModelError):
            return reply
        try:
            return self._prompts.read(reply)
        except UnreadableReplyError as error:
            return error


def _judgment(claim: ClaimTexts, results: dict[str, Read], second_requests: int) -> ClaimJudgment:
    """Return the judgment of a claim from the results by role; a failed request is named before an unread answer."""
    statuses = {ModelError: Status.CALL_FAILED, UnreadableReplyError: Status.UNPARSEABLE}
    for kind, status in statuses.items():
        for role, result in results.items():
            if isinstance(result, kind):
                reason = f"{role}: {result}"
                return ClaimJudgment(claim.claim_id, status, reason=reason, second_requests=second_requests)
    usable = {role: result for role, result in results.items() if isinstance(result, Judged)}
    questions = usable.get(QUESTIONS)
    return ClaimJudgment(
        claim.claim_id,
        Status.SCORED,
        questions,
        usable.get(EVIDENCE),
        second_requests=second_requests,
        lists_differ=questions is not None and _differ(questions, claim),
    )


def _differ(judged: Judged, claim: ClaimTexts) -> bool:
    """Return True if the judge listed more or fewer questions than there are."""
    listed = (len(judged.predicted), len(judged.reference))
    return listed != (len(claim.predicted_questions), len(claim.reference_questions))
