"""The verdict model on a chat model that gives its reasons first, then the label.

Each claim takes two requests. The first shows the claim with all its evidence, numbered and with its sites. It asks for
a short reasoning and a last line with the verdict. The second shows the reasoning and scores the four labels; their
softmax gives the probabilities. If the first reply has no readable verdict, the best score of the second is the verdict
("asked_again" counts it).

`read_reply` finds the verdict. A line counts if it is only a label, or has a label after a head such as "Verdict:".
After "verdict is" the label must end the line. The last line also counts if it has "the claim is" and a label. A line
gives no verdict if the words after Supported or Refuted may change it ("only in part", "by none of the evidence").

Limitations: no calibration. The probabilities are None if the engine gives none (a server without log-probabilities)
or the second request fails. They may favor another label than the reasoning. The verdict is then that of the reasoning
("scores_differ" counts it). After Supported or Refuted, only punctuation, "by", "because" and similar words may follow.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from src.canonical_url import site
from src.errors import ModelError
from src.llm.measure import timed
from src.llm.protocol import LanguageModel, ModelInfo, Reply, Request
from src.llm.replies import each_reply
from src.models.llm_veracity import ROLE, ROOM, judgment
from src.models.veracity import Judgment
from src.prompts import fenced, load
from src.records import VERDICTS, Evidence, OverruledBy, QAPair, Verdict
from src.runner.estimate import Estimate, spread
from src.store import encode_line, storable

_LABELS = {
    Verdict.CONFLICTING: r"conflicting(?:\s+evidence)?(?:\s*[/,]\s*cherry-?\s?picking)?|cherry-?\s?picking",
    Verdict.NOT_ENOUGH_EVIDENCE: r"not\s+enough\s+(?:evidence|information)",
    Verdict.SUPPORTED: r"supported",
    Verdict.REFUTED: r"refuted",
}
_ANY = re.compile("|".join(rf"(?P<{label.name}>\b(?:{words})\b)" for label, words in _LABELS.items()), re.IGNORECASE)
_HEAD = re.compile(r"\b(?:verdict|label|answer|conclusion)\b(?:\s+is)?\s*(?P<sign>[:=]?)\s*-?\s*$", re.IGNORECASE)
_CLAIM_IS = re.compile(r"\b(?:claim|verdict)\s+is\s+(?:therefore\s+|thus\s+)?$", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*\([^()]*\)")
_GOES_ON = re.compile(r"\s*(?:$|[^\w\s]|(?:by|because|since|as(?!\s+far)|given|due|based)\b)", re.IGNORECASE)
_CHANGES = re.compile(
    r"^\W*(?:but|though|although|however|except|unless|if|only|or)\b"
    r"|^\W*by\s+(?:no|none|nothing|neither|nobody|only|little|few|some|half|part|parts)\b"
    r"|\bin\s+part\b|\bpart(?:ly|ially)\b|\bbut\s+(?:not|only)\b",
    re.IGNORECASE,
)
_PLAIN = {Verdict.SUPPORTED, Verdict.REFUTED}
_MARKS = re.compile(r"[*_`#>\"']+")


class ReasonedReply(NamedTuple):
    """A parsed reply of the chat model.

    `reasoning`: the text before the line with the verdict; the line is included if words follow its label.
    `verdict`: the verdict, or None if no line names exactly one label.
    """

    reasoning: str
    verdict: Verdict | None


def read_reply(text: str) -> ReasonedReply:
    """Parse a reply: the verdict of the last line that names one, and the reasoning, joined to one line."""
    lines = [plain for line in text.splitlines() if (plain := " ".join(_MARKS.sub("", line).split()))]
    for index in reversed(range(len(lines))):
        named = _named(lines[index], is_last=index == len(lines) - 1)
        if named is not None:
            verdict = named.pop() if len(named) == 1 else None
            is_label = verdict is not None and not _says_more(lines[index])
            return ReasonedReply(" ".join(lines[:index] if is_label else lines), verdict)
    return ReasonedReply(" ".join(lines), None)


def _named(line: str, *, is_last: bool) -> set[Verdict] | None:
    """Return the labels that a line gives as verdicts, or None if the line is reasoning.

    The set is empty if the words after a label may change it.
    """
    matches = list(_ANY.finditer(line))
    if not matches:
        return None
    before, behind = line[: matches[0].start()], line[matches[0].end() :]
    labels = {Verdict[str(match.lastgroup)] for match in matches}
    if not _has_words(_ANY.sub("", line)):
        return labels
    head = _HEAD.search(before)
    is_head = head is not None and (head["sign"] or not _has_words(_IN_BRACKETS.sub("", behind)))
    if not is_head and not (is_last and _CLAIM_IS.search(before)):
        return None
    is_plain = labels.isdisjoint(_PLAIN) or (_GOES_ON.match(behind) and not _CHANGES.search(behind))
    return labels if is_plain else set()


def _says_more(line: str) -> bool:
    """Return True if words follow the line's last label. Words in brackets only explain the label and do not count."""
    return _has_words(_IN_BRACKETS.sub("", _ANY.split(line)[-1]))


def _has_words(text: str) -> bool:
    return any(sign.isalnum() for sign in text)


REASONS_ROLE = "verdict_reasons"
REASONS_TOKENS = 384
WORD_LIMITS = (None, 400, 200, 100, 50, 25)  # of each answer, tried in turn until the prompt fits


@dataclass(frozen=True)
class ReasonedVerdict:
    """Verdict model on a chat model: reasoning with a verdict, then scores of the four labels."""

    model: LanguageModel

    @property
    def info(self) -> ModelInfo:
        return self.model.info

    def judge(self, claims: Sequence[Evidence]) -> list[Judgment]:
        """Return a judgment of each claim, in their order.

        Raises ModelError when the first request fails, or when it gives no verdict and the second request fails.
        """
        shown = [self._shown(claim) for claim in claims]
        texts = [text for text, _ in shown]
        replies = self.model.complete(list(map(self._request, claims, texts)))
        read = [read_reply(storable(reply.text)) for reply in replies]
        scored = each_reply(self.model, list(map(self._scoring, claims, texts, read)))
        return [
            _judgment(reply, reasoned, scores, is_cut)
            for reply, reasoned, scores, (_, is_cut) in zip(replies, read, scored, shown, strict=True)
        ]

    def estimate(self, claims: Sequence[Evidence]) -> Estimate:
        """Estimate the time and size of a run for --dry_run from three timed prompts.

        Claims without evidence cost nothing.
        """
        with_evidence = [claim for claim in claims if claim.evidence]
        requests = [self._request(claim, self._shown(claim)[0]) for claim in spread(with_evidence)]
        each = timed(self.model, requests)
        tokens = sum(self.model.count_tokens([request.prompt for request in requests]))
        return Estimate(
            claims=len(claims),
            prompts=2 * len(with_evidence),
            tokens=2 * tokens * len(with_evidence) // max(1, len(requests)),
            reply_tokens=round(len(with_evidence) * each.new_tokens),
            disk=int(2 * sum(len(encode_line(claim)) for claim in claims)),
            seconds=len(with_evidence) * each.seconds,
        )

    def _request(self, claim: Evidence, evidence: str) -> Request:
        prompt = load("verdict_reasons").substitute(claim=_one_line(claim.claim), evidence=evidence)
        return Request(prompt, chat=True, max_new_tokens=REASONS_TOKENS, role=REASONS_ROLE)

    def _scoring(self, claim: Evidence, evidence: str, read: ReasonedReply) -> Request:
        prompt = load("verdict_after_reasons").substitute(
            claim=_one_line(claim.claim), evidence=evidence, reasoning=read.reasoning or "(none)"
        )
        return Request(prompt, chat=True, choices=tuple(VERDICTS), role=ROLE)

    def _shown(self, claim: Evidence) -> tuple[str, bool]:
        """Return the claim's evidence as text for a prompt, and True if answers were cut to fit the model's context."""
        context = self.model.info.context
        room = math.inf if context is None else context - 2 * (REASONS_TOKENS + ROOM)
        texts = [listed(claim.evidence, words) for words in WORD_LIMITS]
        prompts = [self._request(claim, text).prompt for text in texts]
        counted = zip(texts, self.model.count_tokens(prompts), strict=True)
        text = next((text for text, tokens in counted if tokens <= room), texts[-1])
        return text, text != texts[0]


def listed(evidence: Sequence[QAPair], words: int | None = None) -> str:
    """List the evidence, one line each: number, site, question, and the answer cut to `words` words (None: not cut)."""
    return "\n".join(
        f"[{number}]{_from(pair)} {fenced(pair.question)} {fenced(' '.join(pair.answer.split()[:words]))}"
        for number, pair in enumerate(evidence, start=1)
    )


def _from(pair: QAPair) -> str:
    return f" ({site(pair.url)})" if pair.url else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _judgment(reply: Reply, read: ReasonedReply, scored: Reply | ModelError, is_cut: bool) -> Judgment:
    """Combine both replies into a judgment: the verdict of the reasoning, else the one with the best score.

    Raises ModelError when there is neither.
    """
    by_scores = _by_scores(scored, is_cut)
    if by_scores is None and read.verdict is None:
        assert isinstance(scored, ModelError)
        raise scored
    result = by_scores or Judgment(Verdict.NOT_ENOUGH_EVIDENCE, counts={"unscored": 1})
    counts = {
        **result.counts,
        "prompts": 2,
        "prompt_tokens": result.counts.get("prompt_tokens", 0) + reply.prompt_tokens,
        "new_tokens": reply.new_tokens,
        "asked_again": int(read.verdict is None),
    }
    if read.verdict is not None:
        counts |= {
            "unparsed": 0,
            "undecided": 0,
            "scores_differ": int(bool(by_scores) and result.verdict != read.verdict),
        }
    chances = result.probabilities
    is_overruled = read.verdict and chances and chances[read.verdict] < max(chances.values())
    return msgspec.structs.replace(
        result,
        verdict=read.verdict or result.verdict,
        counts=counts,
        reasoning=read.reasoning,
        overruled_by=OverruledBy.REASONING if is_overruled else None,
    )


def _by_scores(scored: Reply | ModelError, is_cut: bool) -> Judgment | None:
    """Return the judgment by the best-scored verdict, or None if scoring failed.

    It has no probabilities if the engine only wrote letters.
    """
    if isinstance(scored, ModelError):
        return None
    result = judgment(scored, is_cut)
    return msgspec.structs.replace(result, probabilities=None) if scored.method == "letters_read" else result
