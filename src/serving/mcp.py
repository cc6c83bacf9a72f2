"""Step: serve checks to agents by the Model Context Protocol: on standard input and output, or over HTTP.

Tools: check_claim, find_evidence, explain. Over HTTP, the first line on stdout is the address.
"""

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from src.check import Models
from src.check.claim_language import language_note
from src.check.evidence import find_evidence
from src.check.interruption import own_temporary_files
from src.check.models import ModelSettings
from src.errors import require
from src.language import other_language
from src.report.server.check_service import CheckService
from src.report.server.history import History
from src.report.server.settings import ServiceSettings
from src.report.server.submission import offered_providers
from src.runner.step import step
from src.settings import Flag, Group, Natural

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

PATH = "/mcp"


class McpSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `mcp`."""

    transport: Annotated[Literal["stdio", "http"], Flag("standard input and output, or HTTP")] = "stdio"
    host: Annotated[str, Flag("address to serve on, with HTTP")] = "127.0.0.1"
    port: Annotated[Natural, Flag("port to serve on, with HTTP; 0: any free one")] = 8021
    history: Annotated[Path, Flag("folder of the checks, one file each")] = Path("data_store/agent_checks")
    service: Annotated[ServiceSettings, Group()] = ServiceSettings()
    models: Annotated[ModelSettings, Group("models of the questions strategy and of one call")] = ModelSettings()


@step(McpSettings)
def main(settings: McpSettings) -> int:
    require("mcp", "the Model Context Protocol")
    from src.report.agents.tools import tools_server

    limits, models = settings.service.limits, Models(settings.models)
    check = settings.service.check_function(models, settings.models.select)
    find = partial(find_evidence, models=models, scraping=settings.service.scraping)
    lacking = partial(models.lacking, select=settings.models.select, ask_hub=False)
    refuse = partial(language_note, llm=settings.models.writer.llm)
    with History(settings.history, limits.kept) as history, own_temporary_files():
        service = CheckService(check, history, limits, offered_providers(), lacking=lacking, refuse=refuse)
        server = tools_server(service, find)
        other_language("")  # loads its model now: during a call, all other calls would wait
        if settings.transport == "stdio":
            service.start()
            try:
                asyncio.run(server.run_stdio_async())
            finally:
                service.stop()
            return 0
        _serve(settings, service, server)
    return 0


def _serve(settings: McpSettings, service: CheckService, server: "MCPServer") -> None:
    """Serve the tools over HTTP until the server is stopped."""
    from src.report.agents.http import http_app
    from src.serving.run import accepted_hosts, serve

    names = settings.service.names
    application = http_app(service, server, accepted_hosts(settings.host, names))
    serve(
        application, settings.host, settings.port, f"mcp: checks in {settings.history}",
        "have claims checked", service.stop, names, PATH,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
