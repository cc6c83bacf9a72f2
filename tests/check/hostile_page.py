"""A page that would run if it could, from a server that answers with headers that are no text."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

PAGE = b"""<html><head><base href="javascript:1//"><meta http-equiv="refresh" content="0;url=javascript:1">
<script>window.ran = 1</script></head><body onload="window.ran = 1"><article><h1>Where eels swim</h1>
<p>Eels swim to the Sargasso Sea, &lt;img src=x onerror="window.ran = 1"&gt; as every fisher on the coast knows.</p>
<p>&lt;/article&gt;&lt;script&gt;window.ran = 1&lt;/script&gt; Eels swim to the Sargasso Sea, says the warden.</p>
<p><a href="javascript:window.ran = 1">Eels of the river Ansel swim to the Sargasso Sea</a> in great numbers.</p>
<iframe src="javascript:1"></iframe></article></body></html>"""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8; x=\xff\r\nX-Eel: \xfe\r\nConnection: close\r\n"


@contextmanager
def hostile() -> Iterator[str]:
    """Its address, on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=_answer, args=(server,), daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/eels"


def _answer(server: socket.socket) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:  # closed
            return
        with connection:
            connection.recv(65_536)
            connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(PAGE) + PAGE)
