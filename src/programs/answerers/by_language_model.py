"""Answerer of steps by a language model: a Verify is true or false, a Question gets a few words.

A step for which no passages were found is unknown and costs no call. If a model fails for some requests of a list,
their steps are unknown and report the reason. If the error does not say which requests failed, each is sent once more
alone.

A step is written into the paper's prompt, into the prompt of its released code, or into a chat:

    published   EVIDENCE / Q: QUESTION? / The answer is:
                EVIDENCE / Q: Is it true that CLAIM? / True or False? The answer is:
    code        EVIDENCE / Question: QUESTION / The answer is:
                EVIDENCE / Based on the above information, is it true that CLAIM? True or false? The answer is:

The published prompt is from section 3.4 of ProgramFC; without evidence it is one line. The model then writes its
verdict in at most eight tokens. A text other than true, yes, false or no is unknown; the released code draws a label at
random. Only the first line of a reply counts, blank lines aside. With the other two prompts, True and False are scored,
and the likelier one is the verdict. In all prompts the evidence comes first; an engine can then read a claim's evidence
once for all of its steps.

A reply that only refuses ("I don't know.", "Not given in the text", "It is unclear who did.") counts as no answer. Only
the first sentence is read, and it must match as a whole: "Not given lightly" is an answer. A sentence of four words or
more in which all long words are capitalized is a title and an answer: "I Don't Know How to Go".

Limitations: retries inside an engine, as after a timeout of a server, are not counted as calls. Refusals are recognized
in English only. A title that equals a refusal word for word ("Unknown") is taken for a refusal.
"""

import math
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from src.errors import ModelError
from src.llm.protocol import LanguageModel, PartialError, Reply, Request
from src.programs.answerers.evidence import EvidenceSource, Passages
from src.programs.functions import Answered, Call, StepValue, as_value, unanswered
from src.programs.records import Function, StepEvidence
from src.prompts import load
from src.records import Value
from src.text import folded

TITLE, LONG = 4, 4  # words of a title; letters of a word that must be capitalized

_TOLD = "(?:known|stated|given|mentioned|specified|named|provided|available|told|clear|enough)"
_THINGS = "(?:texts?|passages?|evidence|context|information|sources?|articles?|paragraphs?|sentences?|documents?)"
_SOURCE = rf"(?:it|this|that|(?:the|these|any)(?: \w+)? {_THINGS})"
_SAYS = "(?:say|state|mention|give|tell|specify|name|provide|contain|include|indicate|answer|show|identify|reveal|know)"
_LACKS = r"(?:information|evidence|context|answer|mention|indication|data|details?)\b"
_NOT, _HOW = "(?: not|n't)", "(?: explicitly| directly| clearly)*"
_TAIL = rf"(?: (?:explicitly|directly|here|yet))*(?: (?:in|by|from|on|of|about|to) .+| {_LACKS}.*)?"

_REFUSAL = re.compile(
    rf"(?:unknown|none|n/a|unanswerable|unclear|insufficient|no {_LACKS}|not{_HOW} {_TOLD}){_TAIL}"
    rf"|no {_LACKS} (?:(?:is|was|are|can|could|has|have)\b.+|{_TOLD}{_TAIL})"
    rf"|cannot be (?:known|told|determined|answered){_TAIL}"
    rf"|there(?: is| are|'s) (?:no|not enough|insufficient) (?:\w+ )?{_LACKS}.*"
    rf"|there(?: is| are|'s) no (?:way|(?:\w+ ){{1,4}}{_TOLD})\b.*"
    r"|i (?:do not|don't|cannot|can't) (?:know|tell|say|answer|determine|find|be sure)\b.*"
    r"|(?:it|this)(?: is|'s) (?:impossible|unclear|unknown)\b.*"
    rf"|(?:it|this|that|the [\w ]{{1,30}}?) (?:is|was|are){_NOT}{_HOW} {_TOLD}\b.*|is{_NOT} {_TOLD}\b.*"
    rf"|{_SOURCE} (?:does|do|did){_NOT}{_HOW} {_SAYS}\b.*"
)
_SENTENCE_END = re.compile(r"[.!?;:](?:\s|$)")


def is_refusal(answer: str) -> bool:
    """Return True if the first sentence of an answer only says that there is no answer, and is not a title."""
    first = _SENTENCE_END.split(answer, maxsplit=1)[0]
    return _REFUSAL.fullmatch(folded(first).replace("\u2019", "'")) is not None and not _is_title(first)


def _is_title(sentence: str) -> bool:
    words = sentence.split()
    return (
        len(words) >= TITLE
        and not sentence.isupper()
        and all(not word[0].islower() for word in words if len(word) >= LONG)
    )


ROLES = {Function.VERIFY: "verify", Function.QUESTION: "question"}
CHOICES = ("True", "False")
ANSWER_TOKENS, VERDICT_TOKENS = 32, 8
LONGEST_EVIDENCE = 3000  # words, of all passages
_LEAD = re.compile(r"^(?:(?:the )?answer(?: is)?\s*:|the answer is\b(?!n't))\s*", re.IGNORECASE)


class Prompts(StrEnum):
    """The kinds of prompts in which steps are asked."""

    PUBLISHED = "published"
    CODE = "code"
    CHAT = "chat"


class Forms:
    """Builder of the requests for steps.

    `prompts`: the kind of prompts.
    `longest`: maximum number of words of evidence in a prompt.
    """

    def __init__(self, prompts: Prompts, longest: int = LONGEST_EVIDENCE) -> None:
        self._prompts, self._longest = prompts, longest

    @property
    def scores(self) -> bool:
        """Return True if a verdict is the likelier of True and False; False if the model writes it as text."""
        return self._prompts is not Prompts.PUBLISHED

    def request(self, call: Call, evidence: Sequence[StepEvidence] | None, *, shared: bool = True) -> Request:
        """Return the request for a call, with its passages in the prompt. If `evidence` is None, the prompt has none.

        `shared` is True if other requests begin with the same evidence, so that the engine can cache it.
        """
        shown = "" if evidence is None else evidence_text(evidence, self._longest)
        chat, verifies = self._prompts is Prompts.CHAT, call.function is Function.VERIFY
        system = load("step_system_closed" if evidence is None else "step_system").template if chat else ""
        before = f"{shown}\n\n" if shown and chat else f"{shown}\n" if shown else ""
        choices = CHOICES if verifies and self.scores else ()
        stop = ("\n",) if self.scores else ()  # a model may begin its reply on a new line
        return Request(
            before + self._text(call, closed=evidence is None), chat=chat, system=system,
            max_new_tokens=VERDICT_TOKENS if verifies and not self.scores else ANSWER_TOKENS, stop=stop,
            choices=choices, first_tokens=bool(choices), role=ROLES[call.function], shared=len(shown) if shared else 0,
        )  # fmt: skip

    def _text(self, call: Call, *, closed: bool) -> str:
        match self._prompts:
            case Prompts.PUBLISHED:
                return _as_published(call, closed=closed)
            case Prompts.CODE:
                return _as_released(call, closed=closed)
            case Prompts.CHAT:
                name = "verify_step" if call.function is Function.VERIFY else "question_step"
                return load(name).substitute(text=call.text)


def evidence_text(evidence: Sequence[StepEvidence], longest: int) -> str:
    """Return the passages, one a line, cut to `longest` words in all.

    A line begins with the title of the page if it is known.
    """
    lines = [f"{title}: {one.sentence}" if (title := one.title) else one.sentence for one in evidence]
    shortened, room = [], longest
    for line in lines:
        words = line.split()[:room]
        room -= len(words)
        shortened.append(" ".join(words))
    return "\n".join(line for line in shortened if line)


def _as_published(call: Call, *, closed: bool) -> str:
    """Return the prompt for a call as section 3.4 of ProgramFC prints it, without the evidence.

    `closed` is True in the closed-book setting: the prompt is then one line.
    """
    between = " " if closed else "\n"
    if call.function is Function.QUESTION:
        return f"Q: {call.text.strip().removesuffix('?').rstrip()}?{between}The answer is:"
    claim = call.text.strip().removesuffix(".")
    return f"Q: Is it true that {claim}?{between}True or False? The answer is:"


def _as_released(call: Call, *, closed: bool) -> str:
    """Return the prompt for a call as ProgramFC's released code words it, without the evidence.

    `closed` is True in the closed-book setting: the prompt then does not mention information.
    """
    if call.function is Function.QUESTION:
        return f"Question: {call.text}\nThe answer is:"
    question = f"s it true that {call.text.strip().removesuffix('.')}? True or false? The answer is: "
    return f"I{question}" if closed else f"Based on the above information, i{question}"


def first_line(text: str) -> str:
    """Return the first line that is not blank, stripped; empty if there is none."""
    return next((line.strip() for line in text.split("\n") if line.strip()), "")


def as_answer(text: str) -> str | None:
    """Return the answer in a model's reply, as one line; None if the reply is empty or says that there is no answer."""
    answer = _LEAD.sub("", first_line(text)).strip().strip("\"'“”").rstrip(".").strip()
    return None if not answer or is_refusal(answer) else answer


def scored_verdict(reply: Reply, threshold: float = 0.5, unsure: float = 0.0) -> tuple[Value, float, str]:
    """Return a verdict, its confidence (0 to 1), and the reason of a failure, from the model's scores of True and
    False.

    The verdict is true if the probability of True is at least `threshold`; with 0.5, equal scores are true. It is
    unknown if the probability is less than `unsure` from the threshold. If neither has a score, it is unknown and a
    failure.
    """
    if not any(math.isfinite(score) for score in reply.scores):
        return Value.UNKNOWN, 0.0, "the model scored none of the choices"
    true = _probability(reply)
    if abs(true - threshold) < unsure:
        return Value.UNKNOWN, 0.0, ""
    return (Value.TRUE, true, "") if true >= threshold else (Value.FALSE, 1 - true, "")


def _probability(reply: Reply) -> float:
    """Return the probability of the first of two choices; the scores of the reply are their log-probabilities."""
    first, second = reply.scores
    return 1 / (1 + math.exp(min(700.0, second - first)))


class RequestResult(NamedTuple):
    """The result of a request to a language model.

    `reply`: the reply, or the error if the request failed.
    `calls`: number of calls to the engine for it.
    """

    reply: Reply | ModelError
    calls: int


class LanguageModelAnswers:
    """Answerer of steps that uses a language model.

    `threshold`: probability of True from which a Verify is true.
    `unsure`: a Verify is unknown if the probability of True is less than this from the threshold; by default 0: never.
    `read`: number of passages in a prompt; by default None: all that were found.
    `shared`: True if all steps of a claim have the same evidence, so that the engine can cache it.
    """

    def __init__(
        self, model: LanguageModel, source: EvidenceSource, forms: Forms, threshold: float = 0.5, unsure: float = 0.0,
        read: int | None = None, *, shared: bool = True,
    ) -> None:  # fmt: skip
        self._model, self._source, self._forms = model, source, forms
        self._threshold, self._unsure, self._read, self._shared = threshold, unsure, read, shared

    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        """Return an answer for each call, in order. Raises StoreError when a claim's evidence cannot be read."""
        passages = self._source.find(calls)
        indexes = [index for index, evidence in enumerate(passages) if evidence is None or evidence]
        requests = [
            self._forms.request(calls[index], self._shown(passages[index]), shared=self._shared) for index in indexes
        ]
        replies = complete_each(self._model, requests)
        by_index = dict(zip(indexes, replies, strict=True))
        return [
            self._answered(call, passages[index] or (), by_index[index]) if index in by_index
            else unanswered(call.function)
            for index, call in enumerate(calls)
        ]  # fmt: skip

    def _shown(self, passages: Passages | None) -> Passages | None:
        return None if passages is None else passages[: self._read]

    def _answered(self, call: Call, evidence: Passages, result: RequestResult) -> Answered:
        reply, calls = result
        if isinstance(reply, ModelError):
            named = f"{call.function} {call.text}: {reply}"
            return unanswered(call.function, evidence, model_calls=calls, failure=named)
        value, confidence, failure = self._understood(call.function, reply)
        named = failure and f"{call.function} {call.text}: {failure}"
        written = call.function is Function.VERIFY and not self._forms.scores
        return Answered(
            value, evidence, confidence, calls, reply.prompt_tokens, reply.new_tokens, named,
            unread=written and value is Value.UNKNOWN,
        )  # fmt: skip

    def _understood(self, function: Function, reply: Reply) -> tuple[StepValue, float, str]:
        """Return the value of a reply, its confidence (0 to 1), and the reason if the model failed."""
        if function is Function.VERIFY and self._forms.scores:
            return scored_verdict(reply, self._threshold, self._unsure)
        nothing = self._forms.scores and reply.stopped == "empty"  # if published, an empty reply is an unknown answer
        failure = "the model returned nothing" if nothing else ""
        read = as_value(first_line(reply.text)) if function is Function.VERIFY else as_answer(reply.text)
        return read, 0.0, failure


def complete_each(model: LanguageModel, requests: Sequence[Request]) -> list[RequestResult]:
    """Return the result of each request, in order.

    All requests are sent in one list. If that fails and the error does not say which requests failed, each is sent once
    more alone.
    """
    if not requests:
        return []
    try:
        return [RequestResult(reply, reply.calls) for reply in model.complete(requests)]
    except PartialError as error:
        return [RequestResult(one, _calls(one)) for one in error.replies]
    except ModelError as error:
        if len(requests) == 1:
            return [RequestResult(error, 1)]
        again = [one for request in requests for one in complete_each(model, [request])]
        return [RequestResult(reply, calls + 1) for reply, calls in again]


def _calls(reply: Reply | ModelError) -> int:
    return reply.calls if isinstance(reply, Reply) else 1
