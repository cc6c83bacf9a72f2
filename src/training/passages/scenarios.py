"""Written scenarios: a claim with pages that support it, refute it, leave it open, repeat it or make it half true.

The shown pages decide the label, and labels are equally frequent:

    Supported            one or two pages that support the claim
    Refuted              one or two pages that refute it
    Conflicting          a page that shows the claim is half true, or a page of each side, not two versions of one page
    Not Enough Evidence  none of these

A passage is three adjacent sentences of a page, or the whole page; the title is the first sentence. A passage with
fewer than `ANCHORS` of the claim's words means nothing alone, so the whole page is used. Other passages are added, up
to a number that is drawn in the same way for each label. They are from pages that do not decide the claim, from the
text after the decisive part of a page, from pages that repeat the claim, and from similar scenarios. Some decisive
passages also quote the claim and answer it ("That is false.").

Limitations: other passages that have such an answer about something else are seldom shown.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from src.errors import InputError
from src.records import VERDICTS, Verdict
from src.reranking.hybrid.own_words import own_words
from src.stance.records import Passage
from src.store import located, read_bytes
from src.text import same, sentences
from src.training.entailment.examples import quoted_before
from src.training.passages.mixed import SCENARIOS, ClaimWithPassages, Others, topic_files
from src.training.split import number_of

HELD_OUT = 0.15  # of the scenarios, by their claims
_AT_LEAST = {"supports": 2, "refutes": 2, "silent": 1, "repeats": 1}
_DECIDE = ("supports", "refutes", "partial")
WHOLE, OPEN_WHOLE = 0.15, 0.4  # shares of whole pages, chosen to give deciding and open passages similar lengths
LIKEST = 0.5  # share of passages of an open page that have the most words in common with the claim
ANCHORS = 2
_Span = tuple[int, int]  # indices of the first and the last sentence
TWO, REPEATED, BESIDE, PARTIAL = 0.35, 0.5, 0.35, 0.5  # shares of the cases
FEWEST, MOST = 2, 6  # passages
FOREIGN = 2
ANSWERED = 0.12  # share of deciding passages that quote the claim and answer it
KEPT = 0.1  # share of passages with an answer about something else that are kept
_ANSWER = re.compile(
    r"\b(false|wrong|untrue|true|incorrect|correct|mistaken|confirm\w*|den(y|ies|ied)|hoax|rumou?r)\b", re.IGNORECASE
)
_ANSWERS = {
    Verdict.SUPPORTED: ("That is true.", "This is correct.", "That has been confirmed.", "The message is right."),
    Verdict.REFUTED: ("That is false.", "This is wrong.", "That is not true.", "The rumor is untrue."),
}


class Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Web page of a scenario.

    `site`, `title`, `text`: the page's host name, title and text.
    `key`: copy of the part of `text` that decides the claim; "" if the page does not decide it.
    """

    site: str
    title: str
    text: str
    key: str = ""


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A claim with pages about it.

    `id`: identifier.
    `claim`: the claim.
    `date`: its date.
    `skill`: what a reader must understand, such as "figures" or "negation".
    `supports`: pages that each show that the claim is true.
    `refutes`: pages that each show that it is false; the first is another version of the first of `supports`.
    `silent`: pages that do not decide it.
    `repeats`: pages that only repeat it.
    `partial`: pages that each show that it is half true or misleading.
    """

    id: str
    claim: str
    date: str
    skill: str
    supports: list[Page]
    refutes: list[Page]
    silent: list[Page]
    repeats: list[Page]
    partial: list[Page] = []


def scenario_files(folder: Path) -> dict[str, Path]:
    """Return the files of scenarios in a folder, by their names in manifests. Raises InputError when there are none."""
    return topic_files(folder, "scenarios")


def read_scenarios(folder: Path) -> list[Scenario]:
    """Read the scenarios of all files in a folder. Raises InputError (file, line, field) when one is invalid."""
    return [
        _checked(one, path, line)
        for path in scenario_files(folder).values()
        for line, one in located(read_bytes(path), Scenario, path)
    ]


def is_held_out(scenario: Scenario) -> bool:
    """Return True if the scenario is held out: no model is trained on it."""
    return number_of("scenario", scenario.claim) < HELD_OUT


def _checked(scenario: Scenario, path: Path, line: int) -> Scenario:
    """Return the scenario; raise InputError if it has too few pages, or a page with a wrong `key`."""
    pages: dict[str, list[Page]] = {
        "supports": scenario.supports, "refutes": scenario.refutes, "silent": scenario.silent,
        "repeats": scenario.repeats, "partial": scenario.partial,
    }  # fmt: skip
    for name, least in _AT_LEAST.items():
        if len(pages[name]) < least:
            raise InputError(f"{len(pages[name])} pages; at least {least} are needed", path=path, line=line, field=name)
    for name in _DECIDE:
        for place, page in enumerate(pages[name]):
            if not page.key or page.key not in page.text:
                field = f"{name}[{place}].key"
                raise InputError("is not a part of the page's text", path=path, line=line, field=field)
    for name in ("silent", "repeats"):
        for place, page in enumerate(pages[name]):
            if page.key:
                message = "is not empty; nothing decides on such a page"
                raise InputError(message, path=path, line=line, field=f"{name}[{place}].key")
    return scenario


def deciding(page: Page, claim: str, draw: Random) -> Passage:
    """Draw a passage of a decisive page that contains the page's `key`, the part that decides the claim."""
    texts = _sentences(page)
    own = _of_key(page, texts)
    spans = [span for span in _spans(texts) if span[0] <= own[0] and own[1] <= span[1]]
    return _passage(page, texts, draw.choice(spans) if spans else own, claim, draw)


def beside(page: Page, claim: str, draw: Random) -> Passage | None:
    """Draw a passage after the decisive part of a page; return None if there is none.

    Passages before the decisive part are not used: headings and questions can reveal the verdict.
    """
    texts = _sentences(page)
    own = _of_key(page, texts)
    spans = [span for span in _spans(texts) if own[1] < span[0]]
    passage = _passage(page, texts, draw.choice(spans), claim, draw) if spans else None
    return passage if passage and page.key not in passage.text else None


def anywhere(page: Page, claim: str, draw: Random) -> Passage:
    """Draw a passage of a page that does not decide the claim."""
    texts = _sentences(page)
    spans = _spans(texts)
    if draw.random() < OPEN_WHOLE:
        return whole(page)
    if draw.random() < LIKEST:
        spans = [max(spans, key=lambda span: _shared(claim, _text(texts, span)))]
    return _passage(page, texts, draw.choice(spans), claim, draw)


def whole(page: Page) -> Passage:
    """Return a page's title and text as one passage."""
    return Passage(f"{page.title} {page.text}", _url(page))


def _sentences(page: Page) -> list[str]:
    return [page.title, *sentences(page.text)]


def _spans(texts: list[str]) -> list[_Span]:
    """Return the spans of any three adjacent sentences, or one span of all sentences if there are fewer."""
    return [(at - 1, at + 1) for at in range(1, len(texts) - 1)] or [(0, len(texts) - 1)]


def _of_key(page: Page, texts: list[str]) -> _Span:
    """Return the span of the sentences that overlap the page's `key`, its decisive part."""
    start = page.text.index(page.key)
    overlapping, end = [], 0
    for at, text in enumerate(texts[1:], start=1):
        begin = page.text.index(text, end)
        end = begin + len(text)
        if begin < start + len(page.key) and end > start:
            overlapping.append(at)
    return overlapping[0], overlapping[-1]


def _passage(page: Page, texts: list[str], span: _Span, claim: str, draw: Random) -> Passage:
    """Return the passage of a span; the whole page by chance, or if the span has too few words of the claim."""
    text = _text(texts, span)
    return whole(page) if draw.random() < WHOLE or _shared(claim, text) < ANCHORS else Passage(text, _url(page))


def _text(texts: list[str], span: _Span) -> str:
    return " ".join(texts[span[0] : span[1] + 1])


def _shared(claim: str, text: str) -> int:
    """Return the number of content words that claim and text have in common."""
    return len(set(own_words(claim)) & set(own_words(text)))


def _url(page: Page) -> str:
    return f"https://{page.site}/"


def scenario_claims(folder: Path, seed: int, *, held_out: bool = True) -> list[ClaimWithPassages]:
    """Return each scenario's claim four times, once per verdict, with passages that give this verdict.

    `held_out` selects the held-out scenarios (the default), otherwise those to train on. Raises InputError when a file
    is invalid.
    """
    own = [scenario for scenario in read_scenarios(folder) if is_held_out(scenario) is held_out]
    others = Others((scenario.claim, whole(page)) for scenario in own for page in scenario.silent)
    claims = []
    for scenario in own:
        draw = Random(f"{seed}\n{scenario.id}")
        near = others.of(_claim(scenario, [whole(page) for page in scenario.silent], Verdict.NOT_ENOUGH_EVIDENCE))
        claims += [_met(scenario, label, near, draw) for label in VERDICTS]
    return claims


class LabeledPages(NamedTuple):
    """A claim, whole pages about it, and the verdict that the pages give."""

    claim: str
    pages: list[Page]
    label: Verdict


def pages_of_claims(folder: Path, seed: int) -> list[LabeledPages]:
    """Return each held-out scenario's claim four times, once per verdict, with whole pages that give this verdict.

    Raises InputError when a file is invalid.
    """
    labeled = []
    for scenario in read_scenarios(folder):
        if is_held_out(scenario):
            draw = Random(f"{seed}\n{scenario.id}\npages")
            for label in VERDICTS:
                repeated = [draw.choice(scenario.repeats)] if draw.random() < REPEATED else []
                pages = [*_pages(scenario, label, draw), *scenario.silent, *repeated]
                labeled.append(LabeledPages(scenario.claim, draw.sample(pages, len(pages)), label))
    return labeled


def single_passages(folder: Path, seed: int, *, held_out: bool = True) -> list[ClaimWithPassages]:
    """Return claims with a single passage each: a passage of each page of a scenario.

    `held_out` selects the held-out scenarios (the default), otherwise those to train on. Raises InputError when a file
    is invalid.
    """
    return [
        one
        for scenario in read_scenarios(folder)
        if is_held_out(scenario) is held_out
        for one in _alone(scenario, Random(f"{seed}\n{scenario.id}\nalone"))
    ]


def _alone(scenario: Scenario, draw: Random) -> Iterator[ClaimWithPassages]:
    """Yield the scenario's claim with a single passage, for each of its pages."""
    decided = {
        Verdict.SUPPORTED: scenario.supports,
        Verdict.REFUTED: scenario.refutes,
        Verdict.CONFLICTING: scenario.partial,
    }
    for label, pages in decided.items():
        for page in pages:
            yield _claim(scenario, [_deciding(scenario, page, label, draw)], label)
    open_ = [anywhere(page, scenario.claim, draw) for page in (*scenario.silent, *scenario.repeats)]
    for passage in [*open_, *_beside(scenario, [draw.choice(scenario.supports), draw.choice(scenario.refutes)], draw)]:
        if _is_kept(passage, draw):
            yield _claim(scenario, [passage], Verdict.NOT_ENOUGH_EVIDENCE)


def _met(scenario: Scenario, label: Verdict, near: Sequence[Passage], draw: Random) -> ClaimWithPassages:
    """Return the scenario's claim with passages that give the verdict `label`, among passages that decide nothing.

    `near` are passages of similar scenarios.
    """
    pages = _pages(scenario, label, draw)
    shown = [_deciding(scenario, page, label, draw) for page in pages]
    silent = [
        anywhere(page, scenario.claim, draw) for page in draw.sample(scenario.silent * 2, 2 * len(scenario.silent))
    ]
    more = [*silent[1:], *draw.sample(list(near), min(FOREIGN, len(near)))]
    if draw.random() < REPEATED:
        more.append(anywhere(draw.choice(scenario.repeats), scenario.claim, draw))
    if draw.random() < BESIDE:
        more += _beside(scenario, draw.sample(pages or [*scenario.supports, *scenario.refutes], 1), draw)
    added = [passage for passage in more if _is_kept(passage, draw)]
    draw.shuffle(added)
    first = silent[:1] if not shown or _is_kept(silent[0], draw) else []
    passages = list(dict.fromkeys([*shown, *first, *added]))[: max(len(shown), draw.randint(FEWEST, MOST))]
    draw.shuffle(passages)
    return _claim(scenario, passages, label)


def _pages(scenario: Scenario, label: Verdict, draw: Random) -> list[Page]:
    """Draw the decisive pages of a scenario that give the verdict `label`; none for Not Enough Evidence."""
    if label is Verdict.NOT_ENOUGH_EVIDENCE:
        return []
    if label is Verdict.CONFLICTING:
        if scenario.partial and draw.random() < PARTIAL:
            return [draw.choice(scenario.partial)]
        first, second = draw.choice([(0, 1), (1, 0), (1, 1)])
        return [scenario.supports[first], scenario.refutes[second]]
    own = scenario.supports if label is Verdict.SUPPORTED else scenario.refutes
    return draw.sample(own, 2 if draw.random() < TWO else 1)


def _deciding(scenario: Scenario, page: Page, label: Verdict, draw: Random) -> Passage:
    """Draw the decisive passage of a page. A page of `partial` is returned whole, because both halves count."""
    if page in scenario.partial:
        return whole(page)
    passage = deciding(page, scenario.claim, draw)
    if label in _ANSWERS and draw.random() < ANSWERED:
        answered = f"{draw.choice(_ANSWERS[label])} {passage.text}"
        return passage._replace(text=quoted_before(scenario.claim, answered, draw))
    return passage


def _beside(scenario: Scenario, pages: Sequence[Page], draw: Random) -> list[Passage]:
    """Return a passage from after the decisive part of each page, if there is one."""
    return [passage for page in pages if page.key and (passage := beside(page, scenario.claim, draw))]


def _is_kept(passage: Passage, draw: Random) -> bool:
    """Return False for most passages with a word of judgment, such as "false"; a share KEPT of these is kept."""
    return not _ANSWER.search(passage.text) or draw.random() < KEPT


def _claim(scenario: Scenario, passages: list[Passage], label: Verdict) -> ClaimWithPassages:
    return ClaimWithPassages(SCENARIOS, same(scenario.claim), scenario.claim, passages, label)
