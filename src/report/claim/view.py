"""Contents of a claim's page, from a run's files or from a check."""

from collections.abc import Mapping

import msgspec

from src.check.records import Decisive
from src.evaluation.averitec import ClaimScore
from src.explanation.records import Debate, Finding, Stop
from src.programs.drawing import DrawnClaim
from src.records import VERDICTS, Claim, Level, Reason, Side, Verdict
from src.retrieval.scraping.page_log import PageLog
from src.runner.output import Failure

ENDED = {
    Stop.AGREED: "the two agreed",
    Stop.EMPTY: "no error was named",
    Stop.STALLED: "nothing new was said",
    Stop.CAP: "its rounds were used up",
    Stop.BUDGET: "its calls were used up",
    Stop.AGENT_FAILED: "an agent did not answer",
}


class Pair(msgspec.Struct, frozen=True):
    """A question-answer pair of the evidence, or of the gold evidence; both are numbered from 1.

    `partner` is the number of the pair of the other side matched by the Hungarian method, `meteor` their similarity;
    None for an unmatched pair. `stance` is the pair's stance to the claim, None where it was not read.
    """

    number: int
    question: str
    answer: str
    url: str = ""
    partner: int | None = None
    meteor: float | None = None
    stance: Side | None = None


class Retrieved(msgspec.Struct, frozen=True):
    """A retrieved sentence; `rank` counts from 1, `used` are the numbers of the pairs whose answer it is."""

    rank: int
    sentence: str
    url: str
    before: str = ""
    after: str = ""
    reason: Reason | None = None
    used: tuple[int, ...] = ()


class Part(msgspec.Struct, frozen=True):
    """A part of a sentence and the numbers, from 1, of the findings that mark it."""

    text: str
    findings: tuple[int, ...] = ()


class Said(msgspec.Struct, frozen=True):
    """A sentence of a justification with the numbers of the evidence that it cites."""

    parts: tuple[Part, ...]
    cites: tuple[int, ...] = ()


class Change(msgspec.Struct, frozen=True):
    """Words that a debate kept, or removed and added."""

    kept: str = ""
    removed: str = ""
    added: str = ""


class DebateView(msgspec.Struct, frozen=True):
    debate: Debate
    changes: tuple[Change, ...]

    @property
    def ended(self) -> str:
        return ENDED[self.debate.stop]

    @property
    def is_changed(self) -> bool:
        return any(one.removed or one.added for one in self.changes)


def in_order(probabilities: Mapping[Verdict, float] | None) -> tuple[tuple[Verdict, float], ...]:
    """Return the probabilities in the order of the published class ids."""
    return tuple((one, probabilities[one]) for one in VERDICTS if one in probabilities) if probabilities else ()


class ClaimView(msgspec.Struct, frozen=True):
    """Contents of a claim's page.

    `claim` holds the gold label and justification where they are known. `failures` are those of the claim in the run's
    steps. `reliance` are sentences on how far the verdict may be relied on, `change` is what would change it.
    `are_programs_apart`: the verdict does not come from the programs. `checked` gives the time and the strategy of a
    check, `models` the model for each task, `dates` (by URL) the publication dates of pages where known. `seconds` are
    those of a check's stages.
    """

    claim: Claim
    verdict: Verdict
    probabilities: tuple[tuple[Verdict, float], ...] = ()
    pairs: tuple[Pair, ...] = ()
    gold: tuple[Pair, ...] = ()
    score: ClaimScore | None = None
    justification: tuple[Said, ...] = ()
    findings: tuple[Finding, ...] = ()
    level: Level | None = None
    reliance: tuple[str, ...] = ()
    decisive: Decisive | None = None
    change: str = ""
    retrieved: tuple[Retrieved, ...] = ()
    programs: DrawnClaim | None = None
    are_programs_apart: bool = False
    debate: DebateView | None = None
    pages: tuple[PageLog, ...] = ()
    checked: str = ""
    models: tuple[tuple[str, str], ...] = ()
    dates: Mapping[str, str] = {}
    seconds: tuple[tuple[str, float], ...] = ()
    failures: tuple[Failure, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_right(self) -> bool | None:
        """True if the verdict is the gold label, None where no label is known."""
        return None if self.claim.label is None else self.claim.label is self.verdict

    @property
    def is_undecided(self) -> bool:
        return self.level is Level.UNDECIDED

    @property
    def has_stances(self) -> bool:
        """True if the stance of some pair was read."""
        return any(pair.stance for pair in self.pairs)

    def side(self, *sides: str | None) -> tuple[Pair, ...]:
        """Return the pairs with one of these stances; None means a stance that was not read."""
        return tuple(pair for pair in self.pairs if pair.stance in sides)
