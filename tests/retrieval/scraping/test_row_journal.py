import os
from pathlib import Path

import msgspec
import pytest

from src.errors import BusyError, InputError, OutputError
from src.retrieval.scraping.page_log import PageLog
from src.retrieval.scraping.row_journal import RowEntry, RowJournal
from src.runner.fingerprint import Fingerprint, InputFile
from src.runner.output import Failure
from src.runner.progress_file import progress_path

MADE = Fingerprint("scraper", {"splitter": "punkt"}, {"tsv": InputFile("0.tsv", "aa")}, 0, 0, 1)


def entry(row: int, text: str = "text", failure: Failure | None = None) -> RowEntry:
    return RowEntry(PageLog(row=row, url=f"http://a.example/{row}"), [f"{text} {row}"], failure)


def opened(folder: Path, made: Fingerprint = MADE, *, overwrite: bool = False) -> RowJournal:
    return RowJournal(folder / "0.json", made, overwrite=overwrite)


def fill(folder: Path, *rows: int) -> Path:
    with opened(folder) as journal:
        for row in rows:
            journal.add(entry(row))
    return progress_path(folder / "0.json")


def test_rows_come_back_in_their_order(tmp_path: Path) -> None:
    fill(tmp_path, 2, 0, 1)
    with opened(tmp_path) as journal:
        assert len(journal) == 3
        assert [found.url2text for found in journal.entries(3)] == [["text 0"], ["text 1"], ["text 2"]]


def test_the_last_line_of_a_row_counts(tmp_path: Path) -> None:
    fill(tmp_path, 0, 1)
    with opened(tmp_path) as journal:
        journal.add(entry(0, "newer"))
        assert [found.url2text for found in journal.entries(2)] == [["newer 0"], ["text 1"]]


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_tail_is_dropped(tmp_path: Path, cut: int) -> None:
    path = fill(tmp_path, 0, 1, 2)
    os.truncate(path, path.stat().st_size - cut)
    with opened(tmp_path) as journal:
        assert (0 in journal, 1 in journal, 2 in journal) == (True, True, False)
        journal.add(entry(2, "again"))
    with opened(tmp_path) as journal:
        assert [found.url2text for found in journal.entries(3)] == [["text 0"], ["text 1"], ["again 2"]]


def test_every_cut_of_the_file_can_be_gone_on_from(tmp_path: Path) -> None:
    whole = fill(tmp_path, 0, 1).read_bytes()
    for size in range(len(whole)):
        progress_path(tmp_path / "0.json").write_bytes(whole[:size])
        with opened(tmp_path) as journal:
            done = {row for row in (0, 1) if row in journal}
            for row in {0, 1} - done:
                journal.add(entry(row))
            assert [found.url2text for found in journal.entries(2)] == [["text 0"], ["text 1"]]


def test_zeros_after_a_power_cut_are_dropped(tmp_path: Path) -> None:
    path = fill(tmp_path, 0)
    with path.open("ab") as file:
        file.write(bytes(500) + b"\n" + msgspec.json.encode(entry(1)) + b"\n")
    with opened(tmp_path) as journal:
        assert 1 not in journal
        journal.add(entry(1))
    with opened(tmp_path) as journal:
        assert len(list(journal.entries(2))) == 2


def test_a_row_that_failed_by_a_fault_is_not_done(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.add(entry(0, failure=Failure(0, "scraper", "ValueError", "odd", "trace")))
        journal.add(entry(1))
        assert 0 in journal
    with opened(tmp_path) as journal:
        assert (0 in journal, 1 in journal) == (False, True)


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with opened(tmp_path), pytest.raises(BusyError, match=r"another run is writing 0\.json"):
        opened(tmp_path)


def test_other_arguments_are_refused(tmp_path: Path) -> None:
    fill(tmp_path, 0)
    other = msgspec.structs.replace(MADE, settings={"splitter": "spacy:x"})
    with pytest.raises(InputError, match="--splitter punkt there, spacy:x here"):
        opened(tmp_path, other)
    with opened(tmp_path, other, overwrite=True) as journal:
        assert len(journal) == 0


def test_rows_of_another_tsv_are_dropped(tmp_path: Path) -> None:
    fill(tmp_path, 0)
    with opened(tmp_path, msgspec.structs.replace(MADE, inputs={"tsv": InputFile("0.tsv", "bb")})) as journal:
        assert len(journal) == 0


def test_nothing_remains_where_nothing_was_done(tmp_path: Path) -> None:
    with opened(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fill(tmp_path, 0)
    before = path.read_bytes()
    write = os.write

    def half(descriptor: int, data: bytes) -> int:
        write(descriptor, data[:10])
        raise OSError(28, "No space left on device")

    with opened(tmp_path) as journal:
        monkeypatch.setattr(os, "write", half)
        with pytest.raises(OutputError, match="No space left on device; what was finished is kept"):
            journal.add(entry(1))
        monkeypatch.undo()
    assert path.read_bytes() == before


def test_a_journal_that_was_begun_anew_remembers_it(tmp_path: Path) -> None:
    with opened(tmp_path, overwrite=True) as journal:
        journal.add(entry(0))
    with opened(tmp_path) as journal:
        assert (journal.anew, 0 in journal) == (True, True)


def test_a_retry_does_not_count_what_another_day_may_bring(tmp_path: Path) -> None:
    with opened(tmp_path) as journal:
        journal.add(RowEntry(PageLog(row=0, url="http://a.example/", reason="timeout: read", transient=True), []))
        journal.add(entry(1))
    with RowJournal(tmp_path / "0.json", MADE, retry=True) as journal:
        assert (0 in journal, 1 in journal) == (False, True)


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "0.json.progress").mkdir()
    for folder in (tmp_path / "file", tmp_path):
        with pytest.raises(OutputError, match="cannot write"):
            opened(folder)
