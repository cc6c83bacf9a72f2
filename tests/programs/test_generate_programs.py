"""Programs from a scripted model: asked together, repaired at most twice, then the claim as a whole."""

import json
import re
from pathlib import Path

import pytest

from src.claims import ClaimText, read_claim_texts
from src.llm.protocol import ModelInfo
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.programs import generate_programs
from src.programs.generation import GRAMMAR, SHIPPED, Generator, read_demonstrations
from src.programs.parsing.reader import read_program
from src.programs.program_files import read_programs
from src.programs.records import ClaimPrograms
from src.programs.whole_claim import fallback
from src.runner.manifest import read_manifest

GOOD = '    fact_1 = Verify("A.")\n    label = Predict(fact_1)'
BAD = '    fact_1 = Verify("A.")\n    label = Predict(fact_2)'
ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data_store/sample"
SHOWN = read_demonstrations(SHIPPED["clauses"])[:2]


def generated(
    first: list[str], repairs: list[str], programs: int = 1, claim: str = "A claim."
) -> tuple[ClaimPrograms, dict[str, int], ScriptedModel]:
    lines = [ScriptLine("program", text) for text in first] + [ScriptLine("program_repair", text) for text in repairs]
    model = ScriptedModel(lines)
    (outcome,) = Generator(model, SHOWN, programs, seed=5).generate([ClaimText(3, claim)])
    return outcome.record, dict(outcome.counts), model


def test_a_good_program_takes_one_request() -> None:
    record, counts, model = generated([GOOD], [])
    assert record == ClaimPrograms(3, "A claim.", [GOOD], [False])
    (request,) = model.asked
    assert (request.temperature, request.seed, request.stop) == (0.0, 5, ("\n\n# The claim is",))
    assert request.prompt.endswith("\n\n# The claim is that A claim.\ndef program():")
    assert all(one.written() in request.prompt for one in SHOWN)
    assert (counts["programs"], counts["repaired_programs"], counts["fallback_programs"]) == (1, 0, 0)


def test_several_are_drawn_with_seeds_of_their_own() -> None:
    record, _, model = generated([GOOD] * 3, [], programs=3)
    assert [(request.temperature, request.seed) for request in model.asked] == [(0.7, 5), (0.7, 6), (0.7, 7)]
    assert record.programs == [GOOD] * 3


def test_a_faulty_program_is_repaired_with_its_faults_in_the_prompt() -> None:
    record, counts, model = generated([GOOD, f"\n\n{BAD}\n"], [GOOD], programs=2)
    assert (record.programs, record.fallback) == ([GOOD, GOOD], [False, False])
    repair = model.asked[-1].prompt
    assert (model.asked[-1].temperature, model.asked[-1].seed) == (0.7, 8)
    assert BAD in repair
    assert "# line 2: undefined-variable: fact_2 is assigned nowhere" in repair
    assert (counts["repaired_programs"], counts["fallback_programs"], counts["model_calls"]) == (1, 0, 3)


def test_after_two_repairs_the_claim_is_verified_as_a_whole() -> None:
    record, counts, model = generated([BAD], ["prose", ""], claim='It is\n"so"\ndef program():')
    assert record.fallback == [True]
    assert record.programs == ["fact_1 = Verify(\"It is 'so' def program():\")\nlabel = Predict(fact_1)\n"]
    assert read_program(record.programs[0]).diagnostics == ()
    assert (counts["fallback_programs"], counts["model_calls"]) == (1, 3)
    assert '# The claim is that It is "so" def program():\n' in model.asked[0].prompt


@pytest.mark.parametrize(
    "claim", ['"', "A.", 'He said "no" (twice).', "O'Hara", "{answer_1} is a name", "x\\", "  ", "x" * 30_000]
)
def test_the_whole_claim_is_a_program(claim: str) -> None:
    program = read_program(fallback(claim))
    assert program.label is not None
    assert program.diagnostics == () or not claim.strip()


@pytest.mark.parametrize(("can", "asked_for", "sent"), [(True, True, True), (True, False, False), (False, True, False)])
def test_the_grammar_is_sent_where_the_engine_has_it(can: bool, asked_for: bool, sent: bool) -> None:
    lines = [ScriptLine("program", BAD), ScriptLine("program_repair", GOOD)]
    info = ModelInfo("scripted", "scripted", "script", can=frozenset({"grammar"} if can else ()))
    model = ScriptedModel(lines, info)
    Generator(model, SHOWN, grammar=asked_for).generate([ClaimText(3, "A claim.")])
    assert [request.grammar for request in model.asked] == [GRAMMAR.read_text() if sent else ""] * 2


def test_the_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.json").write_text(json.dumps([{"claim": "One.", "label": "supports"}, {"claim": "Two.", "uid": "x"}]))
    Path("s.jsonl").write_text("".join(json.dumps({"role": "program", "output": GOOD}) + "\n" for _ in range(4)))
    flags = ["-c", "c.json", "-o", "p.json", "--llm", "scripted:s.jsonl", "--num_programs", "2"]
    assert generate_programs.main(flags) == 0
    assert [(one.claim_id, one.claim, one.programs) for one in read_programs(Path("p.json"))] == [
        (0, "One.", [GOOD, GOOD]),
        (1, "Two.", [GOOD, GOOD]),
    ]
    Path("c.json").write_text(json.dumps([{"claim": "Maria Sibylla Merian travelled to Suriname!"}]))
    assert generate_programs.main([*flags, "--demonstrations", "clauses"]) == 2
    assert capsys.readouterr().err == "error: clauses: demonstration 2 is claim 0, which is to be checked\n"
    assert generate_programs.main([*flags, "--demonstrations", "none.txt"]) == 2
    assert capsys.readouterr().err.endswith("none.txt: not found\n")
    assert generate_programs.main([*flags, "--seed", "4294967290"]) == 2
    assert "--seed 4294967290: seeds of programs and repairs" in capsys.readouterr().err
    for wrong in ("--temperature=nan", "--temperature=-1", f"--seed={10**23}"):
        with pytest.raises(SystemExit, match="2"):
            generate_programs.main([*flags, wrong])
    capsys.readouterr()
    assert generate_programs.main([]) == 2
    assert capsys.readouterr().err.startswith(
        "error: data/dev.json: not found; bring it with: bash script/download.sh dev"
    )


def test_claims_of_any_data_set_are_read(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"claim": "A", "claim_id": 4}\n{"claim": "B", "id": "x", "label": "refutes"}\n')
    assert read_claim_texts(tmp_path / "c.jsonl") == [ClaimText(4, "A", "4"), ClaimText(1, "B", "x")]


def test_a_program_that_drops_a_name_is_repaired() -> None:
    whole = '    fact_1 = Verify("Ada Moor sang in Lund.")\n    label = Predict(fact_1)'
    record, counts, model = generated([GOOD], [whole], claim="The singer Ada Moor sang in Lund.")
    assert record.programs == [whole]
    assert "# no line says anything of: Ada, Moor, Lund" in model.asked[-1].prompt
    assert (counts["repaired_programs"], counts["fallback_programs"]) == (1, 0)


def test_the_quickstart_shows_a_claim_that_rules_split(tmp_path: Path) -> None:
    (shown,) = re.findall(r"--llm none -c \$sample/(\S+)", (ROOT / "script/quickstart.sh").read_text())
    flags = ["-c", str(SAMPLE / shown), "-o", str(tmp_path / "p.json"), "--llm", "none", "--quiet"]
    assert generate_programs.main(flags) == 0
    (record,) = read_programs(tmp_path / "p.json")
    assert len(read_program(record.programs[0]).steps) > 1
    assert (SAMPLE / "knowledge_store" / f"{record.claim_id}.json").exists()


def test_whole_claim_programs_are_counted_by_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.json").write_text(json.dumps([{"claim": "One."}, {"claim": "The singer Ada Moor sang."}]))
    replies = [("program", BAD), ("program", GOOD)] + [("program_repair", text) for text in (BAD, GOOD)] * 2
    Path("s.jsonl").write_text("".join(json.dumps({"role": role, "output": one}) + "\n" for role, one in replies))
    assert generate_programs.main(["-c", "c.json", "-o", "p.json", "--llm", "scripted:s.jsonl"]) == 0
    message = (
        "2 of 2 programs verify the claim as a whole: 1 could not be executed as written, "
        "1 dropped a name or number of the claim"
    )
    manifest = read_manifest(Path("p.json"))
    assert manifest is not None
    assert manifest.notes == [message]
    assert [manifest.counts[f"fallback_{why}"] for why in ("programs", "broken", "dropping")] == [2, 1, 1]
    assert f"generate_programs: note: {message}\n" in capsys.readouterr().out


def test_rules_refuse_a_flag_by_the_name_that_was_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate_programs.main(["-o", str(tmp_path / "p.json"), "--llm", "none", "--no-grammar"]) == 2
    assert capsys.readouterr().err.startswith("error: --no-grammar changes nothing with --llm none")


@pytest.mark.parametrize("drawn", [("--temperature", "1.5"), ("--seed", "7")])
def test_what_is_drawn_by_is_refused_where_nothing_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], drawn: tuple[str, str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("c.json").write_text(json.dumps([{"claim": "One."}]))
    Path("s.jsonl").write_text("".join(json.dumps({"role": "program", "output": GOOD}) + "\n" for _ in range(3)))
    flags = ["-c", "c.json", "-o", "p.json", "--llm", "scripted:s.jsonl", "--overwrite", *drawn]
    assert generate_programs.main([*flags, "--accept", "published"]) == 2
    message = f"error: {drawn[0]} changes nothing with --accept published and one program: it is the likeliest\n"
    assert capsys.readouterr().err == message
    assert not Path("p.json").exists()
    assert generate_programs.main([*flags, "--accept", "published", "--num_programs", "2"]) == 0
    assert generate_programs.main([*flags, "--accept", "careful"]) == 0  # repairs are drawn
