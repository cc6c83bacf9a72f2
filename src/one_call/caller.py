"""A language model writes question-answer pairs, a justification and ratings of the labels in one reply a claim.

The recipe is that of AIC (FEVER-7 and FEVER-8), with checks. If a reply cannot be used, a second one is requested, with
what was wrong. An answer none of whose pairs passes the checks can be used only if it has no pairs at all, and rates
Not Enough Evidence highest. If none of a claim's samples can be used, the claim fails alone: it gets no other claim's
answer, and no verdict. With several samples the ratings are averaged (self-consistency, Wang et al. 2023). Evidence and
justification are those of the sample that agrees with the verdict and has most pairs left.

Limitations: samples are drawn independently, and their pairs are not merged.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

from src.errors import InputError, ModelError
from src.llm.json_replies import asked_again
from src.llm.measure import timed
from src.llm.protocol import SERVER_FIELDS, LanguageModel, Reply, Request
from src.llm.replies import each_reply
from src.llm.seeds import seed_of
from src.models.veracity import Judgment
from src.one_call.answers import ClaimAnswer, UnusableAnswerError, read_answer, schema
from src.one_call.checks import CheckedAnswer, checked, is_copied
from src.one_call.examples import ClaimExamples
from src.one_call.prompt import EvidenceForm, Prompt, fitted, instructions
from src.one_call.sources import ClaimSources
from src.one_call.verdict import Calibration, check_numbers, judged
from src.records import VERDICTS, Level, Prediction, Verdict
from src.runner.estimate import Estimate, spread
from src.runner.outcome import Outcome

ROLE = "one_call"
NO_PAIR = (
    'no entry of "questions" names a source that exists, quotes its words letter by letter, and asks and answers '
    "without names and numbers that it lacks; without such an entry the sources show nothing"
)
LEFT_OUT = "_left_out"  # end of the names of counts: replies to requests of which the server was not sent a part
ROOM = 96  # tokens for the chat template, and for the reason why a second reply is requested


class Sample(NamedTuple):
    """A reply to be written: index of its claim, the claim's prompt, and the number of the sample, from 0."""

    place: int
    prompt: Prompt
    number: int


class Written(NamedTuple):
    """A usable sample: the parsed answer, and what is left of it after the checks."""

    answer: ClaimAnswer
    checked: CheckedAnswer


class Result(NamedTuple):
    """What came of the request for a sample.

    `content`: what can be used, or the error that says why nothing can.
    `counts`: calls and tokens, and what the checks dropped, by reason.
    """

    content: Written | UnusableAnswerError | ModelError
    counts: Mapping[str, int]

    @classmethod
    def of(cls, reply: Reply | ModelError, content: Written | UnusableAnswerError | ModelError) -> Self:
        """Return the result for a reply and what was read from it."""
        if isinstance(reply, ModelError) or isinstance(content, ModelError):
            return cls(content, {})
        dropped = content.checked.counts if isinstance(content, Written) else content.counts
        tokens = {"prompt_tokens": reply.prompt_tokens, "new_tokens": reply.new_tokens}
        left_out = {f"{name}{LEFT_OUT}": 1 for name in reply.left_out}
        return cls(content, {"calls": 1, **tokens, **left_out, **dropped})


@dataclass(frozen=True)
class OneCall:
    """Checker of claims that calls the language model once for each sample of a claim.

    `model`: language model that chats.
    `examples`: in-context examples; None: none are shown.
    `num_examples`: number of examples.
    `pairs`: most question-answer pairs of a claim.
    `form`: form of the answers.
    `samples`: replies for each claim; with several, they are drawn at `temperature`.
    `max_new_tokens`: most tokens of a reply.
    `calibration`: fitted for this model; None: no levels.
    """

    model: LanguageModel
    examples: ClaimExamples | None = None
    num_examples: int = 10
    pairs: int = 10
    form: EvidenceForm = EvidenceForm.PAIRS
    samples: int = 1
    temperature: float = 0.7
    max_new_tokens: int = 2_000
    calibration: Calibration | None = None

    def check_all(self, claims: Sequence[ClaimSources]) -> list[Outcome[Prediction]]:
        """Return the prediction for each claim, in order.

        A claim without sources is Not Enough Evidence by rule. Raises PendingError and FatalError as the model does.
        """
        asked = iter(self._asked([claim for claim in claims if claim.sources]))
        return [
            next(asked) if claim.sources else Outcome(without_verdict(claim), {"no_evidence": 1}) for claim in claims
        ]

    def _asked(self, claims: Sequence[ClaimSources]) -> list[Outcome[Prediction]]:
        prompts = [self._prompt(claim) for claim in claims]
        samples = [
            Sample(place, prompt, number)
            for place, prompt in enumerate(prompts)
            if isinstance(prompt, Prompt)
            for number in range(self.samples)
        ]
        first = self._results(claims, [(one, one.prompt.text) for one in samples])
        again = {one: result for one, result in first.items() if isinstance(result.content, UnusableAnswerError)}
        second = self._results(
            claims, [(one, asked_again(one.prompt.text, str(result.content))) for one, result in again.items()]
        )
        outcomes = []
        for place, (claim, prompt) in enumerate(zip(claims, prompts, strict=True)):
            own = [one for one in samples if one.place == place]
            contents = [second.get(one, first[one]).content for one in own]
            counts = self._counts_of(prompt)
            for counted in (first[one].counts for one in own):
                counts.update(counted)
            for counted in (second[one].counts for one in own if one in second):
                counts.update({"asked_again": 1, **counted})
            outcomes.append(self._outcome(claim, [prompt] if isinstance(prompt, ModelError) else contents, counts))
        return outcomes

    def _results(self, claims: Sequence[ClaimSources], asked: Sequence[tuple[Sample, str]]) -> dict[Sample, Result]:
        """Return the result of each sample; `asked` has the samples with the texts of their prompts."""
        requests = [self._request(*each) for each in asked]
        replies = each_reply(self.model, requests) if requests else []
        return {
            one: Result.of(reply, self._read(claims[one.place], reply))
            for (one, _), reply in zip(asked, replies, strict=True)
        }

    def _read(self, claim: ClaimSources, reply: Reply | ModelError) -> Written | UnusableAnswerError | ModelError:
        """Return what can be used of a reply, or the error that says why nothing can."""
        if isinstance(reply, ModelError):
            return reply
        try:
            answer = read_answer(reply)
        except UnusableAnswerError as error:
            return error
        if is_copied(answer, claim.sources):
            return UnusableAnswerError("it is copied from a source")
        left = checked(answer, claim, self.pairs)
        is_open = judged([answer.agreement]).verdict is Verdict.NOT_ENOUGH_EVIDENCE
        if left.pairs or (is_open and not answer.questions):
            return Written(answer, left)
        return UnusableAnswerError(NO_PAIR, left.counts)

    def _outcome(
        self, claim: ClaimSources, tried: Sequence[Written | UnusableAnswerError | ModelError], counts: Counter[str]
    ) -> Outcome[Prediction]:
        usable = [one for one in tried if isinstance(one, Written)]
        counts["samples_unusable"] += len(tried) - len(usable)
        if not usable:
            return Outcome(without_verdict(claim), counts, failure=f"no reply of the model can be used: {tried[0]}")
        judgment = judged([one.answer.agreement for one in usable], self.calibration)
        best = max(usable, key=lambda one: self._preference(one, judgment))
        return Outcome(predicted(claim, best.checked, judgment), counts)

    def _preference(self, written: Written, judgment: Judgment) -> tuple[bool, int]:
        own = judged([written.answer.agreement], self.calibration).verdict
        return own is judgment.verdict, len(written.checked.pairs)

    def _prompt(self, claim: ClaimSources) -> Prompt | ModelError:
        context = self.model.info.context
        room = None if context is None else context - self.max_new_tokens - ROOM
        examples = self.examples.similar(claim.claim, self.num_examples) if self.examples else []
        try:
            return fitted(claim, self._head, examples, self.model.count_tokens, room)
        except ModelError as error:
            return error

    @cached_property
    def _head(self) -> str:
        return instructions(self.pairs, self.form)

    @property
    def prompt_hash(self) -> str:
        """Return the SHA-256 of the instructions."""
        return hashlib.sha256(self._head.encode()).hexdigest()

    def check_calibration(self, sources: int, path: Path | None) -> None:
        """Raise InputError if the calibration was fitted for another model, other instructions or other numbers.

        `sources` is the most sources of a claim, `path` the file of the calibration.
        """
        if self.calibration is None:
            return
        own, info = self.calibration, self.model.info
        fitted = {
            "weights": own.sha256, "adapter": own.adapter, "instructions": own.prompt,
            "--server_fields": own.server_fields,
        }  # fmt: skip
        adapter, fields = info.details.get("adapter_sha256"), info.details.get(SERVER_FIELDS)
        used = {
            "weights": info.sha256, "adapter": adapter, "instructions": self.prompt_hash, "--server_fields": fields
        }  # fmt: skip
        if not own.sha256:  # equal weights may have another name
            fitted, used = {"model": own.model, **fitted}, {"model": info.name, **used}
        numbers = {"num_examples": self.num_examples, "samples": self.samples, "top_n": self.pairs, "sources": sources}
        check_numbers(own, numbers, path)
        for name, value in used.items():
            if fitted[name] != value:
                message = f"was fitted for {name} {fitted[name] or 'none'}, not for {value or 'none'}; fit it again"
                raise InputError(message, path=path)

    def _request(self, sample: Sample, text: str) -> Request:
        """Return the request of a sample with the prompt `text`. Its seed depends on its first prompt only.

        All samples of a claim share their first prompt; single ones share the instructions with other claims.
        """
        prompt, is_drawn = sample.prompt, self.samples > 1
        return Request(
            text,
            chat=True,
            max_new_tokens=self.max_new_tokens,
            temperature=self.temperature if is_drawn else 0.0,
            seed=seed_of(prompt.text, sample.number) if is_drawn else 0,
            role=ROLE,
            shared=len(prompt.text) if is_drawn else prompt.instructions,
            schema=schema(self.pairs),
        )

    def _counts_of(self, prompt: Prompt | ModelError) -> Counter[str]:
        if isinstance(prompt, ModelError):
            return Counter[str]()
        cut = {"examples_dropped": prompt.examples_dropped, "sources_cut": int(prompt.is_cut)}
        return Counter({"prompts": self.samples, **cut})

    def estimate(self, claims: Sequence[ClaimSources]) -> Estimate:
        """Estimate the time and tokens of a run for --dry_run from three timed prompts. Second replies are left out."""
        shown = [claim for claim in claims if claim.sources]
        prompts = [prompt for claim in spread(shown) if isinstance(prompt := self._prompt(claim), Prompt)]
        requests = [self._request(Sample(0, prompt, 0), prompt.text) for prompt in prompts]
        each, total = timed(self.model, requests), len(shown) * self.samples
        return Estimate(
            claims=len(claims),
            prompts=total,
            tokens=round(total * each.prompt_tokens),
            reply_tokens=round(total * each.new_tokens),
            disk=4_000 * len(claims),
            seconds=total * each.seconds,
        )


def predicted(claim: ClaimSources, written: CheckedAnswer, judgment: Judgment) -> Prediction:
    """Return the prediction for a claim."""
    return Prediction(
        claim.claim_id, claim.claim, written.pairs, judgment.verdict, judgment.probabilities,
        justification=written.justification or None, level=judgment.level, verdict_set=judgment.verdict_set,
        overruled_by=judgment.overruled_by, speaker=claim.speaker,
        quote_fits=written.quote_fits or None,
    )  # fmt: skip


def without_verdict(claim: ClaimSources) -> Prediction:
    """Return the record of a claim that has no verdict: Not Enough Evidence, undecided, without evidence."""
    return Prediction(
        claim.claim_id, claim.claim, [], Verdict.NOT_ENOUGH_EVIDENCE, level=Level.UNDECIDED,
        verdict_set=list(VERDICTS), speaker=claim.speaker,
    )  # fmt: skip
