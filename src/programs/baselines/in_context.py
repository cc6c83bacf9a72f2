"""In-context baseline: a language model reads example claims with evidence and answers, then judges a claim.

ProgramFC, appendix A.3: 20 examples precede the claim, each in the same form: evidence, question, answer. The wording
of the question is published, one for decoders (Codex) and one for encoder-decoders (FLAN-T5). A chat model gets the
wording for decoders in one turn, with a system text of our own.

The likelier of True and False is the verdict. If an engine has no scores, the model writes, and the first word counts.

Limitations: the paper's examples are those of its program prompts; here they are sampled, half of them true.
"""

from collections.abc import Sequence
from itertools import accumulate
from math import isfinite

from src.claims import LabelledClaim
from src.errors import InputError, ModelError
from src.llm.protocol import LanguageModel, Reply, Request
from src.programs.answerers.by_language_model import (
    CHOICES,
    RequestResult,
    complete_each,
    evidence_text,
    scored_verdict,
)
from src.programs.answerers.evidence import EvidenceSource, Passages
from src.programs.baselines.closed_book import asked_about
from src.programs.baselines.evidence import evidence_of
from src.programs.functions import as_value
from src.programs.records import ClaimTrace
from src.programs.whole_claim import trace_of
from src.prompts import load
from src.records import Value
from src.runner.outcome import Outcome

BETWEEN = "\n\n"
SPARE = 64  # tokens for the chat template and the answer
WRITTEN = 8  # tokens of a written answer
ROLE = "in_context"


class InContext:
    """The in-context baseline with one model and one set of examples.

    `source`: source of the evidence of examples and claims.
    `chat`: True to ask in a chat, False to let the model continue a text.
    `longest`: maximum number of words of a claim's evidence.

    Its requests have the role `in_context`; a role names the sender of a request. Where an engine gives no scores of
    True and False, the model writes its answer instead; these requests have the role `in_context_word`.
    """

    def __init__(
        self, model: LanguageModel, examples: Sequence[LabelledClaim], source: EvidenceSource, *,
        chat: bool, longest: int,
    ) -> None:  # fmt: skip
        self._model, self._source, self._chat, self._longest = model, source, chat, longest
        self._prompt = load("in_context_verify_seq2seq" if model.info.seq2seq and not chat else "in_context_verify")
        self._system = load("in_context_system").template if chat else ""
        shown = zip(examples, evidence_of(examples, source), strict=True)
        self._examples = [f"{self._question(one, passages)} {_word(one.value)}{BETWEEN}" for one, passages in shown]
        self._before = "".join(self._examples)

    def refuse_too_long(self, claims: Sequence[LabelledClaim]) -> None:
        """Raise InputError if the examples and the longest claim exceed the model's context."""
        context = self._model.info.context
        if context is None:
            return
        questions = [self._question(*one) for one in zip(claims, evidence_of(claims, self._source), strict=True)]
        longest = max(self._model.count_tokens(questions))
        (system,) = self._model.count_tokens([self._system]) if self._system else (0,)
        room = context - longest - system - SPARE
        sizes = self._model.count_tokens(self._examples)
        if sum(sizes) <= room:
            return
        fit = sum(total <= room for total in accumulate(sizes)) // 2 * 2
        taken = f"take {sum(sizes)} tokens, the longest claim with its evidence {longest}"
        ways = f"{fit} of them fit, so --examples {fit}" if fit else "not two of them fit"
        raise InputError(
            f"the {len(sizes)} examples {taken}, and {self._model.info.spec} reads {context}: {ways}; "
            "--max_evidence_length shortens the evidence"
        )

    def answer(self, claims: Sequence[LabelledClaim]) -> list[Outcome[ClaimTrace]]:
        """Return the verdict on each claim, in order; a claim without evidence is unknown and costs no call.

        Raises StoreError when a claim's evidence cannot be read.
        """
        evidence = evidence_of(claims, self._source)
        questions = [self._question(*one) for one in zip(claims, evidence, strict=True)]
        places = [at for at, passages in enumerate(evidence) if passages]
        scored = dict(
            zip(places, complete_each(self._model, [self._scored(questions[at]) for at in places]), strict=True)
        )
        open_ = [at for at, one in scored.items() if not _is_scored(one.reply)]
        written = dict(
            zip(open_, complete_each(self._model, [self._written(questions[at]) for at in open_]), strict=True)
        )
        return [
            self._outcome(claim, evidence[at], [one[at] for one in (scored, written) if at in one])
            for at, claim in enumerate(claims)
        ]

    def _question(self, claim: LabelledClaim, evidence: Passages) -> str:
        sentence = " ".join(claim.claim.split())
        shown = evidence_text(evidence, self._longest)
        return self._prompt.substitute(evidence=shown, sentence=sentence, claim=asked_about(claim.claim))

    def _scored(self, question: str) -> Request:
        choices = CHOICES if self._chat or self._model.info.seq2seq else tuple(f" {word}" for word in CHOICES)
        return Request(
            self._before + question, chat=self._chat, system=self._system, choices=choices, first_tokens=True,
            role=ROLE, shared=len(self._before),
        )  # fmt: skip

    def _written(self, question: str) -> Request:
        return Request(
            self._before + question, chat=self._chat, system=self._system, max_new_tokens=WRITTEN, stop=("\n",),
            role=f"{ROLE}_word", shared=len(self._before),
        )  # fmt: skip

    def _outcome(
        self, claim: LabelledClaim, evidence: Passages, results: Sequence[RequestResult]
    ) -> Outcome[ClaimTrace]:
        value, confidence, failure = _verdict(results[-1].reply) if results else (Value.UNKNOWN, 0.0, "")
        replies = [one.reply for one in results if isinstance(one.reply, Reply)]
        calls = sum(one.calls for one in results)
        counts = {
            "model_calls": calls,
            "answers_written": max(0, len(results) - 1),
            "prompt_tokens": sum(reply.prompt_tokens for reply in replies),
            "new_tokens": sum(reply.new_tokens for reply in replies),
            "without_evidence": int(not evidence),
            "evidence_cut": int(_words(evidence) > self._longest),
        }
        return Outcome(trace_of(claim.claim_id, claim.claim, value, confidence, evidence, calls), counts, failure)


def _word(value: Value) -> str:
    return CHOICES[value is not Value.TRUE]


def _is_scored(reply: Reply | ModelError) -> bool:
    """Return True if the reply has the model's scores of True and False.

    Scores that an engine derives from a letter that the model wrote do not count.
    """
    return isinstance(reply, Reply) and reply.method != "letters_read" and any(map(isfinite, reply.scores))


def _verdict(reply: Reply | ModelError) -> tuple[Value, float, str]:
    """Return the verdict in a reply, its confidence (0 to 1), and the reason of a failure.

    A reply that is an error, or neither true nor false, is a failure.
    """
    if isinstance(reply, ModelError):
        return Value.UNKNOWN, 0.0, str(reply)
    if reply.scores:
        return scored_verdict(reply)
    value = as_value(reply.text)
    return value, 0.0, "" if value is not Value.UNKNOWN else f"the answer is neither true nor false: {reply.text!r}"


def _words(evidence: Passages) -> int:
    return sum(len(f"{one.title} {one.sentence}".split()) for one in evidence)
