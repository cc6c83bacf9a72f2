"""Refinement of explanations: drafts, checks, debates on all claims together, and acceptance of the revisions.

The paper accepts every revision (`as_written`), even if the refiner changes the verdict or adds a name or number. With
`--accept careful` a revision is accepted only if the checks find nothing new in it (`kept_explanation`). A finding is
not new if the draft has the same words between the same neighboring words. Without this rule, a revision that removes
one of two errors could be rejected because the checks now report the other one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from src.explanation.checks.checker import Checker
from src.explanation.checks.grounds import Grounds
from src.explanation.checks.verdicts import other_sides, sides, states
from src.explanation.debate.agents import Brief
from src.explanation.debate.conversation import DebateSteps, Result, batched_replies, run_debates
from src.explanation.debate.methods import METHODS
from src.explanation.labels import closing, conclusion
from src.explanation.pieces import nearest, pieces
from src.explanation.records import Cost, Debate, ExplainedClaim, Finding, Stop
from src.explanation.text import explained, is_ended, read_draft, unmarked
from src.explanation.typology import ErrorType
from src.explanation.writer import Writer
from src.llm.protocol import LanguageModel, Reply
from src.llm.replies import NoRoomError
from src.reranking.hybrid.own_words import own_words
from src.runner.manifest import total
from src.runner.outcome import Outcome
from src.text import sentences

# Types of lexical findings that no revision may add, even if the tagger has little doubt of its words.
ADDED = (ErrorType.EXTRINSIC_ENTITY, ErrorType.INTRINSIC_ENTITY, ErrorType.REASONING_COHERENCE)
KEPT = 0.3  # share of the draft's words, without its verdict, that a revision must have
OF_DRAFT = 0.7  # or the share of the revision's words that are from the draft, or replace its words from the evidence
FEWEST = 2  # fewest different words of the draft, without its verdict, that a revision must have
LONGER = 1.25  # a revision may have so many times the words of its draft
SAME = "the revision is the draft again"
EMPTY = "the revision says nothing"


def as_written(draft: ExplainedClaim, revision: str) -> ExplainedClaim:
    """Return the claim with the agent's text as explanation, whatever it says (`--accept published`).

    Citation marks are moved from the text to `cites`, line breaks become spaces, and sentences that have only dots are
    dropped. The remaining text may be empty.
    """
    return explained(draft, read_draft(revision, pieces(draft), most_words=None).explanation)


def kept_explanation(
    draft: ExplainedClaim, before: Sequence[Finding], result: Result, checker: Checker, most_words: int
) -> tuple[ExplainedClaim, Sequence[Finding]]:
    """Return the revision if it is accepted, else the draft, each with its findings. The record of the debate
    (`result.debate`) gets the decision, and the reason if the draft is kept.

    `before` are the findings in the draft. A revision with more than `most_words` words is too long, unless its draft
    is about as long.
    """
    debate = result.debate
    debate.kept_back, debate.accepted = "", False
    if result.revision is None:
        return draft, before
    most = max(most_words, int(LONGER * len((draft.explanation or "").split())))
    read = read_draft(with_verdict(result.revision, draft), pieces(draft), most)
    revision = explained(draft, read.explanation)
    (after,) = checker.check([revision])
    new = kept_back(before, _unlike(draft, revision, after)) or added(draft, revision, checker)
    debate.kept_back = new or changed(draft, revision, cut=read.counts["sentences_cut"])
    debate.accepted = not debate.kept_back
    return (revision, after) if debate.accepted else (draft, before)


def changed(draft: ExplainedClaim, revision: ExplainedClaim, *, cut: int) -> str:
    """Return why a revision is rejected before its findings are compared; an empty string if it is not.

    It is rejected if it is empty, equal to the draft, or was cut because it is too long. It is also rejected if it
    states another verdict, drops the draft's verdict, or shares so little with the draft that it is no revision of it.
    `cut` is the number of sentences that were cut off.
    """
    before, after = draft.explanation or "", revision.explanation or ""
    if not after:
        return EMPTY
    if after.split() == before.split():
        return SAME
    if cut:
        return "the revision is too long"
    if other_sides(after, draft.label) - sides(before):
        return "the revision states another verdict"
    if states(before, draft.label) and not states(after, draft.label):
        return "the revision no longer states the verdict"
    return "" if _is_of(draft, revision) else "the revision is another text"


def _is_of(draft: ExplainedClaim, revision: ExplainedClaim) -> bool:
    """Return True if the revision has enough words of the draft, or hardly any other words.

    A word of the claim or its evidence counts as a word of the draft if it can replace one that was removed.
    """
    verdict, before, after = (
        set(own_words(text)) for text in (conclusion(draft.label), draft.explanation or "", revision.explanation or "")
    )
    words = before - verdict or before
    if len(words & after) >= KEPT * len(words):
        return True
    content = after - verdict
    from_draft, from_evidence = content & words, content & Grounds.of(draft).words - words
    stay = len(from_draft) + min(len(from_evidence), len(words - after))
    return len(from_draft) >= FEWEST and stay >= OF_DRAFT * len(content)


def with_verdict(revision: str, draft: ExplainedClaim) -> str:
    """Return the revision, with the verdict added as last sentence if the draft states it and the revision states no
    verdict.

    A revision that states another verdict is returned unchanged; `changed` rejects it.
    """
    before, text = draft.explanation or "", revision.rstrip()
    if sides(text) or not own_words(unmarked(text)) or not states(before, draft.label):
        return revision
    stop = "" if is_ended(unmarked(text)) else "."
    return f"{text}{stop} {closing(draft.label)}"


def kept_back(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    """Return the reason why a revision with the findings `after` is rejected, given the draft's findings `before`; an
    empty string if it is accepted.
    """
    if new := _new(before, after):
        return new
    more = f"the checks find {len(after)} errors in the revision, {len(before)} in the draft"
    return "" if len(after) <= len(before) else more


def added(draft: ExplainedClaim, revision: ExplainedClaim, checker: Checker) -> str:
    """Return a message that lists the names, numbers and verdicts of the revision that neither draft nor evidence has.

    Return an empty string if there are none.

    Only the lexical rules decide. The tagger, chosen for few false alarms, would let doubtful words pass.
    """
    before, after = checker.without_tagger().check([draft, revision])
    return _new(before, [one for one in _unlike(draft, revision, after) if one.type in ADDED])


def _new(before: Sequence[Finding], after: Sequence[Finding]) -> str:
    known = {(one.type, one.span.casefold()) for one in before}
    new = [one for one in after if (one.type, one.span.casefold()) not in known]
    return "; ".join(f'the revision says "{one.span}", but {one.reason}' for one in new)


def _unlike(draft: ExplainedClaim, revision: ExplainedClaim, findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings in the revision that are new: the draft does not have the same words between the same two
    neighboring words.
    """
    draft_words, texts = _words(draft.explanation or ""), sentences(revision.explanation or "")
    return [one for one in findings if not _is_in_draft(one.span, texts[one.sentence], f" {draft_words} ")]


def _is_in_draft(span: str, sentence: str, draft: str) -> bool:
    """Return True if the draft has the span, with the same word before and after it as in the sentence."""
    before, there, behind = sentence.partition(span)
    near = [*_words(before).split()[-1:], _words(span), *_words(behind).split()[:1]]
    return bool(there) and f" {' '.join(near)} " in draft


def _words(text: str) -> str:
    return " ".join(re.findall(r"\d+(?:[.,:/]\d+)*|\w+(?:['\u2019]\w+)?|[%$\u20ac\u00a3]", text.casefold()))


class Drafter:
    """Writer of missing drafts; `writer` makes the requests, `model` answers them."""

    def __init__(self, writer: Writer, model: LanguageModel) -> None:
        self._writer, self._model = writer, model

    def drafted(self, claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        """Return an outcome for each claim, in order. If the model gives no answer for a claim, only this claim fails
        and stays without an explanation.

        Raises FatalError if the model cannot go on.
        """
        requests = [self._writer.request(claim) for claim in claims]
        models: Mapping[str, LanguageModel] = {request.role: self._model for request in requests}
        outcomes = []
        for claim, answer in zip(claims, batched_replies(requests, models), strict=True):
            took = {"drafts": 1, "model_milliseconds": round(1000 * answer.seconds)}
            if not isinstance(answer.reply, Reply):
                calls = int(not isinstance(answer.reply, NoRoomError))
                outcomes.append(
                    Outcome(
                        claim,
                        took | {"model_calls": calls, "prompt_tokens": 0, "new_tokens": 0},
                        f"no draft: {answer.reply}",
                    )
                )
            else:
                one = self._writer.outcome(claim, answer.reply)
                outcomes.append(Outcome(one.record, {**took, **one.counts}, one.failure))
        return outcomes


class RefinerSettings(msgspec.Struct, frozen=True):
    """Settings of a refinement.

    `method`: name of the method, a key of `METHODS`.
    `max_rounds`: maximum number of rounds of a debate.
    `most_calls`: maximum number of calls of a debate; None: no limit.
    `typology`: which agents see the nine types of errors (`Brief`).
    `grammar`: True if grammars restrict feedback and judgment to their form (`Brief`).
    `always`: True to debate also explanations in which the checks find nothing.
    `source_words`: maximum number of words of the evidence that agents read; None: all.
    `most_words`: maximum number of words of a revision.
    `published`: True for the paper's algorithm: every revision is accepted, and an empty one fails its claim.
    """

    method: str
    max_rounds: int
    most_calls: int | None = None
    typology: str = "both"
    grammar: bool = True
    always: bool = False
    source_words: int | None = None
    most_words: int = 80
    published: bool = False


class Refiner:
    """Refiner of explanations. `models` has a model for each agent; `drafter` writes missing explanations (None: they
    stay missing).
    """

    def __init__(
        self, models: Mapping[str, LanguageModel], drafter: Drafter | None, checker: Checker, settings: RefinerSettings
    ) -> None:
        self._models, self._drafter, self._checker, self._settings = models, drafter, checker, settings

    def refine(self, claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        """Return an outcome for each claim, in order: the draft or the accepted revision.

        Raises FatalError if a model cannot go on.
        """
        drafts = self._drafted(claims)
        findings = self._checker.check([one.record for one in drafts])
        debated = [
            at for at, one in enumerate(drafts)
            if (one.record.explanation or "").strip() and (self._settings.always or findings[at])
        ]  # fmt: skip
        debates = [self._debate(drafts[at].record) for at in debated]
        results = dict(zip(debated, run_debates(debates, self._models), strict=True))
        return [self._outcome(one, findings[at], results.get(at)) for at, one in enumerate(drafts)]

    def _drafted(self, claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        if self._drafter is None:
            return [Outcome(claim) for claim in claims]
        missing = [at for at, claim in enumerate(claims) if claim.explanation is None]
        made = map(_with_cost, self._drafter.drafted([claims[at] for at in missing]))
        drafts = dict(zip(missing, made, strict=True))
        return [drafts.get(at) or Outcome(claim) for at, claim in enumerate(claims)]

    def _debate(self, draft: ExplainedClaim) -> DebateSteps:
        of = self._settings
        read = nearest(pieces(draft), draft.claim, of.source_words)
        brief = Brief(draft, read, draft.explanation or "", of.typology, of.grammar, of.published)
        return METHODS[of.method].debate(brief, of.max_rounds, of.most_calls)

    def _outcome(
        self, drafted: Outcome[ExplainedClaim], before: Sequence[Finding], result: Result | None
    ) -> Outcome[ExplainedClaim]:
        draft, debate = drafted.record, None if result is None else result.debate
        if result is None or debate is None:
            without_debate = {"debates": 0, "findings_before": len(before), "findings_after": len(before)}
            return Outcome(draft, total([drafted.counts, without_debate]), drafted.failure)
        refined, after = self._accepted_or_draft(draft, before, result)
        counts = total([drafted.counts, _counts(debate, before, after, result.seconds)])
        failure = drafted.failure or self._failure(debate)
        return Outcome(msgspec.structs.replace(refined, debate=debate), counts, failure)

    def _failure(self, debate: Debate) -> str:
        """Return why a claim failed: an agent failed, or (with `published`) the revision was empty; empty if it did not
        fail.
        """
        if debate.stop is Stop.AGENT_FAILED:
            return f"an agent did not answer, or not readably{f': {debate.error}' if debate.error else ''}"
        return f"the draft is kept: {debate.kept_back}" if self._settings.published and debate.kept_back else ""

    def _accepted_or_draft(
        self, draft: ExplainedClaim, before: Sequence[Finding], result: Result
    ) -> tuple[ExplainedClaim, Sequence[Finding]]:
        if not self._settings.published:
            return kept_explanation(draft, before, result, self._checker, self._settings.most_words)
        if result.revision is None:
            return draft, before
        revised = as_written(draft, result.revision)
        if not revised.explanation:
            result.debate.kept_back = f"{EMPTY}: it holds only citation marks or dots"
            return draft, before
        result.debate.accepted = True
        (after,) = self._checker.check([revised])
        return revised, after


def _with_cost(drafted: Outcome[ExplainedClaim]) -> Outcome[ExplainedClaim]:
    took = Cost(*(drafted.counts[name] for name in ("model_calls", "prompt_tokens", "new_tokens")))
    return replace(drafted, record=msgspec.structs.replace(drafted.record, drafting=took))


def _counts(debate: Debate, before: Sequence[Finding], after: Sequence[Finding], seconds: float) -> dict[str, int]:
    return {
        "debates": 1,
        f"stopped_{debate.stop}": 1,
        "rounds": debate.rounds,
        "model_calls": debate.calls,
        "prompt_tokens": debate.prompt_tokens,
        "new_tokens": debate.new_tokens,
        "model_milliseconds": round(1000 * seconds),
        "dropped_quotes": debate.dropped_quotes,
        "unreadable": debate.unreadable,
        "cut_replies": debate.cut_replies,
        "accepted": int(debate.accepted),
        "kept_back": int(bool(debate.kept_back)),
        "findings_before": len(before),
        "findings_after": len(after),
    }
