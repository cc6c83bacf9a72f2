"""How fast programs run: ours beside one call at a time, in the reference's order.

    python -m bench.program_speed recorded                       recorded answers, no model, one core
    python -m bench.program_speed model -i PROGRAMS --gold FILE --llm SPEC [--claims 8] [--turns 3]

`recorded` runs claims of five programs, of two to five steps each, on a file of recorded answers. `model`: the same
programs over gold evidence with the same model and the same prompts. Ours asks the steps of all programs of eight
claims together, the same call of a claim once, and reads a claim's evidence once; the reference asks claim by claim,
program by program, step by step, each prompt from its beginning, in the same two pieces: read in one, a near tie may
fall otherwise. Both take turns; where a program comes to another value the row says so, and the run ends as an error.
Beside them stands the claim verified as a whole.
"""

import json
from collections.abc import Callable, Sequence
from operator import eq
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated, Literal, TypeVar

import msgspec

from bench.turns import read_rows, speeds, write_rows
from src.claims import read_gold_passages
from src.errors import InputError
from src.llm import Options, get_llm
from src.llm.llamacpp_backend import LlamaCppModel
from src.llm.protocol import ModelInfo, Reply, Request
from src.programs.answerers.by_language_model import Forms, LanguageModelAnswers, Prompts
from src.programs.answerers.evidence import GoldEvidence
from src.programs.answerers.recorded_answers import KnownFirst, RecordedAnswers
from src.programs.execute_programs import MODEL_BATCH
from src.programs.functions import Answering
from src.programs.interpreter import Executed, execute
from src.programs.program_files import read_programs
from src.programs.records import ClaimPrograms
from src.programs.whole_claim import whole
from src.runner.step import step
from src.settings import Flag, Positive

T = TypeVar("T")
RESULTS = Path("bench/results/program_speed.json")
STEPS = (
    'fact_1 = Verify("Film {n} won a prize.")',
    'answer_1 = Question("Who directed film {n}?")',
    'fact_2 = Verify("{{answer_1}} lives.")',
    'answer_2 = Question("Where was {{answer_1}} born?")',
    'fact_3 = Verify("{{answer_2}} is a town.")',
)
LABELS = {2: "fact_1", 3: "fact_1 and fact_2", 4: "not (fact_1 or fact_2)", 5: "fact_1 and not (fact_2 or fact_3)"}


class SpeedSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the benchmark."""

    kind: Annotated[Literal["recorded", "model"], Flag("what answers the steps", positional=True)]
    programs_file: Annotated[Path | None, Flag("programs of each claim", "-i")] = None
    gold: Annotated[Path | None, Flag("claims with their gold evidence")] = None
    claims: Annotated[Positive, Flag("the first so many of the programs' claims")] = 8
    turns: Annotated[Positive, Flag("measurements of each side")] = 3
    llm: Annotated[str, Flag("a language model on llama.cpp")] = "qwen2.5-coder-1.5b"


def program(number: int) -> str:
    steps = 2 + number % 4
    return "\n".join([*(line.format(n=number) for line in STEPS[:steps]), f"label = Predict({LABELS[steps]})"])


def answers(programs: int) -> str:
    """Return recorded answers to all steps, as JSON lines."""
    steps: list[tuple[str, str, str | bool]] = [("Question", "Where was Ann born?", "Lund")]
    steps += [("Verify", "Ann lives.", True), ("Verify", "Lund is a town.", False)]
    for number in range(programs):
        steps.append(("Question", f"Who directed film {number}?", "Ann"))
        steps.append(("Verify", f"Film {number} won a prize.", True))
    return "".join(json.dumps({"function": f, "text": t, "value": v}) + "\n" for f, t, v in steps)


class OneByOne:
    """Language model that gets every request alone and reads each prompt from its beginning."""

    def __init__(self, model: LlamaCppModel) -> None:
        self._model = model
        self.calls = 0

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        self.calls += len(requests)
        return [self._alone(request) for request in requests]

    def _alone(self, request: Request) -> Reply:
        self._model.forget()
        (reply,) = self._model.complete([request])
        return reply

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._model.count_tokens(texts)


def in_order(claims: Sequence[ClaimPrograms], answering: Answering) -> list[str]:
    """Execute each program alone, in the reference's order, so that nothing is shared; return the values of all
    programs.
    """
    values = []
    for claim in claims:
        for program in claim.programs:
            (done,) = execute([ClaimPrograms(claim.claim_id, claim.claim, [program])], answering)
            values.append(done.trace.value.value)
    return values


def in_batches(claims: Sequence[ClaimPrograms], answering: Answering) -> list[Executed]:
    """As many claims together as in a user's run: llama.cpp keeps what so many claims' prompts share."""
    starts = range(0, len(claims), MODEL_BATCH)
    return [done for start in starts for done in execute(claims[start : start + MODEL_BATCH], answering)]


def recorded(turns: int, many: int = 400) -> None:
    """Of so many claims."""
    claims = [ClaimPrograms(n, "A claim.", [program(n * 5 + m) for m in range(5)]) for n in range(many)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        path.write_text(answers(5 * many), "utf-8")
        known = KnownFirst([RecordedAnswers(path)])
    rates = [5 * many / timed(lambda: execute(claims, known))[0] for _ in range(turns)]
    assert not known.missing
    print(f"recorded answers: {median(rates):.0f} programs a second")
    rows = read_rows(RESULTS)
    rows["recorded answers, against 2,000 a second"] = speeds("programs/s", rates, [2000.0] * turns, {})
    write_rows(RESULTS, rows)


def with_model(settings: SpeedSettings) -> None:
    if settings.programs_file is None or settings.gold is None:
        raise InputError("model: takes programs and gold evidence: -i PROGRAMS --gold FILE")
    claims = read_programs(settings.programs_file)[: settings.claims]
    source = GoldEvidence(read_gold_passages(settings.gold, {claim.claim_id: claim.claim for claim in claims}))
    model, forms = get_llm(settings.llm, Options()), Forms(Prompts.CHAT)
    if not isinstance(model, LlamaCppModel):
        raise InputError(f"--llm {settings.llm}: only models on llama.cpp read once what prompts share")
    alone = OneByOne(model)
    ours, reference, single = [], [], []
    calls: list[Executed] = []
    same: list[int] = []
    for _ in range(settings.turns):
        seconds, calls = timed(lambda: in_batches(claims, LanguageModelAnswers(model, source, forms)))
        ours.append(len(claims) / seconds)
        alone.calls = 0
        seconds, before = timed(lambda: in_order(claims, LanguageModelAnswers(alone, source, forms)))
        reference.append(len(claims) / seconds)
        seconds, _ = timed(
            lambda: in_batches(
                [whole(claim) for claim in claims], LanguageModelAnswers(model, source, forms, shared=False)
            )
        )
        single.append(len(claims) / seconds)
        values = [one.value.value for done in calls for one in done.trace.programs]
        same.append(sum(map(eq, values, before)))
    programs = sum(len(claim.programs) for claim in claims)
    notes: dict[str, float | str] = {
        "programs a claim": round(programs / len(claims), 2),
        "programs of the same value": min(same),
        "programs": programs,
        "calls": sum(done.trace.model_calls for done in calls),
        "calls of the reference": alone.calls,
        "times the seconds of single verify": round(median(single) / median(ours), 2),
    }
    rows = read_rows(RESULTS)
    name = f"{settings.llm}, {len(claims)} claims of {settings.programs_file.name}"
    rows[name] = speeds("claims/s", ours, reference, notes)
    print(name, rows[name])
    write_rows(RESULTS, rows)
    if min(same) < programs:
        raise InputError(f"{programs - min(same)} of {programs} programs came to another value: see {RESULTS}")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Run `work` and return its seconds and its result."""
    began = perf_counter()
    value = work()
    return perf_counter() - began, value


@step(SpeedSettings)
def main(settings: SpeedSettings) -> int:
    if settings.kind == "recorded":
        recorded(settings.turns)
    else:
        with_model(settings)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
