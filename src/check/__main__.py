"""Step: check one claim, or the claims of an article: find pages, evidence, a verdict, and why.

Pages come from a search, URLs, documents or a scraped file.

The answer goes to stdout, progress to stderr. `--json` prints the whole record. `--page` writes the answer as an HTML
page for reading and sharing; no other file is written.
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from src.atomic_file import write_whole
from src.check.article.check_article import CheckedArticle, check_article, claims_to_check
from src.check.article.given_pages import given_pages
from src.check.article.listing import listed
from src.check.article.reading import read_article, shown_name
from src.check.asking import claim_of
from src.check.call_model import OF_STEP
from src.check.interruption import interruptible
from src.check.models import Models, ModelSettings
from src.check.own_sources import STDIN, documents_of, urls_of
from src.check.records import CheckedClaim, CheckRequest, Sources, Strategy
from src.check.run import check_claim
from src.check.run_context import Lines, RunContext
from src.check.scraping import Scraping
from src.check.text import described
from src.errors import InputError
from src.report.article_page import page_of, write_pages
from src.report.claim_page import claim_page, view_of_check
from src.reranking.questions.flags import NOT_OF_ONE_CALL, refuse_no_sample
from src.retrieval.providers import KEYLESS, PROVIDERS, providers_help
from src.runner.console import say, say_error
from src.runner.paths import check_output
from src.runner.step import step
from src.settings import Flag, Group, Positive, flag_names, refuse_unread
from src.stance.selection import CHOSEN, RETRIEVED

ANY = "any claim"
_OF_FETCHING = ("via", "allow_private", "deadline", "most_urls")


class SourceSettings(msgspec.Struct, frozen=True):
    """Settings of where the pages of the claim come from; without any, the web is searched without a key."""

    urls: Annotated[
        tuple[str, ...], Flag("addresses, or files with one a line; - is standard input", or_path=True)
    ] = ()
    file: Annotated[tuple[Path, ...], Flag("documents: PDF, Word, HTML or text", "--file", "--pdf")] = ()
    text: Annotated[
        tuple[str, ...], Flag("a text to read as evidence, in quotes; - is standard input", repeated=True)
    ] = ()
    knowledge_store: Annotated[Path | None, Flag("<id>.json as the scraper writes it", metavar="FILE")] = None
    search: Annotated[
        str,
        Flag(f"{providers_help()}; several with commas between them (default: {KEYLESS})", metavar="PROVIDER",
             or_path=True, names=PROVIDERS),
    ] = ""  # fmt: skip

    def sources(self) -> Sources:
        """Return the sources of pages; lists of URLs and documents are read. Raises InputError."""
        is_given = self.urls or self.file or self.text or self.knowledge_store
        return Sources(
            urls_of(self.urls),
            self.search or ("" if is_given else KEYLESS),
            self.knowledge_store,
            documents_of(self.file, self.text),
        )

    @property
    def is_searched(self) -> bool:
        return bool(self.search) or not (self.urls or self.file or self.text or self.knowledge_store)


class CheckSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the command `python -m src.check`."""

    claim: Annotated[str, Flag("what is to be checked, in quotes", positional=True)] = ""
    article: Annotated[
        str,
        Flag("a longer text whose claims are checked one by one: a file, an address, or - for standard input",
             or_path=True, names=(STDIN,)),
    ] = ""  # fmt: skip
    most_claims: Annotated[Positive, Flag("claims of an article that are checked, those with most to check")] = 10
    date: Annotated[str, Flag("day of the claim, as 25-7-2023 or 2023-07-25: later pages are refused")] = ""
    speaker: Annotated[str, Flag("who said it")] = ""
    strategy: Annotated[Strategy, Flag("how the verdict is found", former="--road")] = Strategy.QUESTIONS
    top_n: Annotated[
        Positive | None,
        Flag(f"question-answer pairs that are kept (default: {CHOSEN}; one call of a large model: {OF_STEP.top_n})"),
    ] = None
    top_k: Annotated[Positive, Flag("passages that are retrieved")] = RETRIEVED
    json: Annotated[bool, Flag("print the record as JSON")] = False
    page: Annotated[Path | None, Flag("write the answer as a page, too, over an earlier one", metavar="FILE.html")] = (
        None
    )
    quiet: Annotated[bool, Flag("print no progress on stderr")] = False
    source: Annotated[SourceSettings, Group("where pages come from")] = SourceSettings()
    scraping: Annotated[Scraping, Group("fetching pages")] = Scraping()
    models: Annotated[ModelSettings, Group("models of the questions strategy and of one call")] = ModelSettings()

    def request(self) -> CheckRequest:
        """Return the request for the check. Raises InputError for settings without effect and for unreadable URLs."""
        if bool(self.claim.strip()) == bool(self.article):
            raise InputError("give either a claim or --article" if self.article else "the claim is empty")
        if not self.article:
            refuse_unread(self, ["most_claims"], "goes with --article")
        if (self.article, *self.source.urls, *self.source.text).count(STDIN) > 1:
            raise InputError("standard input is named twice")
        if self.strategy is Strategy.PROGRAMS:
            unread = ["top_k", *flag_names(ModelSettings)]
            refuse_unread(self, unread, f"changes nothing with --strategy {Strategy.PROGRAMS}")
        if self.strategy is Strategy.QUESTIONS:
            refuse_unread(self, ["calibration"], f"goes with --strategy {Strategy.ONE_CALL}")
        if self.strategy is Strategy.ONE_CALL:
            unread = ["adapter", "select", "reranker", "verdict", *NOT_OF_ONE_CALL]
            refuse_unread(self, unread, f"changes nothing with --strategy {self.strategy}")
            refuse_no_sample(self.models.writer)
        if self.source.knowledge_store:
            refuse_unread(self, _OF_FETCHING, "changes nothing with --knowledge_store: no page is fetched")
        elif not self.source.is_searched:
            refuse_unread(self, ["most_urls"], "changes nothing without --search")
        return CheckRequest(
            self.claim, self.source.sources(), self.date, self.speaker, self.strategy,
            self.top_n, self.top_k, self.models.select, every_set=self.page is not None,
        )  # fmt: skip

    def files(self) -> dict[str, Path]:
        """Return the files that the check reads, by option."""
        named = {
            "article": Path(self.article) if self.article and Path(self.article).exists() else None,
            **{f"urls {one}": Path(one) for one in self.source.urls if Path(one).exists()},
            **{f"file {one}": one for one in self.source.file},
            "knowledge_store": self.source.knowledge_store,
            "exclude_urls": self.scraping.exclude_urls,
            "reference_corpus": self.models.reference_corpus,
            "calibration": self.models.calibration,
        }
        return {name: path for name, path in named.items() if path}


@step(CheckSettings)
def main(settings: CheckSettings) -> int:
    try:
        if settings.article:
            return _answer_article(_checked_article(settings), settings)
        _answer(_checked(settings), settings)
    except KeyboardInterrupt:
        say_error("stopped; the answer is not complete")
        return 130
    return 0


def _checked(settings: CheckSettings) -> CheckedClaim:
    """Run the check and return its result. Raises as `check_claim` does, and OutputError for the page."""
    request = settings.request()
    if settings.page:
        check_output(settings.page, settings.files(), "page")
    models = Models(settings.models, are_kept=False)
    with Lines(quiet=settings.quiet) as lines:
        return interruptible(
            lambda is_cancelled: check_claim(
                request, models=models, scraping=settings.scraping, tell=lines.tell, is_cancelled=is_cancelled
            )
        )


def _checked_article(settings: CheckSettings) -> CheckedArticle:
    """Check the claims of the article and return the results. Raises as `check_article` does."""
    request, name = settings.request(), settings.article
    if settings.page:
        for page in (settings.page, *(page_of(settings.page, place + 1) for place in range(settings.most_claims))):
            check_output(page, settings.files(), "page")
    models = Models(settings.models)
    request = msgspec.structs.replace(request, claim=ANY)  # sources and date are those of all claims
    claim_of(request)
    models.refuse(request)
    with Lines(quiet=settings.quiet) as lines:

        def work(is_cancelled: Callable[[], bool]) -> CheckedArticle:
            check = partial(
                check_claim, models=models, scraping=settings.scraping, tell=lines.tell, is_cancelled=is_cancelled
            )
            context = RunContext(lines.tell, is_cancelled)
            shown, text = shown_name(name), read_article(name, settings.scraping, context)
            found = claims_to_check(shown, text, settings.most_claims)
            with given_pages(request, settings.scraping, context) as asked:
                return check_article(shown, found, asked, check, lines.say)

        return interruptible(work)


def _answer_article(article: CheckedArticle, settings: CheckSettings) -> int:
    """Print the claims with their verdicts, and write their pages; return 1 if a claim failed, else 0."""
    if settings.json:
        say(msgspec.json.format(msgspec.json.encode(article), indent=2).decode())
    else:
        say(listed(article))
    if settings.page:
        write_pages(article, settings.page)
        say(f"Page: {settings.page}", quiet=settings.json)
    return 1 if article.failed else 0


def _answer(checked: CheckedClaim, settings: CheckSettings) -> None:
    """Print the result as text or JSON, and write the HTML page if one is requested."""
    if settings.json:
        say(msgspec.json.format(msgspec.json.encode(checked), indent=2).decode())
    else:
        say(described(checked))
    if settings.page:
        write_whole(settings.page, claim_page(view_of_check(checked)).encode())
        say(f"Page: {settings.page}", quiet=settings.json)


if __name__ == "__main__":
    exit_code = main()
    sys.stdout.flush()
    os._exit(exit_code)  # models may still be loading in a thread, which can crash a normal interpreter exit
