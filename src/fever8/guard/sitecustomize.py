"""Guard of a trial: Python imports this module at its start if its folder is in PYTHONPATH.

Every connection to another machine and every lookup of a host's name is written to the file that FEVER8_ATTEMPTS names,
a line each, and fails. Loopback addresses are allowed, and so is connecting a datagram socket, which sends nothing.

Limitations: programs other than Python are not seen.
"""

import os
import re
import sys

DATAGRAM = 2  # socket.SOCK_DGRAM; the module socket is not imported here
LOOPBACK = ("localhost", "::", "::1", "0.0.0.0")
LOOPBACK_IPV4 = re.compile(r"(::ffff:)?127(\.\d+){3}")


def _host(event: str, arguments: tuple[object, ...]) -> str:
    """Return the host that an audit event is about; "" if it is about none, or about this machine."""
    address: object = ""
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        address = arguments[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg") and isinstance(arguments[1], tuple):
        is_datagram = getattr(arguments[0], "type", None) == DATAGRAM
        address = "" if event == "socket.connect" and is_datagram else arguments[1][0]
    host = address.decode("utf-8", "replace") if isinstance(address, bytes) else str(address or "")
    is_here = host in (*LOOPBACK, os.uname().nodename) or LOOPBACK_IPV4.fullmatch(host)
    return "" if is_here else host


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if not event.startswith("socket."):
        return
    if host := _host(event, arguments):
        descriptor = os.open(os.environ["FEVER8_ATTEMPTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        os.write(descriptor, f"{host}\n".encode())
        os.close(descriptor)
        raise OSError(101, f"no network in this trial: {host}")


if "FEVER8_ATTEMPTS" in os.environ:
    sys.addaudithook(_watch)
