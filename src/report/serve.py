"""Step: serve a page on which people check claims, and a JSON API for programs.

Serves on this machine until it is stopped. The first line on stdout is its address; openapi.json below it describes the
API. One claim is checked at a time, others wait. Checks are stored in --history, one file each.
"""

from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from src.check import Models, Strategy
from src.check.claim_language import language_note
from src.check.interruption import own_temporary_files
from src.check.models import ModelSettings
from src.report.server.settings import ServiceSettings
from src.report.server.submission import offered_providers
from src.runner.console import how_many
from src.runner.step import step
from src.settings import Flag, Group, Natural


class ServeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `serve`."""

    host: Annotated[str, Flag("address to serve on")] = "127.0.0.1"
    port: Annotated[Natural, Flag("port to serve on; 0: any free one")] = 8020
    history: Annotated[Path, Flag("folder of the history, one file for each check")] = Path("data_store/checks")
    strategy: Annotated[Strategy, Flag("strategy that the form proposes", former="--road")] = Strategy.QUESTIONS
    service: Annotated[ServiceSettings, Group()] = ServiceSettings()
    models: Annotated[ModelSettings, Group("models of the questions strategy and of one call")] = ModelSettings()


@step(ServeSettings)
def main(settings: ServeSettings) -> int:
    from src.report.server.app import app  # starlette
    from src.report.server.check_service import CheckService
    from src.report.server.history import History
    from src.serving.run import serve  # uvicorn

    limits, providers = settings.service.limits, offered_providers()
    models, select = Models(settings.models), settings.models.select
    check = settings.service.check_function(models, select)
    lacking = partial(models.lacking, select=select, ask_hub=False)
    refuse = partial(language_note, llm=settings.models.writer.llm)
    with History(settings.history, limits.kept) as history, own_temporary_files():
        service = CheckService(check, history, limits, providers, settings.strategy, lacking, refuse)
        kept = how_many(len(history.checks()), "check")
        message = f"serve: {kept} in {settings.history}; searches by {'; '.join(providers)}"
        serve(
            app(service),
            settings.host,
            settings.port,
            message,
            "have claims checked and read all checks",
            service.stop,
            settings.service.names,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
