"""`bench.strategies`: questions are cut to the number of a program's pairs, and the rows stand beside each other."""

from pathlib import Path

from bench.scoreboard.published import OWN
from bench.scoreboard.record import Result, StepRecord
from bench.scoreboard.scored import Gold, Scored, scored
from bench.scoreboard.table import baseline_cells
from bench.strategies import cut, show
from src.atomic_file import write_whole
from src.records import Answer, Claim, Evidence, Prediction, QAPair, Question, Verdict
from src.store import encode_lines, encode_list

CLAIMS = [
    Claim("Eels fly.", 0, Verdict.REFUTED, questions=[Question("Can eels fly?", [Answer("They swim in rivers.")])]),
    Claim(
        "The town has a tram.", 1, Verdict.SUPPORTED, questions=[Question("Has it?", [Answer("It opened in 1901.")])]
    ),
]


def pairs(many: int) -> list[QAPair]:
    return [QAPair(f"Question {number}?", f"Answer {number}.") for number in range(many)]


def row(tmp_path: Path, name: str, seconds: float, *verdicts: Verdict, many: tuple[int, int] = (2, 2)) -> Scored:
    gold = Gold(tmp_path / "dev.json", CLAIMS, [0, 1])
    write_whole(gold.labels, encode_list(CLAIMS))
    predictions = [
        Prediction(one.claim_id, one.claim, pairs(number), verdict)
        for one, number, verdict in zip(CLAIMS, many, verdicts, strict=True)
    ]
    write_whole(tmp_path / f"{name}.json", encode_lines(predictions))
    steps = {"one": StepRecord(seconds), "other": StepRecord(1.0)}
    return scored(OWN, name, "ours", gold, tmp_path / f"{name}.json", steps=steps)


def test_each_claim_keeps_as_many_questions_as_its_program_has_pairs() -> None:
    evidence = [Evidence(one.claim_id, one.claim, pairs(3)) for one in reversed(CLAIMS)]
    programs = [
        Prediction(one.claim_id, one.claim, pairs(n), Verdict.REFUTED) for n, one in zip((0, 2), CLAIMS, strict=True)
    ]
    assert [(one.claim_id, one.evidence) for one in cut(evidence, programs)] == [(0, []), (1, pairs(2))]
    (fewer,) = cut([Evidence(0, "Eels fly.", pairs(1))], [Prediction(0, "Eels fly.", pairs(3), Verdict.REFUTED)])
    assert fewer.evidence == pairs(1)


def test_the_table_has_seconds_a_claim_and_programs_over_questions(tmp_path: Path) -> None:
    questions = row(tmp_path, "questions", 3.0, Verdict.SUPPORTED, Verdict.SUPPORTED)
    programs = row(tmp_path, "programs", 9.0, Verdict.REFUTED, Verdict.SUPPORTED)
    programs.beside(questions)
    lines = show(Result(rows=[questions.row, programs.row])).splitlines()
    cells = {line.split(" | ")[0].strip("| "): line.strip("| ").split(" | ") for line in lines}
    assert (cells["questions"][1], cells["questions"][-1]) == ("2", "2.0")
    assert (cells["programs"][6].split()[0], cells["programs"][-1]) == ("1.000", "5.0")
    assert cells["as many pairs"][1:3] == ["programs", "questions"]
    assert cells["as many pairs"][6].startswith("+.500 (")


def test_each_row_has_its_number_of_pairs_and_its_own_floor(tmp_path: Path) -> None:
    verdicts = (Verdict.SUPPORTED, Verdict.SUPPORTED)
    two = row(tmp_path, "two", 1.0, *verdicts).row
    fewer = row(tmp_path, "fewer", 1.0, *verdicts, many=(0, 1)).row
    one, its_floor, other, other_floor = show(Result(rows=[two, fewer])).splitlines()[2:6]
    assert (one.split(" | ")[2], other.split(" | ")[2]) == ("2.0", "0.5")
    baselines = [[cell.strip() for cell in line.split("|")][4:9] for line in (its_floor, other_floor)]
    assert baselines == [list(baseline_cells(two)), list(baseline_cells(fewer))]
    assert baselines[0] != baselines[1]
    fewer.mean_pairs = None
    assert show(Result(rows=[fewer])).splitlines()[2].split("|")[3].strip() == "", "not kept by an older run"
