"""The sample's pages on a loopback server, as `src.retrieval.serve_pages` serves them."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.retrieval.serve_pages import PageServer, handler, read_pages


@contextmanager
def archive(sample: Path, seconds: float = 0.0, permits: threading.Semaphore | None = None) -> Iterator[str]:
    """Yield the address to put before each URL. Each answer takes `seconds`, and waits for one of the `permits`."""

    class Slow(handler(read_pages(sample / "pages", sample / "urls"))):  # type: ignore[misc]
        def do_GET(self) -> None:  # noqa: N802 - the name is http.server's
            time.sleep(seconds)
            if permits is not None:
                permits.acquire()
            super().do_GET()

    with PageServer(("127.0.0.1", 0), Slow) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()
