"""Explanations by a language model: directly (zero-shot), or after its reasoning (chain of thought).

They are MADR's first drafts and two of its baselines (Kim et al. 2024, zero-shot and CoT in Table 2). The prompt begins
with the numbered pieces of evidence that are nearest to the claim.
"""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from src.errors import ModelError
from src.explanation.labels import clause, closing
from src.explanation.pieces import Piece, nearest, pieces
from src.explanation.records import ExplainedClaim
from src.explanation.text import behind_reasoning, explained, read_draft
from src.llm.protocol import LanguageModel, Reply, Request
from src.llm.replies import with_room
from src.prompts import fenced, load
from src.runner.manifest import total
from src.runner.outcome import Outcome
from src.store import storable

ZERO_SHOT, COT = "zero_shot", "cot"
_NEW_TOKENS = {ZERO_SHOT: 192, COT: 448}
_DETAILED_TOKENS = {ZERO_SHOT: 768, COT: 1536}
LENGTHS = (
    "one to three sentences that explain",
    "a detailed explanation that shows",
)  # short, and as in the paper


class Writer:
    """Writer of explanations by a language model.

    The model reads `source_words` words of the evidence (None: all). At most `most_words` words of its explanation are
    kept. If `most_words` is None, the model is asked for a detailed explanation, as in the paper, and all of it is
    kept.
    """

    def __init__(self, model: LanguageModel, method: str, source_words: int | None, most_words: int | None) -> None:
        self._model, self._method = model, method
        self._source_words, self._most_words = source_words, most_words

    def write(self, claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        """Return an outcome for each claim, in order; if the model gives no answer, only that claim fails.

        If a chain of thought ends without an explanation, the model is asked once more.
        Raises FatalError if the model cannot go on.
        """
        requests = [self.request(claim) for claim in claims]
        replies = with_room(self._model, requests)
        again = [at for at, one in enumerate(replies) if isinstance(one, Reply) and self._lacks_end(one)]
        second = with_room(self._model, [_repeated(requests[at]) for at in again]) if again else []
        second_replies = dict(zip(again, second, strict=True))
        return [
            self._of_both(claim, reply, second_replies.get(at))
            for at, (claim, reply) in enumerate(zip(claims, replies, strict=True))
        ]

    def _lacks_end(self, reply: Reply) -> bool:
        """Return True if the reply is a chain of thought that ends without an explanation."""
        return self._method == COT and behind_reasoning(reply.text) is None

    def _of_both(
        self, claim: ExplainedClaim, first: Reply | ModelError, second: Reply | ModelError | None
    ) -> Outcome[ExplainedClaim]:
        last = first if second is None else second
        if not isinstance(last, Reply):
            return Outcome(claim, failure=str(last))
        outcome = self.outcome(claim, last)
        if second is None or not isinstance(first, Reply):
            return outcome
        return replace(outcome, counts=total([outcome.counts, _took(first), {"asked_again": 1}]))

    def request(self, claim: ExplainedClaim) -> Request:
        read = self._read(claim)
        prompt = load(f"explanation_{self._method}").substitute(
            evidence=listed(read), claim=" ".join(claim.claim.split()), label=claim.label,
            conclusion=clause(claim.label), closing=closing(claim.label), length=LENGTHS[self._most_words is None],
        )  # fmt: skip
        system = load("explanation_system").template
        return Request(
            prompt,
            chat=True,
            system=system,
            max_new_tokens=(_DETAILED_TOKENS if self._most_words is None else _NEW_TOKENS)[self._method],
            role=f"explanation_{self._method}",
        )

    def outcome(self, claim: ExplainedClaim, reply: Reply) -> Outcome[ExplainedClaim]:
        """Return the claim with the explanation in the reply; the outcome is a failure if the reply has none.

        A text that cannot be stored in a file counts as empty, and so does a chain of thought without an explanation.
        """
        text = reply.text if storable(reply.text) == reply.text else ""
        end = behind_reasoning(text)
        is_open = self._method == COT and end is None
        written = "" if is_open else text if end is None else end
        draft = read_draft(written, self._read(claim), self._most_words)
        counts = {
            **_took(reply),
            "reasoning_without_end": int(is_open),
            "cut_replies": int(reply.stopped == "length"),
            **draft.counts,
        }
        failure = "" if draft.explanation.sentences else "the model wrote no explanation"
        if is_open:
            failure += ': the reply has nothing after "Explanation:", and it was asked twice'
        return Outcome(explained(claim, draft.explanation), counts, failure)

    def _read(self, claim: ExplainedClaim) -> list[Piece]:
        return nearest(pieces(claim), claim.claim, self._source_words)


def _took(reply: Reply) -> dict[str, int]:
    return {"model_calls": reply.calls, "prompt_tokens": reply.prompt_tokens, "new_tokens": reply.new_tokens}


def _repeated(request: Request) -> Request:
    return msgspec.structs.replace(request, prompt=f"{request.prompt}\n{load('explanation_cot_again').template}")


def listed(read: Sequence[Piece]) -> str:
    """Return the pieces of evidence as text, one per line with its number; `(none was found)` if there are none."""
    return "\n".join(f"[{piece.number}] {fenced(piece.whole)}" for piece in read) or "(none was found)"
