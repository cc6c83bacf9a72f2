"""Web search for one claim: makes queries, asks a provider, and returns the rows of the URL file and the refused URLs.

The types of queries are those of the published URL files. `claim+author` is the speaker and the claim's content words,
`claim` the content words alone, `claim-noformat` the claim as written. A `question` is written by a language model. If
a query fails, the results of the others are kept, but the claim counts as failed and is searched again.

Limitations: a URL that several queries found is listed once, with its first query. Content words are all words except
English function words. The published search used a part-of-speech tagger (numbers, adjectives, nouns, verbs), so some
words differ. Lines of the language model's answer that are no questions are dropped and counted.
"""

import re
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from src.errors import ClaimError, FatalError, one_line
from src.llm.protocol import LanguageModel, Request
from src.prompts import load
from src.records import Claim, UrlRow
from src.retrieval.leakage import Leakage
from src.retrieval.providers import PartlyFailedError, SearchProvider, SearchQuery, SearchResult
from src.runner.output import Failure
from src.store import storable

KINDS = ("claim+author", "claim", "claim-noformat")
GIVEN, QUESTION = "given", "question"
_AROUND = ".,;:!?\"'()[]{}<>*_`~\u2018\u2019\u201c\u201d\u00ab\u00bb\u2026\u2013\u2014-"
_FUNCTION_WORDS = """
    a an the this that these those some any no every all both either neither such what which who whom whose when
    where how whether if than then as so because since while although though unless until before after once and
    or but nor yet not only also just even ever never very too more most less least much many quite rather still
    already again i me my mine we us our ours you your yours he him his she her hers it its they them their
    theirs himself herself itself themselves myself yourself ourselves there here of at by for from in into on
    onto to with within without about above across along among around behind below beneath beside besides
    between beyond despite during except inside like near off over past through throughout toward towards under
    upon up via per is are was were be been being am do does did doing done has have had having will would shall
    should can could may might must ought cannot say says said saying
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


class ClaimQuery(msgspec.Struct, frozen=True):
    """A search query for a claim; `type` is the second column of the URL file, such as `claim+author`."""

    type: str
    text: str


def claim_queries(claim: Claim, kinds: Sequence[str], questions: Iterable[str] = ()) -> list[ClaimQuery]:
    """Return the search queries for a claim: one for each type in `kinds`, then the questions.

    Empty queries and repeated texts are left out.
    """
    words = content_words(claim.claim)
    texts = {
        "claim+author": one_line(f"{claim.speaker or ''} {words}"),
        "claim": words,
        "claim-noformat": one_line(claim.claim),
    }
    first: dict[str, str] = {}
    for kind, text in [*((kind, texts[kind]) for kind in kinds), *((QUESTION, text) for text in questions)]:
        first.setdefault(text, kind)
    return [ClaimQuery(kind, text) for text, kind in first.items() if text]


def content_words(text: str) -> str:
    """Return the text without function words, punctuation around words, and `'s`; the text if no word is left."""
    bare = [word.strip(_AROUND) for word in text.replace("\u2019", "'").split()]
    words = [word.removesuffix("'s") for word in bare if word and not _is_function_word(word)]
    return " ".join(words) or one_line(text)


def _is_function_word(word: str) -> bool:
    """Return True for function words and contractions (`we'd`, `isn't`). Upper-case `US` and `WHO` are names."""
    low = word.lower()
    if word.isupper() and len(word) > 1:
        return False
    return low.partition("'")[0] in FUNCTION_WORDS or low.endswith("n't")


TOKENS = 48  # tokens of the answer per question
ROLE = "search_questions"
_NUMBER = re.compile(r"^\s*(?:[-*\u2022]+|\(?\d{1,2}[.):]|Q\d{0,2}[.:)])\s*", re.IGNORECASE)


class Questions(msgspec.Struct, frozen=True):
    """Search questions that a language model wrote for a claim.

    `texts`: the questions.
    `unusable`: number of lines of the answer that were no questions.
    `prompt_tokens`, `new_tokens`: tokens of prompt and answer.
    """

    texts: list[str] = []
    unusable: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0

    def counts(self) -> dict[str, int]:
        """Return the numbers of questions, unusable lines and tokens, for the manifest."""
        return {
            "questions": len(self.texts),
            "unusable_questions": self.unusable,
            "prompt_tokens": self.prompt_tokens,
            "new_tokens": self.new_tokens,
        }


def write_questions(model: LanguageModel, claim: Claim, number: int) -> Questions:
    """Return at most `number` different questions on the claim, written by the language model.

    Raises ModelError when the model does not answer.
    """
    (reply,) = model.complete([_request(claim, number)])
    texts, unusable = read_questions(reply.text)
    return Questions(texts[:number], unusable, reply.prompt_tokens, reply.new_tokens)


def _request(claim: Claim, number: int) -> Request:
    prompt = load("search_questions").substitute(
        number=number,
        claim=claim.claim.strip(),
        speaker=claim.speaker or "not known",
        date=claim.claim_date or "not known",
    )
    return Request(prompt, chat=True, max_new_tokens=TOKENS * number, role=ROLE)


def read_questions(answer: str) -> tuple[list[str], int]:
    """Return the questions in a model's answer, without duplicates, and the number of lines that are no questions."""
    lines = [_NUMBER.sub("", line).strip(" \t\"'*\u201c\u201d") for line in answer.splitlines()]
    questions = [line for line in lines if line.endswith("?") and len(line.split()) > 1]
    return list(dict.fromkeys(questions)), sum(map(bool, lines)) - len(questions)


STEP = "src.retrieval.search"


class Dropped(msgspec.Struct, frozen=True):
    """A search result that was refused, with the reason: a line of `<claim_id>.dropped.jsonl`.

    `type` and `query` are the type and the text of the query that found the URL.
    """

    url: str
    reason: str
    type: str
    query: str


@dataclass(frozen=True)
class ClaimResults:
    """Search results of one claim.

    `rows`: rows of the URL file.
    `dropped`: refused URLs.
    `failures`: queries that failed.
    `counts`: numbers of queries, results, URLs and questions, for the manifest.
    """

    rows: Sequence[UrlRow]
    dropped: Sequence[Dropped]
    failures: Sequence[Failure]
    counts: dict[str, int]


@dataclass(frozen=True)
class ClaimSearch:
    """Web search for claims.

    `provider`: search provider.
    `leakage`: filters that refuse URLs.
    `kinds`: types of the queries.
    `results`: number of results wanted per query.
    `country`: two-letter ISO code for all claims; by default each claim's own country.
    `ask`: function that writes questions for a claim with a language model; by default there are no questions.
    """

    provider: SearchProvider
    leakage: Leakage
    kinds: Sequence[str]
    results: int
    country: str | None = None
    ask: Callable[[Claim], Questions] = lambda _: Questions()

    def search(self, claim: Claim) -> ClaimResults:
        """Run all queries of the claim and return their results. A query that fails is recorded; the others still run.

        Raises InputError and NetworkError when no further query can be answered, of this claim or another.
        """
        failures: list[Failure] = []
        hits: list[tuple[ClaimQuery, SearchResult]] = []
        queries, counts = self._queries(claim, failures)
        for query in queries:
            try:
                hits += [(query, result) for result in self.provider.search(self._search_query(claim, query))]
            except ClaimError as error:
                failures.append(failure_of(claim, error))
                if isinstance(error, PartlyFailedError):
                    hits += [(query, result) for result in error.results]
        rows, dropped = self._filter(claim, hits)
        counts |= {"queries": len(queries), "found": len(hits), "urls": len(rows), "dropped": len(dropped)}
        return ClaimResults(rows, dropped, failures, counts)

    def attempt(self, claim: Claim) -> ClaimResults:
        """Run `search` and turn any error that is not fatal, such as a bug, into a failure of this claim."""
        try:
            return self.search(claim)
        except FatalError:
            raise
        except Exception as error:
            return ClaimResults([], [], [failure_of(claim, error)], {})

    def _queries(self, claim: Claim, failures: list[Failure]) -> tuple[list[ClaimQuery], dict[str, int]]:
        """Return the claim's queries, and the numbers of questions and tokens for the manifest.

        A provider that has its URLs from a file, and sends no requests, gets a single empty query. If the claim is
        empty, or the language model cannot write questions, a Failure is appended to `failures`, and the claim has only
        its other queries.
        """
        if not self.provider.requests(self.results):
            return [ClaimQuery(GIVEN, "")], {}
        questions = Questions()
        try:
            if not claim.claim.strip():
                raise ClaimError("the claim is empty")
            questions = self.ask(claim)
        except ClaimError as error:
            failures.append(failure_of(claim, error))
        queries = claim_queries(claim, self.kinds, questions.texts)
        return queries, questions.counts()

    def _search_query(self, claim: Claim, query: ClaimQuery) -> SearchQuery:
        country = self.country or claim.location_ISO_code or None
        before = self.leakage.days.get(claim.claim_id)
        return SearchQuery(claim.claim_id, query.text, self.results, before, country)

    def _filter(
        self, claim: Claim, hits: Sequence[tuple[ClaimQuery, SearchResult]]
    ) -> tuple[list[UrlRow], list[Dropped]]:
        """Return the rows of the URL file and the refused URLs; each URL is listed once, with its first query."""
        seen: set[str] = set()
        rows, dropped = [], []
        for query, result in hits:
            if result.url in seen:
                continue
            seen.add(result.url)
            reason = self._refused(claim.claim_id, result)
            if reason:
                dropped.append(Dropped(result.url, reason, query.type, query.text))
            else:
                rows.append(UrlRow(str(claim.claim_id), query.type, result.url, query.text))
        return rows, dropped

    def _refused(self, claim_id: int, result: SearchResult) -> str:
        """Return why a search result is refused for the claim, or "" if it is not."""
        if not result.url.lower().startswith(("http://", "https://")):
            return "no http or https URL"
        return self.leakage.of_url(claim_id, result.url) or self.leakage.of_date(claim_id, result.date)


def failure_of(claim: Claim, error: Exception) -> Failure:
    """Return the line of `<claim_id>.failures.jsonl` for an error, with its traceback."""
    trace = storable("".join(traceback.format_exception(error)))
    return Failure(claim.claim_id, STEP, type(error).__name__, storable(str(error)), trace)
