"""Threads that wait for each other sleep instead of spinning.

torch and llama.cpp share their work among OpenMP threads, which spin while they wait. Alone on a machine that is a
little faster; beside another busy process (a second shard, a scraper) it is many times slower, for the spinning takes
the cores away from the work. Measured with SmolLM2 on two cores beside four busy processes: 20 s against 0.6 s for one
prompt.

But: only for what is loaded afterwards; OpenMP reads its settings once.
"""

import os


def sleep_while_waiting() -> None:
    """Called when src.llm is imported, before torch and xllamacpp. A setting of the user's stays."""
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
