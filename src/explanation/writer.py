"""Explanations by a language model: at once (zero-shot), or behind its reasoning (chain of thought).

MADR's first drafts and two of its baselines (Kim et al. 2024, zero-shot and CoT in Table 2). The evidence stands first,
cut to the pieces nearest to the claim, each with its number.
"""

from collections.abc import Sequence

import msgspec

from src.explanation.draft import behind_reasoning, read_draft
from src.explanation.labels import clause, closing
from src.explanation.pieces import Piece, nearest, pieces
from src.explanation.records import ExplainedClaim, Explanation
from src.llm.each_reply import each_reply
from src.llm.protocol import LanguageModel, Reply, Request
from src.prompts import load
from src.runner.outcome import Outcome
from src.store import storable
from src.text import sentences

ZERO_SHOT, COT = "zero_shot", "cot"
_NEW_TOKENS = {ZERO_SHOT: 192, COT: 448}


class Writer:
    """`source_words` are read of the evidence, at most `most_words` are kept of an explanation."""

    def __init__(self, model: LanguageModel, method: str, source_words: int, most_words: int) -> None:
        self._model, self._method = model, method
        self._source_words, self._most_words = source_words, most_words

    def write(self, claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        """In order. A claim for which the model has no answer fails, alone. Raises FatalError."""
        replies = each_reply(self._model, [self.request(claim) for claim in claims])
        return [
            self.outcome(claim, reply) if isinstance(reply, Reply) else Outcome(claim, failure=str(reply))
            for claim, reply in zip(claims, replies, strict=True)
        ]

    def request(self, claim: ExplainedClaim) -> Request:
        read = self._read(claim)
        prompt = load(f"explanation_{self._method}").substitute(
            evidence=listed(read), claim=" ".join(claim.claim.split()), label=claim.label,
            conclusion=clause(claim.label), closing=closing(claim.label),
        )  # fmt: skip
        system = load("explanation_system").template
        return Request(
            prompt,
            chat=True,
            system=system,
            max_new_tokens=_NEW_TOKENS[self._method],
            role=f"explanation_{self._method}",
        )

    def outcome(self, claim: ExplainedClaim, reply: Reply) -> Outcome[ExplainedClaim]:
        """What became of the claim by the reply to its request; a failure where that says nothing.

        A text that no file could hold says nothing.
        """
        text = reply.text if storable(reply.text) == reply.text else ""
        said = behind_reasoning(text)
        found = read_draft(text if said is None else said, self._read(claim), self._most_words)
        counts = {
            "model_calls": reply.calls,
            "prompt_tokens": reply.prompt_tokens,
            "new_tokens": reply.new_tokens,
            "reasoning_without_end": int(self._method == COT and said is None),
            **found.counts,
        }
        failure = "" if found.explanation.sentences else "the model wrote no explanation"
        return Outcome(explained(claim, found.explanation), counts, failure)

    def _read(self, claim: ExplainedClaim) -> list[Piece]:
        return nearest(pieces(claim), claim.claim, self._source_words)


def listed(read: Sequence[Piece]) -> str:
    """The pieces, a line each, with their numbers."""
    return "\n".join(f"[{piece.number}] {piece.whole}" for piece in read) or "(none was found)"


def explained(claim: ExplainedClaim, explanation: Explanation) -> ExplainedClaim:
    """The claim with the text, cut into its sentences anew: each has the numbers of the parts that it comes from."""
    ends, at = [], 0
    for part in explanation.sentences:
        at += len("".join(part.split()))
        ends.append(at)
    cites, at = [], 0
    for sentence in sentences(explanation.text):
        first = next((place for place, end in enumerate(ends) if at < end), len(ends) - 1)
        at += len("".join(sentence.split()))
        last = next((place for place, end in enumerate(ends) if at <= end), len(ends) - 1)
        cites.append(list(dict.fromkeys(number for part in explanation.cites[first : last + 1] for number in part)))
    return msgspec.structs.replace(claim, explanation=explanation.text, cites=cites)
