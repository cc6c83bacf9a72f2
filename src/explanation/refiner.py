"""Refinement of explanations: drafts, checks, debates of all claims together, checks again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from src.explanation.checks.checker import Checker
from src.explanation.debate.acceptance import EMPTY, as_written, settled
from src.explanation.debate.agents import Brief
from src.explanation.debate.conversation import Asking, Result
from src.explanation.debate.methods import METHODS
from src.explanation.debate.records import Cost, Debate, Stop
from src.explanation.debate.together import together
from src.explanation.missing_drafts import Drafter
from src.explanation.pieces import nearest, pieces
from src.explanation.records import ExplainedClaim, Finding
from src.llm.protocol import LanguageModel
from src.runner.manifest import total
from src.runner.outcome import Outcome


class Settings(msgspec.Struct, frozen=True):
    """Settings of a refinement.

    `always` also debates explanations that the checks pass. `source_words` of the evidence are read (None: all).
    `most_words` is the limit of a revision. `published` is the paper's algorithm: each revision is accepted, and an
    empty one fails its claim.
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
    """Refiner of explanations; `models` are by agent, `drafter` writes missing explanations (None: none is missing)."""

    def __init__(
        self, models: Mapping[str, LanguageModel], drafter: Drafter | None, checker: Checker, settings: Settings
    ) -> None:
        self._models, self._drafter, self._checker, self._settings = models, drafter, checker, settings

    def refine(self, claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        """Return an outcome for each claim, in order.

        Raises: FatalError if a model cannot go on.
        """
        drafts = self._drafted(claims)
        findings = self._checker.check([one.record for one in drafts])
        debated = [
            at for at, one in enumerate(drafts)
            if (one.record.explanation or "").strip() and (self._settings.always or findings[at])
        ]  # fmt: skip
        debates = [self._debate(drafts[at].record) for at in debated]
        results = dict(zip(debated, together(debates, self._models), strict=True))
        return [self._outcome(one, findings[at], results.get(at)) for at, one in enumerate(drafts)]

    def _drafted(self, claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        if self._drafter is None:
            return [Outcome(claim) for claim in claims]
        missing = [at for at, claim in enumerate(claims) if claim.explanation is None]
        made = map(_with_cost, self._drafter.drafted([claims[at] for at in missing]))
        drafts = dict(zip(missing, made, strict=True))
        return [drafts.get(at) or Outcome(claim) for at, claim in enumerate(claims)]

    def _debate(self, draft: ExplainedClaim) -> Asking:
        of = self._settings
        read = nearest(pieces(draft), draft.claim, of.source_words)
        brief = Brief(draft, read, draft.explanation or "", of.typology, of.grammar, of.published)
        return METHODS[of.method].debate(brief, of.max_rounds, of.most_calls)

    def _outcome(
        self, drafted: Outcome[ExplainedClaim], before: Sequence[Finding], result: Result | None
    ) -> Outcome[ExplainedClaim]:
        draft, debate = drafted.record, None if result is None else result.debate
        if result is None or debate is None:
            found = {"debates": 0, "findings_before": len(before), "findings_after": len(before)}
            return Outcome(draft, total([drafted.counts, found]), drafted.failure)
        refined, after = self._kept(draft, before, result)
        counts = total([drafted.counts, _counts(debate, before, after, result.seconds)])
        failure = drafted.failure or self._failure(debate)
        return Outcome(msgspec.structs.replace(refined, debate=debate), counts, failure)

    def _failure(self, debate: Debate) -> str:
        """Return the error of the agents; empty if there is none."""
        if debate.stop is Stop.AGENT_FAILED:
            return f"an agent did not answer, or not readably{f': {debate.error}' if debate.error else ''}"
        return f"the draft is kept: {debate.kept_back}" if self._settings.published and debate.kept_back else ""

    def _kept(
        self, draft: ExplainedClaim, before: Sequence[Finding], result: Result
    ) -> tuple[ExplainedClaim, Sequence[Finding]]:
        if not self._settings.published:
            return settled(draft, before, result, self._checker, self._settings.most_words)
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
