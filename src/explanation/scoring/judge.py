"""G-Eval: a language model gives each explanation, or each of its sentences, 1 to 5 for faithfulness.

Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment", EMNLP 2023, with the four protocols of Kim
et al. 2024. The score is the mean of sampled replies, or the sum of the scores each times its probability. A reply that
says no score is left out and counted, where the reference counts it as 0. A document's score by sentences is their
mean. A request that fails leaves its text with what is known, or undefined; none takes others down.
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
    """`samples` replies at `temperature`, seeds from `seed` on; `weighted`: by probability instead. `source_words` are
    read of the evidence, None: all."""

    samples: int = 20
    temperature: float = 1.0
    seed: int = 0
    weighted: bool = False
    source_words: int | None = None


class Judged(NamedTuple):
    """In the order asked; `replies` are all that came, `errors` stand for the others."""

    claims: list[RatedClaim]
    replies: list[Reply]
    errors: list[ModelError]


class Judge:
    """`rate` asks all at once, so that the model answers in batches."""

    def __init__(self, model: LanguageModel, settings: Settings) -> None:
        self._model, self._settings = model, settings

    def rate(self, claims: Sequence[ExplainedClaim], protocol: Protocol) -> Judged:
        """Raises FatalError."""
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
        """For each of its texts what is asked."""
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
    """Probabilities are those among the five scores."""
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
