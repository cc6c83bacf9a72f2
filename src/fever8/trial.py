"""Trial run of a submission folder: run_system.sh on a few claims, without a network, watched from outside.

The system gets the claims without labels, justifications and questions. The labels are in a separate file, which is
watched: when it is first opened, a scorer is at work.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.errors import InputError, OutputError, StoreError
from src.fever8.file_watch import first_opening
from src.fever8.network import Blocking, attempted, guarded, offline
from src.fever8.process_watch import watch
from src.fever8.rules import SECONDS_A_CLAIM
from src.fever8.system import TIMINGS, System
from src.fever8.timings import MAIN, Timing, read_timings
from src.knowledge_store import KnowledgeStore
from src.records import Claim
from src.runner.console import printable
from src.store import encode_lines, encode_list, read_claims

SPLIT = "dev"  # names the claims of the trial, which are invented
SPARE_SECONDS = 900.0  # for the start of a run
SHOWN = 3  # lines of a run's output, in the report
WIDEST = 300  # characters of such a line
_TROUBLE = re.compile("error|fail|unreachable|no such", re.IGNORECASE)


class World(msgspec.Struct, frozen=True):
    """Claims of a trial, their knowledge store, and claims with gold pairs for strategies that show examples."""

    claims: list[Claim]
    store: KnowledgeStore
    references: Path | None


class Trial(msgspec.Struct, frozen=True):
    """Result of one run.

    `claims`: number of claims.
    `code`: exit code of run_system.sh; None if it was stopped after `limit` seconds.
    `main`: what its measured_timings.txt says of the main execution; None if it says nothing.
    `seen`: the same, seen from outside; None if system_inference.sh was not seen.
    `memory`: the largest memory of all processes, in bytes.
    `labels_read`: when the labels were first opened, in seconds since 1970; None if they were not.
    `attempts`: hosts that the run tried to reach.
    `log`: the last lines of its output that speak of trouble, or else the last lines.
    """

    claims: int
    code: int | None
    main: Timing | None
    seen: Timing | None
    memory: int
    labels_read: float | None
    attempts: list[str]
    log: list[str]
    limit: float

    @property
    def wrote_results(self) -> bool:
        """Return True if the run ended with results, even if claims failed."""
        return self.code in (0, 1)


def world_of(claim_file: Path, store_dir: Path, references: Path | None, most: int) -> World:
    """Return the first `most` claims of a file that have a knowledge store.

    Raises InputError if a file is missing or damaged, or fewer than two claims have a store.
    """
    store = KnowledgeStore(store_dir)
    claims = [claim for claim in read_claims(claim_file) if claim.claim_id in store][:most]
    if len(claims) < 2:
        raise InputError("fewer than two of its claims have a knowledge store", path=claim_file)
    if references is not None and not references.is_file():
        raise InputError("not found; it has the claims with gold pairs", path=references)
    return World(claims, store, references)


def run_trial(folder: Path, system: System, world: World, place: Path, how: Blocking) -> Trial:
    """Run the system on the claims of a world; `place` is a new folder for all that the run reads and writes.

    Raises InputError when a file of the world cannot be read, and OutputError when one of the run cannot be written.
    """
    try:
        labels = _prepare(world, place)
    except OSError as error:
        raise OutputError(f"cannot write {place}: {error.strerror or error}") from None
    attempts, log = place / "attempts", place / "log"
    variables = {
        "SPLIT": SPLIT, "DATA_IS_HERE": "1", "LABELS": str(labels),
        "DATA_STORE": str(place / "data_store"), "KNOWLEDGE_STORE": str(place / "knowledge_store"),
    }  # fmt: skip
    limit = SPARE_SECONDS + 2 * SECONDS_A_CLAIM * len(world.claims)
    command = offline(["bash", "run_system.sh"], how)
    environment = guarded(attempts, {**os.environ, **variables})
    with first_opening(labels) as opened:
        seen = watch(command, "system_inference.sh", cwd=folder, env=environment, log=log, limit=limit)
    return Trial(
        len(world.claims),
        seen.code,
        read_timings(results(place, system) / TIMINGS).get(MAIN),
        Timing(seen.ended - seen.began, seen.began, seen.ended) if seen.began and seen.ended else None,
        seen.memory,
        opened.time,
        attempted(attempts),
        _last_lines(log),
        limit,
    )


def _last_lines(log: Path) -> list[str]:
    lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    chosen = [line for line in lines if _TROUBLE.search(line)] or lines
    return [printable(line.strip()[:WIDEST]) for line in chosen[-SHOWN:]]


def results(place: Path, system: System) -> Path:
    """Return the folder of a run's results."""
    return place / "data_store" / system.name


def _prepare(world: World, place: Path) -> Path:
    """Write the files of a run, and return that of the labels."""
    data, store = place / "data_store" / "averitec", place / "knowledge_store" / SPLIT
    data.mkdir(parents=True)
    store.mkdir(parents=True)
    (data / f"{SPLIT}.json").write_bytes(encode_list(map(_without_gold, world.claims)))
    labels = place / "labels.json"
    labels.write_bytes(encode_list(world.claims))
    if world.references is not None:
        (data / "train.json").write_bytes(world.references.read_bytes())
    _copy_store(world.store, [claim.claim_id for claim in world.claims], store)
    return labels


def _without_gold(claim: Claim) -> Claim:
    return msgspec.structs.replace(
        claim, label=None, justification=None, questions=[], claim_types=[], fact_checking_strategies=[]
    )


def _copy_store(store: KnowledgeStore, claim_ids: Sequence[int], target: Path) -> None:
    try:
        for claim_id in claim_ids:
            (target / f"{claim_id}.json").write_bytes(encode_lines(store[claim_id]))
    except StoreError as error:
        raise InputError(str(error)) from None
