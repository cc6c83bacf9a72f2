"""`bench.scoreboard` on an invented pair of claims: real steps, scripted models."""

from pathlib import Path

import msgspec
import pytest

from bench.scoreboard.__main__ import main, published
from bench.scoreboard.published import HERO, OFFICIAL, SYSTEMS, peer, peer_pairs, peer_sentences
from bench.scoreboard.questions import (
    asked_by_peer,
    asked_by_template,
    gold_evidence,
    swapped,
    templated,
    unasked,
    unread,
)
from bench.scoreboard.record import Result, Row, read_result
from bench.scoreboard.scored import Gold, coverage, scored
from bench.scoreboard.steps import Models, parse_models, question_flags, rerank_flags, verdict_flags
from bench.scoreboard.table import show
from src.atomic_file import write_whole
from src.claims import gold_answer
from src.errors import InputError
from src.evaluation.averitec import Guess
from src.records import (
    Answer,
    AnswerType,
    Claim,
    Evidence,
    Prediction,
    QAPair,
    Question,
    RankedSentences,
    Sentence,
    Verdict,
)
from src.reranking.top_file import encode_ranked
from src.store import encode_line, encode_lines, encode_list, read_claims

BASELINE = SYSTEMS[OFFICIAL]["BLOOM-7b1 and BERT"]
BOOLEAN = Answer("Yes.", AnswerType.BOOLEAN, boolean_explanation="The council counted eleven yellow bicycles.")
CLAIMS = [
    Claim("Penguins fly to Norway.", 0, Verdict.REFUTED, questions=[
        Question("Can penguins fly?", [Answer("They swim thirty kilometres daily instead.", source_url="http://a.example")]),
        Question("Is Norway their home?", [Answer("No answer could be found.", AnswerType.UNANSWERABLE)])]),
    Claim("The town bought bicycles.", 1, Verdict.SUPPORTED, questions=[Question("Did it?", [BOOLEAN])]),
]  # fmt: skip
SENTENCES = {
    0: ["Penguins swim thirty kilometres daily.", "Norway has fjords.", "Nobody saw a penguin in the air."],
    1: ["The council counted eleven bicycles.", "They are yellow.", "The mayor rides one."],
}


@pytest.fixture
def averitec(tmp_path: Path) -> Path:
    """A folder as AVeriTeC's: both systems asked `What is NUMBER?`; HerO is right on both claims, the other on one."""
    folder = tmp_path / "averitec"
    write_whole(folder / "dev.json", encode_list(CLAIMS))
    write_whole(folder / "train.json", encode_list(CLAIMS))
    ranked = [RankedSentences(one.claim_id, one.claim, 10, _sentences(one.claim_id)) for one in CLAIMS]
    tens = b"".join(encode_ranked(one) + b"\n" for one in ranked)
    write_whole(peer("hero_dev_reranking_top_k.jsonl.gz", folder), tens)
    right = [Prediction(one.claim_id, one.claim, _pairs(one.claim_id), one.label or Verdict.REFUTED) for one in CLAIMS]
    half = [msgspec.structs.replace(one, pred_label=Verdict.REFUTED) for one in right]
    for file in SYSTEMS[HERO].values():
        write_whole(peer(file, folder), encode_lines(right))
    write_whole(peer("hero_dev_top_k_qa.jsonl.gz", folder), encode_lines(right))
    write_whole(peer(BASELINE, folder), encode_lines(half))
    return folder


def _sentences(claim_id: int) -> list[Sentence]:
    return [Sentence(text, f"http://{place}.example") for place, text in enumerate(SENTENCES[claim_id])]


def _pairs(claim_id: int) -> list[QAPair]:
    return [QAPair(f"What is {place}?", text, "http://p.example") for place, text in enumerate(SENTENCES[claim_id])]


def gold(averitec: Path) -> Gold:
    return Gold(averitec / "dev.json", CLAIMS, [0, 1])


def script(path: Path) -> str:
    """A model that asks three questions a claim, and finds everything supported, over and over."""
    lines: list[dict[str, object]] = [{"role": "question_writer", "output": f"Who saw {n}?"} for n in range(6)]
    lines += [{"role": "verdict", "output": [0.0, -9.0, -9.0, -9.0]} for _ in range(2)]
    write_whole(path, b"".join(map(encode_line, lines)))
    return f"scripted:{path}"


def test_published_evidence_is_read(averitec: Path) -> None:
    hero, official = (peer_sentences(name, averitec) for name in (HERO, OFFICIAL))
    assert [one.sentence for one in hero[0].sentences] == [one.sentence for one in official[0].sentences]
    assert peer_pairs(HERO, averitec)[1][2].question == "What is 2?"


def test_questions_that_no_model_writes() -> None:
    ranked = [RankedSentences(0, "Penguins fly.", 10, [*_sentences(0)[:1], Sentence("Unknown.", "")])]
    (candidates,) = asked_by_template(ranked)
    assert {pair.question for pair in candidates.bm25_qau} == {"Is it true that Penguins fly?"}
    (candidates,) = asked_by_peer(ranked, {0: _pairs(0)})
    assert [pair.question for pair in candidates.bm25_qau] == ["What is 0?", "Is it true that Penguins fly?"]
    assert [pair.answer for pair in candidates.bm25_qau] == [SENTENCES[0][0], "Unknown."]


def test_a_sentence_that_stands_twice_keeps_both_of_its_questions() -> None:
    ranked = [RankedSentences(0, "Penguins fly.", 10, [Sentence("Twice.", ""), Sentence("Twice.", "")])]
    (candidates,) = asked_by_peer(ranked, {0: [QAPair("First?", "Twice."), QAPair("Second?", "Twice.")]})
    assert [pair.question for pair in candidates.bm25_qau] == ["First?", "Second?"]


def test_gold_answers_stand_one_a_pair_with_their_explanation() -> None:
    questions = [pair.question for pair in gold_evidence(CLAIMS[0]).evidence]
    assert questions == ["Can penguins fly?", "Is Norway their home?"]
    assert gold_answer(BOOLEAN) == "Yes. The council counted eleven yellow bicycles."


def test_other_questions_leave_the_answers() -> None:
    evidence = Evidence(0, "Penguins fly.", _pairs(0))
    questions = {
        change: [pair.question for pair in change(evidence).evidence] for change in (templated, swapped, unasked)
    }
    assert questions[swapped] == ["What is 2?", "What is 0?", "What is 1?"]
    assert set(questions[templated]) == {"Is it true that Penguins fly?"}
    assert questions[unasked] == [""] * 3
    assert [pair.answer for pair in swapped(evidence).evidence] == SENTENCES[0]
    assert unread(evidence).evidence == [QAPair("", "")]
    assert swapped(Evidence(0, "Nothing found.", [])).evidence == []


def test_a_row_is_scored_as_the_evaluator_does_and_compared_claim_by_claim(averitec: Path) -> None:
    best, _ = published(HERO, gold(averitec), averitec)
    (worse,) = published(OFFICIAL, gold(averitec), averitec)
    assert (best.row.scores.veracity["acc"], worse.row.scores.veracity["acc"]) == (1.0, 0.5)
    assert best.row.scores.intervals is not None
    assert best.row.scores.baselines is not None
    best.beside(worse)
    over = best.row.over["BLOOM-7b1 and BERT"]
    assert over["accuracy"].value == 0.5
    assert 0 <= over["accuracy"].low < over["accuracy"].high == 1
    assert over["Q+A"].low == over["Q+A"].high == 0


def test_answers_cover_gold_ones_and_the_claim_covers_none() -> None:
    result = coverage(CLAIMS, [Guess(claim.claim_id, None, _pairs(claim.claim_id)) for claim in CLAIMS])
    assert (result.answers, result.together.value, result.single.value) == (2, 1.0, 1.0)
    copied = [Guess(claim.claim_id, None, [QAPair("?", claim.claim)]) for claim in CLAIMS]
    assert coverage(CLAIMS, copied).together.value == 0
    assert coverage(CLAIMS[:0], []).answers == 0


def test_models_become_flags(tmp_path: Path) -> None:
    assert parse_models([], None) == Models()
    none = parse_models(["none"], None)
    assert (question_flags(none, "trained"), rerank_flags(none), verdict_flags(none)) == (
        ["--recipe", "greedy"], ["-ckpt", "none"], ["--llm", "smollm2"])  # fmt: skip
    assert (question_flags(Models(), "trained"), rerank_flags(Models()), verdict_flags(Models())) == ([], [], [])
    folder = parse_models([f"question_generator={tmp_path}", f"veracity={tmp_path}"], "hf:x")
    assert question_flags(folder, "trained") == ["--adapter", str(tmp_path), "--llm", "hf:x"]
    assert question_flags(folder, "prompt") == ["--llm", "hf:x"]
    untrained = parse_models(["none"], "smollm2:transformers")
    assert question_flags(untrained, "trained") == ["--recipe", "greedy", "--llm", "smollm2:transformers"]
    assert question_flags(folder, "published") == ["--recipe", "published", "--llm", "hf:x"]
    assert verdict_flags(folder) == ["-ckpt", str(tmp_path)]
    assert verdict_flags(parse_models(["veracity=stacked"], None)) == ["--verdict", "stacked"]
    for wrong in ("judge=none", "veracity", f"veracity={tmp_path / 'nowhere'}"):
        with pytest.raises(InputError):
            parse_models([wrong], None)


def test_the_steps_are_run_once_and_their_rows_kept(
    averitec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, llm = tmp_path / "board.json", script(tmp_path / "script.jsonl")
    flags = ["--averitec", str(averitec), "--work", str(tmp_path / "work"), "--out", str(out), "--llm", llm]
    command = [*flags, "--evidence", "hero", "--models", "none"]
    assert main(command) == 0
    (ours,) = [row for row in read_result(out).rows if row.kind == "ours"]
    assert ours.scores.veracity["acc"] == 0.5
    assert ours.system.startswith("ours, prompt questions"), "no adapter wrote them"
    assert set(ours.steps) == {"questions", "verdicts"}, "three candidates of ten need no reranking"
    assert set(ours.over) == set(SYSTEMS[HERO])
    rows = read_result(out).rows
    assert main(command) == 0
    assert [row.steps for row in read_result(out).rows] == [row.steps for row in rows], "run once: the same seconds"
    capsys.readouterr()
    assert main(["--out", str(out), "--show"]) == 0
    shown = capsys.readouterr().out
    assert "| HerO's ten sentences | baseline: template question, always Refuted |" in shown
    assert "ours, prompt questions" in shown


def test_a_part_of_the_claims_is_a_row_of_its_own(averitec: Path, tmp_path: Path) -> None:
    out = tmp_path / "board.json"
    flags = ["--averitec", str(averitec), "--work", str(tmp_path), "--out", str(out), "--evidence", "hero"]
    template = [*flags, "--questions", "template", "--models", "veracity=none", "--claims", "1-2", "--ablation"]
    assert main([*template, "--llm", script(tmp_path / "script.jsonl")]) == 0
    rows = read_result(out).rows
    assert {row.claims for row in rows} == {(1, 2)}
    changed = [row for row in rows if row.kind == "ablation"]
    assert [row.system.rpartition("; ")[2] for row in changed] == [
        "template questions", "questions swapped", "no questions", "claim alone"]  # fmt: skip
    assert {other for row in changed for other in row.over} == {changed[0].system.partition("; ")[0]}


def test_wrong_wishes_are_one_line(averitec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--averitec", str(averitec), "--work", str(tmp_path), "--claims", "0-1"]
    assert main([*flags, "--evidence", "pipeline_own", "--questions", "peer"]) == 2
    assert "only the evidence of hero and official" in capsys.readouterr().err
    write_whole(tmp_path / "board.json", b'{"rows": [{"evidence": 3}]}')
    assert main(["--show", "--out", str(tmp_path / "board.json")]) == 2
    assert "board.json" in capsys.readouterr().err


def test_a_row_that_is_measured_again_takes_the_place_of_the_old_one(averitec: Path) -> None:
    (one,) = published(OFFICIAL, gold(averitec), averitec)
    result = Result()
    result.add([one.row])
    again = msgspec.structs.replace(one.row, pairs=7)
    result.add([again, msgspec.structs.replace(one.row, claims=(0, 1))])
    assert [(row.pairs, row.claims) for row in result.rows] == [(7, (0, 2)), (3, (0, 1))]


def test_what_was_held_against_a_row_goes_with_it(averitec: Path) -> None:
    row = scored("gold", "ours", "ours", gold(averitec), peer(BASELINE, averitec), covers=False).row
    ablation = msgspec.structs.replace(row, system="ours; no questions", kind="ablation")
    other = msgspec.structs.replace(row, system="ours, dtype float32")
    result = Result(rows=[row, ablation, other])
    result.add([other])
    assert result.rows == [row, ablation, other]
    result.add([row])
    assert result.rows == [row, other]
    result.add([row, ablation])
    assert result.rows == [row, other, ablation]


def test_rows_are_written_and_read_alike(averitec: Path) -> None:
    row = scored("gold", "ours", "ours", gold(averitec), peer(BASELINE, averitec), covers=False).row
    assert msgspec.json.decode(msgspec.json.encode(row), type=Row) == row
    line = next(line for line in show(Result(rows=[row])).splitlines() if "| ours |" in line)
    assert line.startswith("|  | ours |  |  |  | .500 ("), "on gold answers evidence is not scored"


def test_published_files_fit_the_claims(shared_data: Path) -> None:
    """On the first claims only: the whole is `tests/evaluation`'s."""
    folder = shared_data / "averitec"
    claims = read_claims(folder / "dev.json")[:20]
    (row,) = published(OFFICIAL, Gold(folder / "dev.json", claims, range(500)), folder)
    assert row.row.scores.n == 20
    assert row.row.pairs == 3
