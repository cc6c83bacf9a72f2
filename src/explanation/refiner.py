"""Explanations made faithful by debate: drafts, checks, debates of all claims together, checks again."""

from collections.abc import Mapping, Sequence

import msgspec

from src.explanation.checks.checker import Checker
from src.explanation.debate.acceptance import changed, kept_back
from src.explanation.debate.agents import Brief
from src.explanation.debate.madr import Madr, Result
from src.explanation.debate.records import Debate, Stop
from src.explanation.debate.together import together
from src.explanation.draft import read_draft
from src.explanation.pieces import nearest, pieces
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.writer import Writer, explained
from src.llm.protocol import LanguageModel
from src.runner.outcome import Outcome


class Settings(msgspec.Struct, frozen=True):
    """`always` debates what the checks let pass, too; `source_words` are read, `most_words` kept of a revision."""

    max_rounds: int = 3
    most_calls: int | None = None
    typology: str = "both"
    always: bool = False
    source_words: int = 400
    most_words: int = 80


class Refiner:
    """`models` are by agent, `writer` drafts where a claim has no explanation."""

    def __init__(
        self, models: Mapping[str, LanguageModel], writer: Writer, checker: Checker, settings: Settings
    ) -> None:
        self._models, self._writer, self._checker, self._settings = models, writer, checker, settings

    def refine(self, claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        """In order. Raises ModelError where a draft cannot be written."""
        drafts = self._drafted(claims)
        findings = self._checker.check(drafts)
        debated = [
            at for at, one in enumerate(drafts)
            if one.explanation and (self._settings.always or findings[at])
        ]  # fmt: skip
        debates = [self._debate(drafts[at]) for at in debated]
        results = dict(zip(debated, together([one.run() for one in debates], self._models), strict=True))
        return [self._outcome(one, findings[at], results.get(at)) for at, one in enumerate(drafts)]

    def _drafted(self, claims: Sequence[ExplainedClaim]) -> list[ExplainedClaim]:
        missing = [at for at, claim in enumerate(claims) if claim.explanation is None]
        written = self._writer.write([claims[at] for at in missing]) if missing else []
        drafts = dict(zip(missing, (one.record for one in written), strict=True))
        return [drafts.get(at, claim) for at, claim in enumerate(claims)]

    def _debate(self, draft: ExplainedClaim) -> Madr:
        read = nearest(pieces(draft), draft.claim, self._settings.source_words)
        brief = Brief(draft, read, draft.explanation or "", self._settings.typology)
        return Madr(brief, self._settings.max_rounds, self._settings.most_calls)

    def _outcome(
        self, draft: ExplainedClaim, before: Sequence[Finding], result: Result | None
    ) -> Outcome[ExplainedClaim]:
        if result is None:
            return Outcome(draft, {"debates": 0, "findings_before": len(before), "findings_after": len(before)})
        refined, after = draft, list(before)
        debate = result.debate
        if result.revision is not None:
            revision, cut = self._revised(draft, result.revision)
            (found,) = self._checker.check([revision])
            debate.kept_back = kept_back(before, found) or changed(draft, revision, cut=cut)
            debate.accepted = not debate.kept_back
            refined, after = (revision, found) if debate.accepted else (draft, list(before))
        failure = "an agent did not answer, or not readably" if debate.stop is Stop.AGENT_FAILED else ""
        return Outcome(msgspec.structs.replace(refined, debate=debate), _counts(debate, before, after), failure)

    def _revised(self, draft: ExplainedClaim, text: str) -> tuple[ExplainedClaim, int]:
        """The claim with its revision, and how many of its sentences had no room; a draft's length is always room."""
        most = max(self._settings.most_words, len((draft.explanation or "").split()))
        read = read_draft(text, pieces(draft), most)
        return explained(draft, read.explanation), read.counts["sentences_cut"]


def _counts(debate: Debate, before: Sequence[Finding], after: Sequence[Finding]) -> dict[str, int]:
    return {
        "debates": 1,
        f"stopped_{debate.stop}": 1,
        "rounds": debate.rounds,
        "model_calls": debate.calls,
        "prompt_tokens": debate.prompt_tokens,
        "new_tokens": debate.new_tokens,
        "dropped_quotes": debate.dropped_quotes,
        "unreadable": debate.unreadable,
        "accepted": int(debate.accepted),
        "kept_back": int(bool(debate.kept_back)),
        "findings_before": len(before),
        "findings_after": len(after),
    }
