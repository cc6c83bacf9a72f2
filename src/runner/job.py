"""Runner of one step over its claims: resume, failures, atomic output, manifest.

A step describes itself as a Job. `run` does nothing if the output is up to date. Otherwise it starts the engine (loads
models), processes batch by batch, appends each batch to the journal, and writes the output atomically, in claim order.
A resumed run has the same batches as an uninterrupted one: the batch of a claim is its number // batch size. The number
is the claim_id or, if the claim_ids have gaps, the claim's index in `Job.numbered` (the claims of all shards of the
run). With several workers, batches run in parallel in separate processes and are saved as they finish.

Limitations: a failed claim is tried again only when the step is started again.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Generic, Literal, TypeVar

import msgspec

from src.errors import one_line
from src.json_decoding import decode
from src.runner.batch_answers import answers_files
from src.runner.batch_file import check_batch, write_requests
from src.runner.console import Progress, how_many, say, say_error
from src.runner.engine import Engine
from src.runner.estimate import Estimate, report, time_claims
from src.runner.existing_output import is_done
from src.runner.fingerprint import Fingerprint, fingerprint, input_files, plain_arguments
from src.runner.journal import Entry, Journal
from src.runner.manifest import Manifest, new_manifest, source_hash, total, upstream_failures
from src.runner.outcome import HasClaimId
from src.runner.output import Failure, write_output
from src.runner.paths import check_output
from src.runner.place import Place, ThisMachine, Work
from src.runner.prices import Prices
from src.runner.sharding import pin_plan
from src.settings import JobSettings
from src.store import encode_line, list_pieces

MUCH = 1_000_000_000  # bytes of files to compare on the nodes of a cluster, above which a line says so

In = TypeVar("In", bound=HasClaimId)
Out = TypeVar("Out")


@dataclass(frozen=True)
class Job(Generic[In, Out]):
    """A step with the claims to process.

    `step`: module name of the step.
    `settings`: settings of the step.
    `claims`: claims to process.
    `inputs`: input files by argument name.
    `start`: function that loads the models and returns the engine.
    `without_result`: function from a failed claim to its record.
    `encode`: function from a record to its JSON.
    `as_list`: write one JSON list instead of JSON lines.
    `flat`: a record is a list, and each of its items is a record of the output.
    `batch`: number of claims per batch.
    `workers`: number of processes. With several, `encode`, `without_result` and the engine's `work` must be picklable.
    `on_cluster`: "actors" keep the models that `start` loads, each core takes "tasks" of a step without models, and
        "here" is a step that one process must compute.
    `node_files`: files that the nodes of a cluster must have besides `inputs`, such as those of models that are given
        by name. They are not part of the run's fingerprint.
    `prices`: prices of the language model's tokens.
    `numbered`: the claims of all shards of the run, sorted. If their claim_ids have gaps, a claim's number is its index
        (from 0) in this list instead of its claim_id.
    """

    step: str
    settings: JobSettings
    claims: Sequence[In]
    inputs: Mapping[str, Path]
    start: Callable[[], Engine[In, Out]]
    without_result: Callable[[In], Out]
    encode: Callable[[Out], bytes] = msgspec.json.encode
    as_list: bool = False
    flat: bool = False
    batch: int = 1
    workers: int = 1
    on_cluster: Literal["actors", "tasks", "here"] = "actors"
    node_files: Mapping[str, Path] = field(default_factory=dict)
    numbered: Sequence[In] | None = None
    prices: Prices = field(default_factory=Prices)

    @cached_property
    def _indexes(self) -> Mapping[int, int]:
        """Map each claim_id to the claim's index in `numbered`; empty if no claim_id between them is missing."""
        numbered = self.numbered or ()
        if not numbered or numbered[-1].claim_id - numbered[0].claim_id + 1 == len(numbered):
            return {}
        return {claim.claim_id: index for index, claim in enumerate(numbered)}

    def batches(self, claims: Iterable[In]) -> Iterator[list[In]]:
        """Yield claims of the job in batches: claims follow each other in the order of the job."""
        for _, batch in groupby(claims, key=lambda claim: self.number(claim) // self.batch):
            yield list(batch)

    def number(self, claim: In) -> int:
        """Return the number of a claim; number // `batch` is the index of its batch."""
        return self._indexes.get(claim.claim_id, claim.claim_id)

    @property
    def output(self) -> Path:
        return Path(self.settings.output)

    @property
    def name(self) -> str:
        return self.step.rpartition(".")[2]

    def fingerprint(self) -> Fingerprint:
        return fingerprint(self.step, self.settings, self.inputs, [claim.claim_id for claim in self.claims])


def run(job: Job[In, Out], place: Place[In, Out] | None = None) -> int:
    """Run the job and return 0 if every claim succeeded, else 1.

    `place`: where the job is computed; by default, where its settings say.

    Raises FatalError when the run cannot continue, and PendingError when requests wait for answers: they are then in
    the file that --batch_file names, and there is no output yet.
    """
    began = time.perf_counter()
    quiet = bool(job.settings.quiet)
    check_output(job.output, job.inputs)
    check_batch(job.settings, job.inputs)
    job.prices.check()
    if job.settings.dry_run:
        say(report(job.name, estimated(job), job.output, job.prices))
        return 0
    made = job.fingerprint()
    with _journal(job, made) as journal:
        strict = bool(plain_arguments(job.settings).get("strict"))
        fresh = journal.is_empty and not job.settings.overwrite
        if fresh and is_done(job.output, made, strict=strict, quiet=quiet):
            pin_plan(job.settings)
            return 0
        left = [claim for claim in job.claims if claim.claim_id not in journal]
        with closing(place or _place(job, made, left)) as workers:
            engine = workers.start()
            begun = journal.begin(engine.model, source_hash())
            pin_plan(job.settings)
            notes = [*engine.notes, *begun, *_cut_batches(job), *upstream_failures(job.inputs.values())]
            _work(job, left, workers, journal)
            notes += workers.notes()
        return _finish(job, replace(engine, notes=notes), journal, made, began)


def _journal(job: Job[In, Out], made: Fingerprint) -> Journal[Entry]:
    """Return the journal of the job; claims that failed in an earlier run are tried again."""
    return Journal(job.output, made, Entry, lambda entry: entry.claim_id, lambda entry: entry.failure is None,
                   overwrite=job.settings.overwrite)  # fmt: skip


def estimated(job: Job[In, Out]) -> Estimate:
    """Return the estimated cost of a run. Starts the engine. Raises FatalError when the engine cannot be started."""
    engine = job.start()
    return engine.estimate(job.claims) if engine.estimate else time_claims(job.claims, engine.work, job.encode)


def _cut_batches(job: Job[In, Out]) -> list[str]:
    claim = min(job.claims, key=lambda claim: claim.claim_id)
    if job.number(claim) % job.batch == 0:
        return []
    return [
        f"claims are computed {job.batch} at a time; a range that starts at {claim.claim_id} cuts such a batch, "
        "and its last digits may differ from those of an undivided run"
    ]


def _place(job: Job[In, Out], made: Fingerprint, left: Sequence[In]) -> Place[In, Out]:
    """Return the place where the claims in `left` are computed: a Ray cluster if one is named, else this machine."""
    work = Work(job.step, job.start, job.encode, job.without_result)
    cluster = job.settings.cluster
    if not cluster.address or job.on_cluster == "here":
        return ThisMachine(work, job.workers)
    from src.runner.cluster.ray_cluster import RayCluster

    batches = max(1, sum(1 for _ in job.batches(left)))  # one worker loads the model if nothing is left
    _say_size(job)
    inputs = made.inputs | input_files(job.node_files)
    return RayCluster(work, cluster, inputs, batches, in_actors=job.on_cluster == "actors", quiet=job.settings.quiet)


def _say_size(job: Job[In, Out]) -> None:
    """Print the size of the files that each node compares, if they take long."""
    files = [path for path in (*job.inputs.values(), *job.node_files.values()) if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    if size > MUCH:
        what = f"{size / 1e9:.1f} GB of models and inputs"
        say(f"{job.name}: comparing {what} on each node of the Ray cluster", quiet=job.settings.quiet)


def _work(job: Job[In, Out], left: Sequence[In], place: Place[In, Out], journal: Journal[Entry]) -> None:
    done = len(job.claims) - len(left)
    with Progress(job.name, len(job.claims), done, quiet=job.settings.quiet, status=place.status) as progress:
        for entries in place.entries(job.batches(left)):
            if entries:
                journal.append(entries)
            progress.add(len(entries), sum(entry.failure is not None and not entry.requests for entry in entries))


def _finish(
    job: Job[In, Out], engine: Engine[In, Out], journal: Journal[Entry], made: Fingerprint, began: float
) -> int:
    if plain_arguments(job.settings).get("batch_file"):
        write_requests(job.name, job.settings, _entries(job, journal))
    failures, seconds = list[Failure](), 0.0
    counts = dict[str, int]()
    for entry in _entries(job, journal):
        failures += [entry.failure] if entry.failure else []
        seconds += entry.seconds
        counts = total((counts, entry.counts))
    manifest = new_manifest(
        made,
        job.settings,
        seconds={"work": seconds, "wall": time.perf_counter() - began},
        counts=counts,
        notes=[*engine.notes, *engine.notes_on(counts)],
        deterministic=engine.deterministic,
        model=engine.model,
        answers=answers_files(job.settings),
    )
    manifest.one_line_a_claim = not job.flat
    manifest.cost = job.prices.cost(counts.get("prompt_tokens", 0), counts.get("new_tokens", 0))
    records = _records(job, journal)
    data = list_pieces(records) if job.as_list else map(encode_line, records)
    write_output(job.output, data, failures, manifest)
    return _closing_line(job, failures, journal, manifest)


def _entries(job: Job[In, Out], journal: Journal[Entry]) -> Iterator[Entry]:
    """Yield the entry of each claim, in claim order, read from the journal."""
    return journal.entries(claim.claim_id for claim in job.claims)


def _records(job: Job[In, Out], journal: Journal[Entry]) -> Iterator[msgspec.Raw]:
    """Yield the records of the output, in claim order, read from the journal."""
    for entry in _entries(job, journal):
        yield from decode(entry.record, list[msgspec.Raw]) if job.flat else [entry.record]


def _closing_line(job: Job[In, Out], failures: Sequence[Failure], journal: Journal[Entry], manifest: Manifest) -> int:
    seconds = manifest.seconds["wall"]
    for note in manifest.notes:
        say(f"{job.name}: note: {note}", quiet=job.settings.quiet)
    if not failures:
        journal.remove()
        claims = how_many(len(job.claims), "claim")
        say(f"{job.name}: {claims} in {seconds:.1f} s -> {job.output}", quiet=job.settings.quiet)
        return 0
    first = f"claim {failures[0].claim_id}: {one_line(failures[0].message)}"
    how_much = f"{len(failures)} of {how_many(len(job.claims), 'claim')}"
    say_error(
        f"{job.name}: {how_much} failed; {job.output} has them without a whole "
        f"result; start again to try them again. The first, {first}"
    )
    return 1
