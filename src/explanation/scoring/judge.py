"""G-Eval: a language model scores the faithfulness of each explanation, or of each of its sentences, from 1 to 5.

Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment", EMNLP 2023, with the four protocols of Kim
et al. 2024. The score is the mean over sampled replies, or the sum of the scores, each times its probability. A reply
without a score is left out and counted; the reference implementation counts it as 0. By sentences, a document's score
is the mean over its sentences. If a request fails, its text is scored by the other replies, or undefined; no other text
is affected.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from src.errors import ModelError
from src.explanation.debate.together import answered
from src.explanation.pieces import nearest, pieces
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.judge_records import Protocol, Rated, RatedClaim
from src.explanation.scoring.scores_read import SCORES, read_score
from src.explanation.writer import listed
from src.llm.protocol import LanguageModel, Reply, Request
from src.prompts import load
from src.text import sentences

NEW_TOKENS = 8


class Settings(msgspec.Struct, frozen=True):
    """Settings of the judge: `samples` replies at `temperature`, with seeds from `seed` on.

    With `weighted`, scores are weighted by their probability instead. `source_words` of the evidence are read (None:
    all).
    """

    samples: int = 20
    temperature: float = 1.0
    seed: int = 0
    weighted: bool = False
    source_words: int | None = None


class Judged(NamedTuple):
    """Scores in the order of the claims, all replies, and the errors of requests without a reply."""

    claims: list[RatedClaim]
    replies: list[Reply]
    errors: list[ModelError]


class Judge:
    """Judge of explanations; `rate` sends all requests at once, for batching."""

    def __init__(self, model: LanguageModel, settings: Settings) -> None:
        self._model, self._settings = model, settings

    def rate(self, claims: Sequence[ExplainedClaim], protocol: Protocol) -> Judged:
        """Return the scores of the claims by the protocol.

        Raises: FatalError if the model cannot go on.
        """
        asked = [self._of_claim(claim, protocol) for claim in claims]
        requests = [one for texts in asked for text in texts for one in text]
        said = [one.reply for one in answered(requests, {_role(protocol): self._model})]
        replies = [one if isinstance(one, Reply) else None for one in said]
        waiting = iter(replies)
        rated = [[self._rated([next(waiting) for _ in text]) for text in texts] for texts in asked]
        found = [_of_texts(claim.claim_id, texts) for claim, texts in zip(claims, rated, strict=True)]
        errors = [one for one in said if not isinstance(one, Reply)]
        return Judged(found, [one for one in replies if one is not None], errors)

    def _of_claim(self, claim: ExplainedClaim, protocol: Protocol) -> list[list[Request]]:
        """Return the requests for each text of the claim."""
        whole = " ".join((claim.explanation or "").split())
        evidence = listed(nearest(pieces(claim), claim.claim, self._settings.source_words))
        texts = sentences(whole) if protocol.by_sentence else [whole]
        return [list(self._of_text(text, evidence, protocol)) for text in texts]

    def _of_text(self, text: str, evidence: str, protocol: Protocol) -> Iterator[Request]:
        name = "geval_sentence" if protocol.by_sentence else "geval_document"
        types = f"\n{load('geval_typology').template.strip()}\n" if protocol.with_types else ""
        prompt = load(name).substitute(types=types, evidence=evidence, text=text)
        head, _, _ = prompt.rpartition("\n\n" + ("Sentence:" if protocol.by_sentence else "Explanation:"))
        plain = Request(prompt, chat=True, max_new_tokens=NEW_TOKENS, role=_role(protocol), shared=len(head))
        if self._settings.weighted:
            yield msgspec.structs.replace(plain, choices=tuple(map(str, SCORES)), first_tokens=True)
            return
        for seed in range(self._settings.seed, self._settings.seed + self._settings.samples):
            yield msgspec.structs.replace(plain, temperature=self._settings.temperature, seed=seed)

    def _rated(self, replies: Sequence[Reply | None]) -> Rated:
        came = [one for one in replies if one is not None]
        return _weighted(came) if self._settings.weighted else _mean(came, len(replies) - len(came))


def _mean(replies: Sequence[Reply], failed: int) -> Rated:
    read = [read_score(one.text) for one in replies]
    said = [score for score in read if score is not None]
    counts = [said.count(score) for score in SCORES]
    return Rated(sum(said) / len(said) if said else None, counts, len(read) - len(said), failed)


def _weighted(replies: Sequence[Reply]) -> Rated:
    """Return the score weighted by the probabilities, normalized over the five scores."""
    if not replies:
        return Rated(failed=1)
    best = max(replies[0].scores)
    shares = [math.exp(score - best) for score in replies[0].scores]
    probabilities = [share / sum(shares) for share in shares]
    score = sum(one * share for one, share in zip(SCORES, probabilities, strict=True))
    return Rated(score, probabilities=probabilities)


def _of_texts(claim_id: int, texts: list[Rated]) -> RatedClaim:
    known = [one.score for one in texts if one.score is not None]
    return RatedClaim(claim_id, sum(known) / len(known) if known else None, texts)


def _role(protocol: Protocol) -> str:
    return f"geval_{protocol}"
