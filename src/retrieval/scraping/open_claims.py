"""The claims whose outputs are being written, each opened when its first row is settled.

Limitations: a claim is opened before its turn when it shares a URL with an earlier one. The number of these is bounded,
since each is an open file.
"""

from argparse import Namespace
from collections import Counter
from collections.abc import Sequence

from src.records import UrlRow
from src.retrieval.leakage.filters import Leakage
from src.retrieval.scraping.claim_output import ClaimOutput
from src.retrieval.scraping.claim_urls import ClaimUrls
from src.retrieval.scraping.frontier import Place
from src.retrieval.scraping.page_folder import PageFolder
from src.retrieval.scraping.page_log import PageLog
from src.runner.output import Failure


class OpenClaims:
    """Outputs of the claims in work. With `keep`, a claim's log is also written beside its kept pages, line by line.

    At most `early` claims are open before their turn. `answered`: a server answered for a row of a claim that was
    opened.
    """

    def __init__(
        self,
        claims: Sequence[ClaimUrls],
        args: Namespace,
        leakage: Leakage,
        keep: PageFolder | None = None,
        *,
        early: int = 200,
    ) -> None:
        self.faults = 0
        self.answered = False
        self._claims = {claim.claim_id: claim for claim in claims}
        self._args = args
        self._leakage = leakage
        self._keep = keep
        self._most_early = early
        self._outputs: dict[int, ClaimOutput] = {}
        self._opened: set[int] = set()
        self._early: Counter[int] = Counter()  # rows that were settled before their claim's turn
        self._finished: set[int] = set()

    def begin(self, claim_id: int, rows: Sequence[UrlRow]) -> tuple[int, list[int]]:
        """Start the claim's turn; return how many rows earlier runs finished, and the numbers of the rows still to do.

        Raises InputError for a damaged journal or output, BusyError when another run works on the claim.
        """
        todo = self._output(claim_id).give(rows)
        self._finish_if_complete(claim_id)
        return len(rows) - len(todo) - self._early.pop(claim_id, 0), todo

    def is_settled(self, place: Place) -> bool:
        return place.claim_id in self._finished or self._output(place.claim_id).is_settled(place.row)

    def settle(self, place: Place, log: PageLog, sentences: Sequence[str], failure: Failure | None = None) -> None:
        """Record a row as done, and write the claim's output after its last row. Raises OutputError."""
        output = self._output(place.claim_id)
        output.settle(log, sentences, failure)
        if self._keep:
            self._keep.note(place.claim_id, log)
        if output.rows is None:
            self._early[place.claim_id] += 1
        self._finish_if_complete(place.claim_id)

    def check_finished(self) -> None:
        """Raise RuntimeError when a claim is incomplete at the end of the run, so that no row is lost silently."""
        if missing := sorted(self._claims.keys() - self._finished):
            raise RuntimeError(f"claims without an output at the end of the run: {missing}")

    def close(self) -> None:
        """Close incomplete outputs; their finished rows are kept."""
        for output in self._outputs.values():
            output.close()
        self._outputs.clear()

    def _output(self, claim_id: int) -> ClaimOutput:
        if claim_id not in self._outputs:
            self._close_an_early_one()
            again = claim_id in self._opened
            self._outputs[claim_id] = ClaimOutput(self._claims[claim_id], self._args, self._leakage, again=again)
            self._opened.add(claim_id)
            self.answered |= self._outputs[claim_id].answered
        return self._outputs[claim_id]

    def _close_an_early_one(self) -> None:
        early = [claim_id for claim_id, output in self._outputs.items() if output.rows is None]
        if len(early) >= self._most_early:
            self._outputs.pop(early[0]).close()

    def _finish_if_complete(self, claim_id: int) -> None:
        output = self._outputs[claim_id]
        if output.is_complete():
            self.faults += output.finish(self._keep.log_path(claim_id) if self._keep else None)
            self._finished.add(claim_id)
            del self._outputs[claim_id]
