"""Settings of torch and llama.cpp that must be made before they are loaded: limited spinning, large memory pages.

Threads that wait for each other spin for some microseconds, then sleep.

torch and llama.cpp share their work among OpenMP threads, which spin while they wait. Next to another busy process (a
second shard, a scraper), endless spinning takes the cores away from the work. Without any spinning, each of the many
small steps of a training begins with waking a thread. Measured on two cores with GNU's OpenMP:

    spins            training SmolLM2, alone    small products beside a training on two threads
    none             3.0 s a step               0.17 s
    2,000            2.0 s                      0.19 s (1,000: 0.18 s)
    10,000           2.0 s                      0.59 s
    without end      1.9 s                      7.0 s

Limitations: only for libraries loaded afterwards, since OpenMP reads its settings once. Only GNU's OpenMP spins. Linux
gives large pages on request, for what torch allocates on the CPU.
"""

import os

SPINS = 2000


def spin_little() -> None:
    """Limit OpenMP's spinning, unless the user has set it.

    Called when src.llm is imported, before torch and xllamacpp.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ["OMP_WAIT_POLICY"] = "passive"
        os.environ.setdefault("GOMP_SPINCOUNT", str(SPINS))


def use_large_pages() -> None:
    """Enable large pages for torch. Called when src.llm is imported, before torch; a user's setting is kept."""
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
