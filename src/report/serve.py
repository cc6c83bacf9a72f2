"""Step: serve a page on which people check claims, and a JSON API for programs.

Serves on this machine until it is stopped. The first line on stdout is its address; openapi.json below it describes the
API. One claim is checked at a time, others wait. Checks are stored in --history, one file each.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from src.check import Models, Scraping, Select, Strategy, check_claim
from src.check.interruption import own_temporary_files
from src.check.models import ModelSettings
from src.check.records import CheckedClaim, CheckRequest
from src.check.run_context import Tell
from src.report.server.check_service import IsCancelled
from src.report.server.records import Limits
from src.report.server.submission import offered_providers
from src.retrieval.scraping.settings import prefix
from src.runner.console import how_many
from src.runner.step import step
from src.settings import Flag, Group, Natural, Positive, Seconds


class ServeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `serve`."""

    host: Annotated[str, Flag("address to serve on")] = "127.0.0.1"
    port: Annotated[Natural, Flag("port to serve on; 0: any free one")] = 8020
    names: Annotated[
        tuple[str, ...], Flag("further names of this server, as behind a proxy; with them, --host may be 0.0.0.0")
    ] = ()
    history: Annotated[Path, Flag("folder of the history, one file for each check")] = Path("data_store/checks")
    keep: Annotated[Positive, Flag("checks kept in the history; the oldest are deleted first")] = Limits().kept
    seconds: Annotated[Seconds, Flag("seconds for one check")] = Limits().seconds
    waiting: Annotated[Natural, Flag("checks that may wait in the queue")] = Limits().waiting
    most_urls: Annotated[Positive, Flag("most URLs of one claim")] = Limits().urls
    strategy: Annotated[Strategy, Flag("strategy that the form proposes", former="--road")] = Strategy.QUESTIONS
    via: Annotated[str, Flag("fetch PREFIX + URL, as from a web archive", metavar="PREFIX", parse=prefix)] = ""
    allow_private: Annotated[bool, Flag("fetch from private and loopback addresses too")] = False
    models: Annotated[ModelSettings, Group("models of the questions strategy and of one call")] = ModelSettings()


@step(ServeSettings)
def main(settings: ServeSettings) -> int:
    from src.report.server.app import app  # starlette
    from src.report.server.check_service import CheckService
    from src.report.server.history import History
    from src.serving.run import serve  # uvicorn

    limits = Limits(settings.seconds, settings.waiting, settings.most_urls, settings.keep)
    providers, models = offered_providers(), Models(settings.models)
    how = Scraping(via=settings.via, allow_private=settings.allow_private, most_urls=settings.most_urls)
    check = partial(_checked, models, how, settings.models.select)
    with History(settings.history, limits.kept) as history, own_temporary_files():
        service = CheckService(check, history, limits, providers, settings.strategy)
        message = f"serve: {how_many(len(history.checks()), 'check')} in {settings.history}; {_searches(providers)}"
        serve(
            partial(app, service),
            settings.host,
            settings.port,
            message,
            "have claims checked and read all checks",
            service.stop,
            settings.names,
        )
    return 0


def _checked(
    models: Models, how: Scraping, select: Select, request: CheckRequest, /, tell: Tell, is_cancelled: IsCancelled
) -> CheckedClaim:
    request = replace(request, select=select)
    return check_claim(request, models=models, scraping=how, tell=tell, is_cancelled=is_cancelled)


def _searches(providers: Sequence[str]) -> str:
    return f"searches by {', '.join(providers)}" if providers else "no search provider has its key set"


if __name__ == "__main__":
    raise SystemExit(main())
