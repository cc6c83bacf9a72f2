"""Step: serve a page on which people check claims, and a JSON API for programs.

Serves on this machine until it is stopped. The first line on stdout is its address; openapi.json below it describes the
API. One claim is checked at a time, others wait. Checks are stored in --history, one file each.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from src.check import Models, Road, Scraping, Select, check_claim
from src.check.interruption import own_temporary_files
from src.check.model_flags import add_check_model_flags, add_reference, models_from
from src.check.records import Asked, CheckedClaim
from src.check.run_context import Tell
from src.report.server.check_request import offered_providers
from src.report.server.check_service import IsCancelled
from src.report.server.records import Limits
from src.reranking.questions.flags import add_writer_flags
from src.retrieval.scraping.flags import prefix, seconds
from src.runner.arguments import StepParser, WithDefaults, natural, positive, step
from src.runner.console import how_many

MODULE = "src.report.serve"


def parser() -> argparse.ArgumentParser:
    limits, described = Limits(), (__doc__ or "").partition("\n\n")[2]
    flags = StepParser(prog=f"python -m {MODULE}", description=described, formatter_class=WithDefaults)
    add = flags.add_argument
    add("--host", default="127.0.0.1", help="the address to serve on")
    add("--port", type=natural, default=8020, help="0: any that is free")
    add("--history", type=Path, default=Path("data_store/checks"), help="folder of what was checked")
    add("--keep", type=positive, default=limits.kept, help="checks in the history; the oldest go first")
    add("--seconds", type=seconds, default=limits.seconds, help="for one check")
    add("--waiting", type=natural, default=limits.waiting, help="checks that may wait for their turn")
    add("--most_urls", type=positive, default=limits.urls, help="addresses of pages for one claim")
    add("--road", choices=[*map(str, Road)], default=str(Road.QUESTIONS), help="what the form proposes")
    add("--via", type=prefix, default="", metavar="PREFIX", help="fetch PREFIX + URL, as from a web archive")
    add("--allow_private", action="store_true", help="fetch from private and loopback addresses too")
    add_reference(flags)
    add_check_model_flags(flags)
    add_writer_flags(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    from src.report.server.app import app  # starlette
    from src.report.server.check_service import CheckService
    from src.report.server.history import History
    from src.serving.run import serve  # uvicorn

    limits = Limits(args.seconds, args.waiting, args.most_urls, args.keep)
    providers, models = offered_providers(), models_from(args)
    how = Scraping(via=args.via, allow_private=args.allow_private, most_urls=args.most_urls)
    check = partial(_checked, models, how, Select(args.select))
    with History(args.history, limits.kept) as history, own_temporary_files():
        service = CheckService(check, history, limits, providers, Road(args.road))
        message = f"serve: {how_many(len(history.checks()), 'check')} in {args.history}; {_searches(providers)}"
        serve(
            partial(app, service),
            args.host,
            args.port,
            message,
            "have claims checked and read what others asked",
            service.stop,
        )
    return 0


def _checked(
    models: Models, how: Scraping, select: Select, asked: Asked, tell: Tell, is_cancelled: IsCancelled
) -> CheckedClaim:
    asked = replace(asked, select=select)
    return check_claim(asked, models=models, scraping=how, tell=tell, is_cancelled=is_cancelled)


def _searches(providers: Sequence[str]) -> str:
    return f"searches by {', '.join(providers)}" if providers else "no search provider has its key set"


if __name__ == "__main__":
    raise SystemExit(main())
