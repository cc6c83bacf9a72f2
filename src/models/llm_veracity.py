"""The verdict model on a language model: one prompt with a claim and all its evidence, and scores of the four labels.

A model that scores a label by its tokens continues the prompt as plain text. A model that only names an option's letter
(servers, llama.cpp) is asked through its chat template. The probabilities are the softmax of the four scores.

Limitations: no calibration. Subtracting the scores of the same prompt without evidence (Holtzman et al. 2021) or with
neither claim nor evidence (Zhao et al. 2021) was measured with the bundled model on 200 train claims. Accuracy fell
from .570 to .280 and .170, macro-F1 from .293 to .188 and .115. The reason: a prompt without evidence rightly favors
Not Enough Evidence, and this preference is then subtracted. The bundled model is near chance even without it. Use a
larger model, or a trained classifier with `-ckpt`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from src.llm.measure import timed
from src.llm.protocol import LanguageModel, ModelInfo, Reply, Request
from src.models.veracity import Judgment, probabilities
from src.prompts import load
from src.records import VERDICTS, Evidence, Verdict
from src.runner.estimate import Estimate, spread
from src.store import encode_line

ROLE = "verdict"
ROOM = 96  # tokens kept free for the label, the list of options and the chat template
WORD_LIMITS = (400, 200, 100, 50, 25)  # of each answer, tried in turn until the prompt fits


@dataclass(frozen=True)
class LabelScorer:
    """Verdict model that scores the four labels with a language model."""

    model: LanguageModel

    @property
    def info(self) -> ModelInfo:
        return self.model.info

    def judge(self, claims: Sequence[Evidence]) -> list[Judgment]:
        """Return a judgment of each claim, in their order.

        Raises ModelError when the model fails or the claim alone is longer than its context.
        """
        prompts = self._prompts(claims)
        replies = self.model.complete([self._request(prompt) for prompt, _ in prompts])
        return [judgment(reply, cut) for reply, (_, cut) in zip(replies, prompts, strict=True)]

    def estimate(self, claims: Sequence[Evidence]) -> Estimate:
        """Estimate the time and size of a run for --dry_run from three timed prompts.

        Claims without evidence cost nothing.
        """
        with_evidence = [claim for claim in claims if claim.evidence]
        prompts = [prompt for prompt, _ in self._prompts(spread(with_evidence))]
        tokens = sum(self.model.count_tokens(prompts))
        each = timed(self.model, [self._request(prompt) for prompt in prompts])
        return Estimate(
            claims=len(claims),
            prompts=len(with_evidence),
            tokens=tokens * len(with_evidence) // max(1, len(prompts)),
            reply_tokens=round(len(with_evidence) * each.new_tokens),
            disk=int(1.5 * sum(len(encode_line(claim)) for claim in claims)),
            seconds=len(with_evidence) * each.seconds,
        )

    def _request(self, prompt: str) -> Request:
        chat = "label_tokens" not in self.model.info.can
        choices = tuple(VERDICTS) if chat else tuple(f" {verdict}" for verdict in VERDICTS)
        return Request(prompt, chat=chat, choices=choices, role=ROLE)

    def _prompts(self, claims: Sequence[Evidence]) -> list[tuple[str, bool]]:
        """Return each claim's prompt, with True if its answers were cut to fit the model's context."""
        uncut = [prompt_for(claim) for claim in claims]
        context = self.model.info.context
        if context is None:
            return [(prompt, False) for prompt in uncut]
        fits = [tokens <= context - ROOM for tokens in self.model.count_tokens(uncut)]
        return [
            (prompt, False) if fit else (shortened(claim, context - ROOM, self.model.count_tokens), True)
            for claim, prompt, fit in zip(claims, uncut, fits, strict=True)
        ]


def prompt_for(claim: Evidence, words: int | None = None) -> str:
    """Return the verdict prompt for a claim and its evidence; each answer is cut to `words` words (None: not cut)."""
    lines = [
        f"{number}. {' '.join(pair.question.split())} {' '.join(pair.answer.split()[:words])}"
        for number, pair in enumerate(claim.evidence, start=1)
    ]
    return load("verdict").substitute(claim=" ".join(claim.claim.split()), evidence="\n".join(lines))


def shortened(claim: Evidence, room: int, count: Callable[[Sequence[str]], list[int]]) -> str:
    """Return the verdict prompt with the longest answers that fit into `room` tokens, else the shortest prompt."""
    prompts = [prompt_for(claim, words) for words in WORD_LIMITS]
    return next((prompt for prompt, n in zip(prompts, count(prompts), strict=True) if n <= room), prompts[-1])


def judgment(reply: Reply, cut: bool) -> Judgment:
    """Return the label with the best score in a reply, as a judgment.

    A reply without a label becomes Not Enough Evidence and is counted as unparsed. `cut`: answers were cut to fit.
    """
    counts = {"prompts": 1, "prompt_tokens": reply.prompt_tokens, "answers_cut": int(cut), "unparsed": 0}
    if reply.method is not None:
        counts[f"scored_by_{reply.method}"] = 1
    if len(reply.scores) == len(VERDICTS) and all(map(math.isfinite, reply.scores)):
        first, second = sorted(reply.scores, reverse=True)[:2]
        if first == second:  # such as a server that writes another letter when the order is reversed
            return Judgment(Verdict.NOT_ENOUGH_EVIDENCE, probabilities(reply.scores), counts | {"undecided": 1})
        return Judgment(VERDICTS[reply.scores.index(first)], probabilities(reply.scores), counts)
    if reply.text.strip() in set(VERDICTS):
        return Judgment(Verdict(reply.text.strip()), None, counts)
    return Judgment(Verdict.NOT_ENOUGH_EVIDENCE, None, counts | {"unparsed": 1})
