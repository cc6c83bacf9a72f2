"""Large tensors in large pages, where Linux gives them to who asks: fewer pages to fill and to look up.

But: only for what torch allocates once it is loaded afterwards, on the CPU.
"""

import os


def use_large_pages() -> None:
    """Called when src.llm is imported, before torch. A setting of the user's stays."""
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
