"""Drafts for claims without an explanation, written before the debate."""

from collections.abc import Mapping, Sequence

from src.explanation.debate.together import answered
from src.explanation.records import ExplainedClaim
from src.explanation.writer import Writer
from src.llm.protocol import LanguageModel, Reply
from src.llm.replies import NoRoomError
from src.runner.outcome import Outcome


class Drafter:
    """Writer of missing drafts; `model` answers the requests of `writer`."""

    def __init__(self, writer: Writer, model: LanguageModel) -> None:
        self._writer, self._model = writer, model

    def drafted(self, claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        """Return an outcome for each claim, in order; a claim without an answer fails alone and has no explanation.

        Raises: FatalError if the model cannot go on.
        """
        requests = [self._writer.request(claim) for claim in claims]
        models: Mapping[str, LanguageModel] = {request.role: self._model for request in requests}
        found = []
        for claim, answer in zip(claims, answered(requests, models), strict=True):
            took = {"drafts": 1, "model_milliseconds": round(1000 * answer.seconds)}
            if not isinstance(answer.reply, Reply):
                calls = int(not isinstance(answer.reply, NoRoomError))
                found.append(
                    Outcome(
                        claim,
                        took | {"model_calls": calls, "prompt_tokens": 0, "new_tokens": 0},
                        f"no draft: {answer.reply}",
                    )
                )
            else:
                one = self._writer.outcome(claim, answer.reply)
                found.append(Outcome(one.record, {**took, **one.counts}, one.failure))
        return found
