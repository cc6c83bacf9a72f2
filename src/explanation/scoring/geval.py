"""G-Eval: a language model scores the faithfulness of each explanation, or of each of its sentences, from 1 to 5.

Liu et al., "G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment", EMNLP 2023, with the four protocols of Kim
et al. 2024. The score is the mean over sampled replies, or the mean of the scores 1 to 5 weighted by their
probabilities. A reply without a score is left out and counted; the reference implementation counts it as 0. If
sentences are scored, the score of an explanation is the mean over its sentences. If a request fails, the score of its
text is that of the other replies, or undefined; no other text is affected. Methods are compared on the same claims,
with paired differences and cost.

Limitations: scores are whole numbers, as the prompt asks; `4.5`, `3-4` and `4 or 5` give no score.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from src.errors import ModelError
from src.evaluation.bootstrap import Figure, figures, mean_of
from src.explanation.debate.conversation import batched_replies
from src.explanation.pieces import nearest, pieces
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.records import JudgeScores, Protocol, ProtocolScores, Rated, RatedClaim
from src.explanation.writer import listed
from src.llm.protocol import LanguageModel, Reply, Request
from src.prompts import load
from src.runner.console import Progress
from src.text import sentences

SCORES = (1, 2, 3, 4, 5)
_MARKUP = " \t\r\n\"'`*_#>"
_SCORE = re.compile(
    r"(?:faithfulness(?:\s+score)?[\s*_:=]*)?(?:score[\s*_:=]*)?([1-5])(?:\s*(?:/|out\s+of)\s*5)?(?!\w|[.,]\d)\D*",
    re.IGNORECASE,
)


def read_score(text: str) -> int | None:
    """Return the score in `4`, `Faithfulness: 4`, `**4**/5` or `4. The evidence agrees`; None for any other reply."""
    match = _SCORE.fullmatch(text.strip(_MARKUP).replace("*", ""))
    return int(match[1]) if match is not None else None


NEW_TOKENS = 8


class GEvalSettings(msgspec.Struct, frozen=True):
    """Settings of G-Eval.

    `samples`: replies for each text.
    `temperature`: temperature of the replies.
    `seed`: seed of the first reply; the others have the next seeds.
    `weighted`: weight the scores by their probabilities instead of sampling replies.
    `source_words`: maximum number of words of the evidence that the judge reads; None: all.
    """

    samples: int = 20
    temperature: float = 1.0
    seed: int = 0
    weighted: bool = False
    source_words: int | None = None


class Judged(NamedTuple):
    """Result of judging the explanations of one method.

    `claims`: scores of the explanations, in the order of the claims.
    `replies`: all replies of the judge.
    `errors`: errors of the requests that have no reply.
    """

    claims: list[RatedClaim]
    replies: list[Reply]
    errors: list[ModelError]


class Judge:
    """Judge of explanations; `rate` sends the requests of all claims at once, so that they can be batched."""

    def __init__(self, model: LanguageModel, settings: GEvalSettings) -> None:
        self._model, self._settings = model, settings

    def rate(self, claims: Sequence[ExplainedClaim], protocol: Protocol) -> Judged:
        """Return the judge's scores of the explanations by the protocol.

        Raises FatalError if the model cannot go on.
        """
        grouped = [self._of_claim(claim, protocol) for claim in claims]
        requests = [one for texts in grouped for text in texts for one in text]
        answers = [one.reply for one in batched_replies(requests, {_role(protocol): self._model})]
        replies = [one if isinstance(one, Reply) else None for one in answers]
        waiting = iter(replies)
        rated = [[self._rated([next(waiting) for _ in text]) for text in texts] for texts in grouped]
        scores = [_of_texts(claim.claim_id, texts) for claim, texts in zip(claims, rated, strict=True)]
        errors = [one for one in answers if not isinstance(one, Reply)]
        return Judged(scores, [one for one in replies if one is not None], errors)

    def _of_claim(self, claim: ExplainedClaim, protocol: Protocol) -> list[list[Request]]:
        """Return the requests for each text of the claim: its whole explanation, or each of its sentences."""
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
    scores = [score for score in read if score is not None]
    counts = [scores.count(score) for score in SCORES]
    return Rated(sum(scores) / len(scores) if scores else None, counts, len(read) - len(scores), failed)


def _weighted(replies: Sequence[Reply]) -> Rated:
    """Return the mean of the scores 1 to 5, weighted by their probabilities, which are normalized to sum to 1."""
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


BATCH = 8  # claims per batch


class GEvalScores(NamedTuple):
    """Results of G-Eval.

    `scores`: scores of all methods by each protocol.
    `ways`: how the engine obtained probabilities -> number of replies.
    `errors`: errors of failed requests.
    """

    scores: list[ProtocolScores]
    ways: dict[str, int]
    errors: list[ModelError]


def geval(
    methods: Sequence[Sequence[ExplainedClaim]], judge: Judge, protocols: Sequence[Protocol], seed: int
) -> GEvalScores:
    """Return the judge's scores of each method by each protocol; `methods` has the explanations of each method.

    Raises FatalError if the judge cannot go on.
    """
    ways: Counter[str] = Counter()
    scores, errors = [], []
    total = len(protocols) * len(methods) * len(methods[0])
    with Progress("G-Eval", total, unit="explanation", failed="undefined") as progress:
        for protocol in protocols:
            judged = [_judged(claims, judge, protocol, progress) for claims in methods]
            ways.update(reply.method for one in judged for reply in one.replies if reply.method is not None)
            errors += [error for one in judged for error in one.errors]
            scores.append(_protocol(protocol, judged, seed))
    return GEvalScores(scores, dict(sorted(ways.items())), errors)


def _judged(claims: Sequence[ExplainedClaim], judge: Judge, protocol: Protocol, progress: Progress) -> Judged:
    rated = Judged([], [], [])
    for at in range(0, len(claims), BATCH):
        some, replies, errors = judge.rate(claims[at : at + BATCH], protocol)
        rated.claims.extend(some)
        rated.replies.extend(replies)
        rated.errors.extend(errors)
        progress.add(len(some), sum(one.score is None for one in some))
    return rated


def _protocol(protocol: Protocol, judged: Sequence[Judged], seed: int) -> ProtocolScores:
    by_claim = zip(*([claim.score for claim in one.claims] for one in judged), strict=True)
    whole = [[score for score in scores if score is not None] for scores in by_claim]
    table = np.array([scores for scores in whole if len(scores) == len(judged)])
    columns: Sequence[Figure | None] = [None] * len(judged)
    if len(table):
        columns = figures([mean_of(column) for column in table.T], len(table), seed)
    ratings = [_rating(*both) for both in zip(judged, columns, strict=True)]
    return ProtocolScores(protocol, len(table), ratings)


def _rating(judged: Judged, mean: Figure | None) -> JudgeScores:
    known = [one.score for one in judged.claims if one.score is not None]
    texts = [text for one in judged.claims for text in one.texts]
    return JudgeScores(
        mean=mean,
        lowest=min(known, default=None),
        highest=max(known, default=None),
        undefined=len(judged.claims) - len(known),
        unparsed=sum(text.unparsed for text in texts),
        failed=sum(text.failed for text in texts),
        calls=sum(reply.calls for reply in judged.replies),
        prompt_tokens=sum(reply.prompt_tokens for reply in judged.replies),
        new_tokens=sum(reply.new_tokens for reply in judged.replies),
        claims=judged.claims,
    )
