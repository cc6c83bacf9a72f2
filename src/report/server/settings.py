"""Settings that all servers of checks share, and the function that checks a claim with them."""

from functools import partial
from typing import Annotated

import msgspec
from msgspec.structs import replace

from src.check import Models, Scraping, Select, check_claim
from src.check.records import CheckedClaim, CheckRequest
from src.check.run_context import Tell
from src.report.server.check_service import CheckFunction, IsCancelled
from src.report.server.records import Limits
from src.retrieval.scraping.settings import prefix
from src.settings import Flag, Natural, Positive, Seconds


class ServiceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a server of checks, and how it fetches pages."""

    keep: Annotated[Positive, Flag("checks kept in the history; the oldest are deleted first")] = Limits().kept
    seconds: Annotated[Seconds, Flag("seconds for one check")] = Limits().seconds
    waiting: Annotated[Natural, Flag("checks that may wait in the queue")] = Limits().waiting
    most_urls: Annotated[Positive, Flag("most URLs of one claim")] = Limits().urls
    via: Annotated[str, Flag("fetch PREFIX + URL, as from a web archive", metavar="PREFIX", parse=prefix)] = ""
    allow_private: Annotated[bool, Flag("fetch from private and loopback addresses too")] = False
    names: Annotated[
        tuple[str, ...], Flag("further names of this server, as behind a proxy; with them, --host may be 0.0.0.0")
    ] = ()

    @property
    def limits(self) -> Limits:
        return Limits(self.seconds, self.waiting, self.most_urls, self.keep)

    @property
    def scraping(self) -> Scraping:
        return Scraping(via=self.via, allow_private=self.allow_private, most_urls=self.most_urls)

    def check_function(self, models: Models, select: Select) -> CheckFunction:
        """Return the function that checks a claim with these models."""
        return partial(_checked, models, self.scraping, select)


def _checked(
    models: Models, how: Scraping, select: Select, request: CheckRequest, /, tell: Tell, is_cancelled: IsCancelled
) -> CheckedClaim:
    request = replace(request, select=select)
    return check_claim(request, models=models, scraping=how, tell=tell, is_cancelled=is_cancelled)
