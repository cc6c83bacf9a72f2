"""Seconds and memory of a check of one claim, by stage: `src.check` itself, cold and warm.

    python -m bench.one_claim [--claims 3] [--size 50000] [--from_disk]

Two sources of pages: a knowledge store of 50,000 sentences (the pool of all of AVeriTeC's sample,
`bench/retrieval/pools.py`, shuffled, and recombined sentences of it up to the size), and eight saved pages of the
invented world, served on loopback. Each claim is checked by `python -m src.check` with its default flags in a new
process (cold), then in a process that has checked another claim before (warm).

Limitations: in a cold check the files are in the system's cache. With `--from_disk` they are dropped from it before,
but not those that other processes have mapped. The network takes no time. The quality of the result is not measured;
see `python -m bench.check`.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import msgspec

from bench.command import command, positive
from bench.recombined_store import recombined
from bench.retrieval.corpus import Corpus, read_dev, spread
from bench.retrieval.cost import pages
from bench.retrieval.pools import ALL, pools
from bench.scoreboard.published import AVERITEC, ROOT
from bench.warm_checks import Checked, Subject, verdict_of
from bench.watched_process import Watched, forget, watched
from src.atomic_file import write_whole
from src.check import CheckedClaim, Stage
from src.check.run_context import TOTAL
from src.errors import ModelError
from src.llm.measure import machine
from src.records import Claim, Sentence
from src.retrieval.url_rows import read_url_rows
from src.store import encode_lines, read_claims

SAMPLE = ROOT / "data_store" / "sample"
PAGES = 8
STORE, WEB = "store", "pages"


class Limits(msgspec.Struct, frozen=True):
    """The goals: wall seconds of a cold and of a warm check, and peak memory in bytes."""

    cold: float = 10.0
    warm: float = 3.0
    peak: int = 1_500_000_000


class Measured(msgspec.Struct, frozen=True):
    """Measurements of one claim.

    `source`: STORE or WEB.
    `cold`: of the process `python -m src.check`; `stages` are its seconds by stage.
    `warm`: of the check in a process that has checked another claim.
    `verdict`: verdict and level, cold and warm.
    """

    source: str
    claim: str
    verdict: str
    cold: Watched
    stages: dict[str, float]
    warm: Checked


class Result(msgspec.Struct):
    """Measurements of several claims; `size` is the number of sentences in each store."""

    machine: str
    size: int
    from_disk: bool
    limits: Limits = Limits()
    claims: list[Measured] = []


@command
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    result = Result(machine(), args.size, args.from_disk)
    with tempfile.TemporaryDirectory() as folder:
        for subjects in (stores(args.claims, args.size, Path(folder)), web(args.claims)):
            with subjects as (source, claims):
                result.claims += measured(source, claims, from_disk=args.from_disk)
            print(f"{source}: {len(claims) - 1} claims measured", flush=True)
    print(table(result))
    write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    return 0


@contextmanager
def stores(count: int, size: int, folder: Path) -> Iterator[tuple[str, list[Subject]]]:
    """Write the stores of `count` + 1 claims of AVeriTeC's sample; yield STORE and the claims."""
    corpus = read_dev(AVERITEC)
    subjects = []
    for claim in spread(corpus.claims, count + 1):
        file = folder / f"{claim.claim_id}.json"
        write_whole(file, encode_lines(pages(store_of(claim, corpus, size))))
        subjects.append(Subject(claim.claim, claim.claim_date or "", claim.speaker or "", str(file)))
    yield STORE, subjects


@contextmanager
def web(count: int) -> Iterator[tuple[str, list[Subject]]]:
    """Serve the saved pages of the invented world; yield WEB and `count` + 1 claims with eight URLs each."""
    folders = ["--pages", str(SAMPLE / "pages"), "--urls", str(SAMPLE / "urls")]
    serve = [sys.executable, "-m", "src.retrieval.serve_pages", *folders]
    with subprocess.Popen(serve, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            via, subjects = server.stdout.readline().strip(), []
            for number, claim in enumerate(read_claims(SAMPLE / "claims.json")[: count + 1]):
                rows = read_url_rows(SAMPLE / "urls" / f"{number}.tsv")
                urls = tuple(dict.fromkeys(row.url for row in rows))[:PAGES]
                subjects.append(Subject(claim.claim, claim.claim_date or "", claim.speaker or "", urls=urls, via=via))
            yield WEB, subjects
        finally:
            server.terminate()


def store_of(claim: Claim, corpus: Corpus, size: int) -> list[Sentence]:
    """Return `size` sentences: those that the claim may use, shuffled, then recombined sentences on pages of
    their own.
    """
    (pool,) = pools(corpus, ALL, [claim], seed=0)
    refused = pool.refused(claim.claim_id)
    real = [one for place, one in enumerate(pool.sentences) if place not in refused][:size]
    texts = list(dict.fromkeys(one.sentence for one in real))
    made = recombined(texts, size - len(real), seed=0) if len(real) < size else []
    return real + [Sentence(text, f"https://{place // 50}.example/") for place, text in enumerate(made)]


def measured(source: str, subjects: Sequence[Subject], *, from_disk: bool) -> list[Measured]:
    """Return the measurements of all claims but the first, whose check only loads the models of the warm process.

    Raises CalledProcessError when a check fails; its error is on stderr. Raises ModelError when a claim has another
    verdict or level warm than cold.
    """
    cold = [once(one, from_disk=from_disk) for one in subjects[1:]]
    script = [sys.executable, "-m", "bench.warm_checks"]
    done = subprocess.run(script, cwd=ROOT, input=msgspec.json.encode(subjects), check=True, stdout=subprocess.PIPE)
    warm = msgspec.json.decode(done.stdout, type=list[Checked])[1:]
    return [joined(source, *each) for each in zip(cold, warm, strict=True)]


def joined(source: str, cold: tuple[Watched, CheckedClaim], warm: Checked) -> Measured:
    """Return the measurements of a claim as one record. Raises ModelError when verdict or level differ."""
    process, checked = cold
    verdict = verdict_of(checked)
    if warm.verdict != verdict:
        raise ModelError(f"{checked.claim.claim!r} is {verdict} in a cold check, {warm.verdict} in a warm one")
    return Measured(source, checked.claim.claim, verdict, process, checked.seconds, warm)


def once(subject: Subject, *, from_disk: bool) -> tuple[Watched, CheckedClaim]:
    """Check a claim in a new process, and return measurements and result."""
    flags = ["--date", subject.date] if subject.date else []
    flags += ["--speaker", subject.speaker] if subject.speaker else []
    if subject.knowledge_store:
        flags += ["--knowledge_store", subject.knowledge_store]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as urls:
        if subject.urls:
            urls.write("\n".join(subject.urls))
            urls.flush()
            flags += ["--urls", urls.name, "--via", subject.via, "--allow_private"]
        if from_disk:
            forget([ROOT / "pretrained_models", Path(sys.prefix)])
        check = [sys.executable, "-m", "src.check", subject.claim, "--json", "--quiet", *flags]
        process, output = watched(check, ROOT)
    return process, msgspec.json.decode(output, type=CheckedClaim)


START, ALL_STAGES = "start and end of Python", "all"


def stage_medians(claims: Sequence[Measured]) -> dict[str, tuple[float | None, float | None]]:
    """Return the median seconds of each stage, cold and warm; None for a stage that does not occur.

    START is the time of the process outside the check. ALL_STAGES is the wall time of the process or warm check.
    """
    cold = [{**one.stages, START: one.cold.seconds - one.stages[TOTAL], ALL_STAGES: one.cold.seconds} for one in claims]
    warm = [{**one.warm.stages, ALL_STAGES: one.warm.stages[TOTAL]} for one in claims]
    names = [START, *Stage, ALL_STAGES]
    medians = {str(name): (_median_of(cold, name), _median_of(warm, name)) for name in names}
    return {name: both for name, both in medians.items() if both != (None, None)}


def _median_of(rows: Sequence[Mapping[str, float]], name: str) -> float | None:
    """Return the median of a stage, which counts 0 s in checks that lack it; None if all lack it."""
    return median(row.get(name, 0.0) for row in rows) if any(name in row for row in rows) else None


def goals(result: Result) -> dict[str, bool]:
    """Return for each goal whether the medians reach it from both sources of pages."""
    limits, by_source = (
        result.limits,
        [[one for one in result.claims if one.source == source] for source in (STORE, WEB)],
    )

    def most(value: Callable[[Measured], float]) -> float:
        return max(median(map(value, claims)) for claims in by_source)

    return {
        "time of a cold check": most(lambda one: one.cold.seconds) <= limits.cold,
        "time of a warm check": most(lambda one: one.warm.stages[TOTAL]) <= limits.warm,
        "memory of a cold check": most(lambda one: one.cold.peak) <= limits.peak,
        "memory of a warm check": most(lambda one: one.warm.peak) <= limits.peak,
    }


def table(result: Result) -> str:
    """Return a Markdown table for each source of pages: medians of the stages, and of memory and bytes read."""
    return "\n\n".join(_table_of(source, result) for source in dict.fromkeys(one.source for one in result.claims))


def _table_of(source: str, result: Result) -> str:
    claims = [one for one in result.claims if one.source == source]
    lines = [f"| {source}: stage | cold, s | warm, s |", "|---|---|---|"]
    lines += [f"| {name} | {' | '.join(map(_figure, both))} |" for name, both in stage_medians(claims).items()]
    for name, scale in (("cpu", 1.0), ("peak", 1e-9), ("read", 1e-9)):
        both = [median(getattr(getattr(one, how), name) * scale for one in claims) for how in ("cold", "warm")]
        lines.append(f"| {name}{', GB' if scale < 1 else ', s'} | {' | '.join(map(_figure, both))} |")
    return "\n".join(lines)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.one_claim", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--claims", type=positive, default=3, help="of each source of pages")
    parser.add_argument("--size", type=positive, default=50_000, help="sentences of a store")
    parser.add_argument(
        "--from_disk", action="store_true", help="drop models and packages from the system's cache first"
    )
    parser.add_argument("--json", type=Path, default=ROOT / "bench" / "results" / "one_claim.json")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
