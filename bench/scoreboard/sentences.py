"""The sentences that a row begins with, as a ranked file in its work folder.

    hero            HerO's ten of each claim, the claim's fact-checking article among them where HerO has it
    official        the official baseline's three answers
    pipeline_own    hybrid retrieval by the pipeline's own step from the claim's file in the sample store
    pipeline_all    hybrid retrieval from all 44,961 sentences of all claims, shuffled (`bench/retrieval/pools.py`): the
                    pipeline's code, but in one process, since 500 stores of that size would each be encoded anew

Limitations: in the sample store a claim's own file holds little but what systems retrieved for it, which flatters
everybody.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from bench.retrieval.corpus import read_dev
from bench.retrieval.hybrid import Hybrids
from bench.retrieval.pools import ALL as POOL_OF_ALL
from bench.retrieval.pools import pools
from bench.scoreboard.published import ALL, AVERITEC, HERO, OFFICIAL, OWN, peer_sentences
from bench.scoreboard.record import StepRecord
from bench.scoreboard.steps import SENTENCES, made_by, run_step
from src.atomic_file import write_whole
from src.records import Claim, RankedSentences
from src.reranking.hybrid.settings import Settings
from src.reranking.top_file import encode_ranked
from src.runner.existing_output import is_done
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import write_output
from src.settings import Flag
from src.store import encode_lines

TOP_K = 10


class Pooled(msgspec.Struct, frozen=True):
    """What the manifest of the pooled sentences says."""

    retriever: Annotated[str, Flag("how sentences are found")] = "hybrid"
    pool: Annotated[str, Flag("whose sentences are searched")] = POOL_OF_ALL
    top_k: Annotated[int, Flag("sentences of each claim")] = TOP_K
    seed: Annotated[int, Flag("of the pool")] = 0


def sentences(
    evidence: str, claims: Sequence[Claim], output: Path, *, averitec: Path = AVERITEC, more: Sequence[str] = ()
) -> dict[str, StepRecord]:
    """Writes the file; the record of the step, where one was run with the flags `more`. Raises InputError."""
    if evidence in (HERO, OFFICIAL):
        wanted = {claim.claim_id for claim in claims}
        write_ranked(output, [one for one in peer_sentences(evidence, averitec) if one.claim_id in wanted])
        return {}
    if evidence == OWN:
        return {"sentences": _from_own_files(claims, output, averitec, more)}
    assert evidence == ALL, evidence
    return {"sentences": _from_all(claims, output, averitec, again=bool(more))}


def write_ranked(path: Path, ranked: Sequence[RankedSentences]) -> None:
    write_whole(path, b"".join(encode_ranked(one) + b"\n" for one in ranked))


def _from_own_files(claims: Sequence[Claim], output: Path, averitec: Path, more: Sequence[str]) -> StepRecord:
    claim_file = output.with_name("claims.json")
    write_whole(claim_file, encode_lines(claims))
    flags: dict[str, Path | str] = {
        "-k": averitec / "knowledge_store" / "dev",
        "-c": claim_file,
        "-o": output,
        "--index_dir": output.with_name("index"),
        "--retriever": "hybrid",
        "--top_k": str(TOP_K),
        "-s": str(claims[0].claim_id),
        "-e": str(claims[-1].claim_id + 1),
    }
    return run_step(SENTENCES, output, flags, more)


def _from_all(claims: Sequence[Claim], output: Path, averitec: Path, *, again: bool) -> StepRecord:
    """Kept as a step keeps its output: made again when settings or inputs are others."""
    args = Pooled()
    store = averitec / "knowledge_store"
    inputs = {"claim_file": averitec / "dev.json", "unattributed": store / "dev_unattributed.jsonl.gz",
              "knowledge_store_dir": store / "dev"}  # fmt: skip
    made = fingerprint("bench.scoreboard.sentences", args, inputs, [claim.claim_id for claim in claims])
    if again or not is_done(output, made, strict=False, quiet=True):
        began = time.perf_counter()
        ranked = b"".join(encode_ranked(one) + b"\n" for one in _ranked_from_all(claims, averitec))
        seconds = time.perf_counter() - began
        write_output(output, [ranked], [], new_manifest(made, args, seconds={"work": seconds, "wall": seconds}))
    return made_by(output)


def _ranked_from_all(claims: Sequence[Claim], averitec: Path) -> Iterator[RankedSentences]:
    corpus = read_dev(averitec)
    system = Hybrids(corpus).system(Settings())
    for pool in pools(corpus, POOL_OF_ALL, claims, seed=0):
        rank = system(pool.sentences)
        for claim in pool.claims:
            places = rank(claim, TOP_K, pool.refused(claim.claim_id))
            yield RankedSentences(claim.claim_id, claim.claim, TOP_K, [pool.sentences[place] for place in places])
