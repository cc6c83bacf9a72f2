"""`bench.questions.choice` on draws that are kept: what it chooses is scored as the evaluator scores it."""

import gzip
from pathlib import Path

import msgspec
import pytest

from bench.questions.choice import SAMPLES, WEIGHINGS, Draws, Tried, main, scored
from bench.questions.held_out import held_out
from src.atomic_file import write_whole
from src.evaluation.averitec import Gold, Guess, score
from src.records import Claim, QAPair, Verdict
from src.reranking.questions.choice import USUAL
from src.store import encode_line, encode_list
from tests.training.small_claims import claims

MOST = 5


@pytest.fixture
def averitec(tmp_path: Path) -> Path:
    folder = tmp_path / "averitec"
    write_whole(folder / "train.json", encode_list(claims()))
    write_whole(folder / "dev.json", encode_list([Claim("Nothing of it stands in train.", 0, Verdict.REFUTED)]))
    rows = [f'{claim.claim_id},{claim.claim},"Why?\t\t\nIt had to.\t\t\n"' for claim in claims()]
    text = "\n".join(["id,claim,evi", *rows])
    write_whole(folder / "peers" / "eibakke_baseline_train1000.csv.gz", gzip.compress(text.encode()))
    return folder


@pytest.fixture
def draws(averitec: Path, tmp_path: Path) -> Path:
    """The likeliest question has no word of a gold one; three draws are one of them."""
    path = tmp_path / "draws.jsonl"
    write_whole(path, b"".join(encode_line(of(claim)) for claim in held_out(averitec)[0]))
    return path


def of(claim: Claim) -> Draws:
    question = claim.questions[0].question.rstrip("?") + "?"
    drawn = ["Which whale sang?", question, question, "Could zebras knit?", question, "Whose lamp flickered?"]
    return Draws(claim.claim_id, [claim.claim], [drawn])


def run(averitec: Path, draws: Path, *more: str) -> int:
    return main(
        ["--averitec", str(averitec), "--draws", str(draws), "--json", str(draws.with_name("found.json")), *more]
    )


def test_what_is_typical_of_the_draws_is_chosen_and_scored(
    averitec: Path, draws: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(averitec, draws, "--most", str(MOST)) == 0
    first, *others = msgspec.json.decode(draws.with_name("found.json").read_bytes(), type=list[Tried])
    held = held_out(averitec)[0]
    assert (first.samples, first.claims, first.more, first.error) == (0, len(held), 0.0, 0.0)
    assert first.question < 0.05
    assert [one.samples for one in others] == [n for n in SAMPLES if n <= MOST for _ in WEIGHINGS]
    best = [one for one in others if one.samples == MOST]
    assert all(one.question > 0.3 and one.more == round(one.question - first.question, 4) for one in best)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 + 1 + len(others)
    assert f"| {MOST} | {USUAL.typical:g} | {USUAL.named:g} | {best[0].question:.3f} " in "\n".join(lines)


def test_scores_are_the_evaluators(averitec: Path, draws: Path) -> None:
    drawn = [msgspec.json.decode(line, type=Draws) for line in draws.read_bytes().splitlines()]
    held = {claim.claim_id: claim for claim in held_out(averitec)[0]}
    scores = scored(drawn, held, MOST, USUAL)
    for own, given in zip(drawn, scores, strict=True):
        claim = held[own.claim_id]
        assert claim.label is not None
        pairs = [QAPair(of(claim).questions[0][1], claim.claim)]
        expected = score(Gold(claim, claim.label), Guess(claim.claim_id, None, pairs))
        assert given == (expected.question_only, expected.question_answer)


def test_too_few_draws_are_refused(averitec: Path, draws: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(averitec, draws, "--most", "8") == 2
    assert "holds fewer than --most 8 draws; remove it to draw again" in capsys.readouterr().err
