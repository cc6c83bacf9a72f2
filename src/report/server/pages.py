"""HTML pages of the server: a form with the history below, a running check, and the claim's page when it is done.

Forms work without a script; the only script shows the progress of a check.
"""

import secrets
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from src.check.records import Strategy
from src.errors import InputError
from src.report.claim_page import SCRIPT as CLAIM_SCRIPT
from src.report.claim_page import claim_page, view_of_check
from src.report.exports.bibliography import bibliography
from src.report.rendering import Link, page, policy
from src.report.server.check_service import PAGE, CheckService
from src.report.server.records import Check, Start, Status
from src.report.server.submission import (
    FOREIGN,
    FORM_TYPE,
    LABELS,
    LONGEST,
    MOST_TEXT,
    Form,
    form_of,
    label_of,
    read_form,
    submission_of,
)
from src.serving.requests import check_origin, check_type, query_number, read_body

SCRIPT, HOME_SCRIPT = "serve/follow.js", "serve/home.js"
HOME = Link("/", "All checks")


class Pages:
    """Handlers of the HTML pages, one method for each route."""

    def __init__(self, service: CheckService) -> None:
        self._service = service
        self._token = secrets.token_urlsafe(24)

    def routes(self) -> list[Route]:
        return [
            Route("/", self.home, methods=["GET"]),
            Route("/check", self.ask, methods=["POST"]),
            Route("/check/{check_id}", self.check),
            Route("/check/{check_id}/sources.bib", self.sources),
            Route("/check/{check_id}/cancel", self.cancel, methods=["POST"]),
            Route("/check/{check_id}/delete", self.delete, methods=["POST"]),
            Route("/check/{check_id}/restore", self.restore, methods=["POST"]),
        ]

    def home(self, request: Request) -> Response:
        """Return the start page. If the URL parameter `from` names a check, the form is filled with its claim; if
        `deleted` names one that can be restored, a button does so.
        """
        again = request.query_params.get("from")
        form = form_of(self._service.submission(again)) if again is not None else Form(strategy=self._service.strategy)
        deleted = self._service.deleted(request.query_params.get("deleted", ""))
        return self._home(form, query_number(request, "start", Start, 0), deleted=deleted)

    async def ask(self, request: Request) -> Response:
        form = await self._form(request)
        try:
            check = await run_in_threadpool(self._service.ask, submission_of(form))
        except InputError as error:
            return self._home(form, wrong=error)
        return RedirectResponse(f"/check/{check.id}", 303)

    def check(self, request: Request) -> Response:
        answer = self._service.answer(request.path_params["check_id"])
        if answer.status is Status.DONE and answer.result is not None:
            links = (HOME, Link(f"/?from={answer.id}", "Check again"), Link(f"/api/check/{answer.id}", "JSON"),
                     Link(f"/check/{answer.id}/sources.bib", "Sources as BibTeX"))  # fmt: skip
            return _html(claim_page(view_of_check(answer.result), links), policy(CLAIM_SCRIPT))
        shown = page("serve/check.html", script=SCRIPT, served=True, check=answer, token=self._token)
        return _html(shown, policy(SCRIPT, served=True))

    def sources(self, request: Request) -> Response:
        """Return the bibliography of a check that is done. Raises HTTPException 404 for another."""
        answer = self._service.answer(request.path_params["check_id"])
        if answer.result is None:
            raise HTTPException(404, "the check has no sources")
        return Response(bibliography(answer.result), media_type="text/plain; charset=utf-8")

    async def cancel(self, request: Request) -> Response:
        check_id: str = request.path_params["check_id"]
        await self._form(request)
        await run_in_threadpool(self._service.cancel, check_id)
        return RedirectResponse(f"/check/{check_id}", 303)

    async def delete(self, request: Request) -> Response:
        await self._form(request)
        check_id: str = request.path_params["check_id"]
        await run_in_threadpool(self._service.delete, check_id)
        return RedirectResponse(f"/?deleted={check_id}", 303)

    async def restore(self, request: Request) -> Response:
        check_id: str = request.path_params["check_id"]
        await self._form(request)
        await run_in_threadpool(self._service.restore, check_id)
        return RedirectResponse(f"/check/{check_id}", 303)

    def _home(
        self, form: Form, start: int = 0, wrong: InputError | None = None, deleted: Check | None = None
    ) -> Response:
        shown = page(
            "serve/home.html", script=HOME_SCRIPT, served=True, deleted=deleted, form=form, wrong=wrong, labels=LABELS,
            wrong_part=label_of(wrong.field) if wrong else "", token=self._token,
            strategies={one: self._service.lacking(one) for one in Strategy},
            providers=self._service.providers, limits=self._service.limits, listing=self._service.listing(start),
            start=start, size=PAGE, most_text=MOST_TEXT,
        )  # fmt: skip
        status = getattr(wrong, "status", 422) if wrong else 200
        return _html(shown, policy(HOME_SCRIPT, served=True), status, getattr(wrong, "headers", None))

    async def _form(self, request: Request) -> Form:
        """Return the submitted form of a request.

        Raises RefusedError for a wrong body, HTTPException 403 for a form that this server did not make.
        """
        check_origin(request, FOREIGN)
        check_type(request, FORM_TYPE)
        form = read_form(await read_body(request, LONGEST))
        if not secrets.compare_digest(form.token.encode(), self._token.encode()):
            raise HTTPException(403, "this form is from before the server was started; load the page again")
        return form


def _html(shown: str, policy: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    own = {"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}
    return HTMLResponse(shown, status, {**(headers or {}), **own})
