"""Held-out scenarios as a check meets them: pages searched, the passages that decide chosen."""

from collections import Counter
from pathlib import Path

from src.records import VERDICTS, Verdict
from src.stance.selection import CHOSEN
from src.training.passages.held_out import checked_claims
from src.training.passages.scenarios import is_held_out, pages_of_claims, read_scenarios
from tests.stance.scripted import reader
from tests.training.small_scenarios import write_scenarios
from tests.word_encoder import WordEncoder


def test_each_label_is_given_by_whole_pages(tmp_path: Path) -> None:
    folder = write_scenarios(tmp_path)
    found = pages_of_claims(folder, 0)
    held_out = [one for one in read_scenarios(folder) if is_held_out(one)]
    assert Counter(one.label for one in found) == dict.fromkeys(VERDICTS, len(held_out))
    of = {one.claim: one for one in held_out}
    for one in found:
        scenario = of[one.claim]
        shown = [sum(page in one.pages for page in pages) for pages in (scenario.supports, scenario.refutes)]
        if one.label is Verdict.CONFLICTING:
            assert shown == [1, 1] or scenario.partial[0] in one.pages
        else:
            assert [count > 0 for count in shown] == [one.label is Verdict.SUPPORTED, one.label is Verdict.REFUTED]
        assert all(page in one.pages for page in scenario.silent)


def test_passages_are_found_on_the_pages_and_the_best_are_chosen(tmp_path: Path) -> None:
    folder = write_scenarios(tmp_path)
    pages = pages_of_claims(folder, 0)
    found = checked_claims(folder, 0, WordEncoder(), reader()[0])
    assert [(one.claim, one.label) for one in found] == [(one.claim, one.label) for one in pages]
    for own, asked in zip(found, pages, strict=True):
        texts = [f"{page.title} {page.text}" for page in asked.pages]
        assert 0 < len(own.passages) <= CHOSEN
        assert all(any(passage.text in text for text in texts) for passage in own.passages)
