"""Two thousand claims in one process: memory grows only by the records themselves."""

import time
from pathlib import Path

import pytest

from src.pipeline.rank import STEP
from src.reranking.top_file import read_ranked
from tests.runner.killing import count_lines, finish, start
from tests.runner.small_world import write_world

CLAIMS = 2_000
SENTENCES = 400
MEGABYTE = 2**20

pytestmark = pytest.mark.slow


def test_two_thousand_claims(tmp_path: Path, project_root: Path) -> None:
    pages = [[f"sentence {place} of claim {claim} on the ferry {place % 7}" for place in range(SENTENCES)]
             for claim in range(CLAIMS)]  # fmt: skip
    world = write_world(tmp_path, [f"The ferry {number} sank." for number in range(CLAIMS)], pages)
    flags = ["-k", str(world.store), "-c", str(world.claims), "-o", str(world.output), "--top_k", "20"]
    process = start(STEP, flags, project_root)
    progress = world.output.with_name("result.json.progress")
    early = late = 0
    while process.poll() is None:
        done = count_lines(progress)
        if done < CLAIMS // 4:
            early = max(early, resident(process.pid))
        else:
            late = max(late, resident(process.pid))
        time.sleep(0.05)
    assert finish(process)[0] == 0
    records = world.output.stat().st_size
    assert 0 < early < 500 * MEGABYTE
    assert late < early + 8 * records + 30 * MEGABYTE
    assert [claim.claim_id for claim in read_ranked(world.output)] == list(range(CLAIMS))


def resident(pid: int) -> int:
    """Return the bytes of memory that a process uses; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))
