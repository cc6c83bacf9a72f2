"""Large memory pages for large tensors, if Linux gives them on request: fewer pages to fill and look up.

Limitations: only for what torch allocates on the CPU, if it is loaded afterwards.
"""

import os


def use_large_pages() -> None:
    """Enable large pages for torch. Called when src.llm is imported, before torch; a user's setting is kept."""
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
