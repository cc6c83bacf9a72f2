"""Server that runs an application on an address of this machine until it is stopped."""

import logging
import re
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import closing
from ipaddress import ip_address
from threading import current_thread, main_thread

import uvicorn
from starlette.types import ASGIApp
from uvicorn.server import HANDLED_SIGNALS

from src.errors import InputError
from src.runner.console import say, say_error
from src.serving.connections import BoundedProtocol, RepeatedLineFilter, most_connections
from src.serving.headers import for_hosts, with_headers
from src.serving.health import healthy
from src.serving.password import VARIABLE, own_password, password_of, protected

LAST_PORT = 65535
OWN_NAMES = {"localhost", "127.0.0.1", "::1", "[::1]"}
LOGGERS = ("uvicorn.error", "asyncio")
_LABEL = "[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?"
_HOST = re.compile(rf"{_LABEL}(\.{_LABEL})*|::1|\[[0-9a-f:.]+\]", re.IGNORECASE | re.ASCII)
GRACE = 1  # seconds for open responses when the server is stopped


def serve(
    app: ASGIApp, host: str, port: int, message: str, what_others_can: str,
    on_stop: Callable[[], None] = lambda: None, names: Sequence[str] = (), path: str = "/",
) -> None:  # fmt: skip
    """Serve the application, made safe by `secured`, until it is stopped; print its URL first, then the line `message`.

    `port`: 0 means any free port.
    `what_others_can`: what the page allows, such as "rate"; for a warning if other machines can reach the address. They
        need a password, which is printed.
    `on_stop`: called before the server waits for open responses.
    `names`: further names by which browsers call the server, without port, as behind a proxy or in a container; with
        them, `host` may be an address of all interfaces.
    `path`: the path in the printed URL.

    Raises InputError when the address cannot be used, or a name is no host name.
    """
    check_names(names)
    with closing(bound_socket(host, port)) as listening:
        address = listening.getsockname()
        is_reached = check_address(host, address[0], what_others_can, names)
        password = password_of(is_needed=is_reached)
        hosts = accepted_hosts(host, names)
        say(f"http://{hosts[0]}:{address[1]}{path}")
        say(message)
        if password:
            shown = f"that of {VARIABLE}" if own_password() else password
            say(f"password: {shown} (any user name)")
        settings = uvicorn.Config(
            secured(app, hosts, password), log_config=None, access_log=False, lifespan="on", ws="none",
            proxy_headers=False, server_header=False, timeout_graceful_shutdown=GRACE,
            loop="asyncio", http=BoundedProtocol, backlog=most_connections(),
        )  # fmt: skip
        for logger in map(logging.getLogger, LOGGERS):
            logger.addFilter(RepeatedLineFilter())
        _Server(settings, on_stop).run([listening])


def accepted_hosts(host: str, names: Sequence[str] = ()) -> list[str]:
    """Return the accepted values of the Host header, without port, of a server on the address `host`."""
    return [f"[{host}]" if ":" in host else host, "localhost", *names]


def secured(app: ASGIApp, hosts: Sequence[str], password: str) -> ASGIApp:
    """Return the application for `hosts` behind the password, with a health check and with headers on all responses.

    The Host is checked before the password. The health check is outside of both, because containers ask for it by
    127.0.0.1.
    """
    return with_headers(healthy(for_hosts(protected(app, password), hosts)))


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on host and port; port 0 means any free port. Raises InputError when the address
    cannot be used.
    """
    if port > LAST_PORT:
        raise InputError(f"--port {port}: the last one is {LAST_PORT}")
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InputError(
            f"--host {host} --port {port}: {error.strerror or error}; --port 0 finds one that is free"
        ) from None


def check_names(names: Sequence[str]) -> None:
    """Raise InputError unless all names are host names or IP addresses, without port."""
    for name in names:
        if not _HOST.fullmatch(name):
            raise InputError(f"--names {name!r} is no host name, such as facts.example, or [::1]; no port, no *")


def check_address(host: str, address: str, what_others_can: str, names: Sequence[str] = ()) -> bool:
    """Return True if other machines can reach the IP address `address`, to which the name `host` was resolved.

    So they can if browsers call the server by other `names` than those of this machine, as through a proxy.

    A warning is then printed on stderr.

    `what_others_can`: what the page allows, such as "rate"; for the warning.

    Raises InputError for an address of all interfaces, such as 0.0.0.0, without `names`.
    """
    ip = ip_address(address)
    if ip.is_unspecified and not names:
        raise InputError(f"--host {host}: name the one address that browsers are to ask, such as 127.0.0.1")
    is_reached = not ip.is_loopback or bool(set(names) - OWN_NAMES)
    if is_reached:
        say_error(
            f"--host {host}: whoever has the password can {what_others_can}; over plain http it can be read on the way"
        )
    return is_reached


class _Server(uvicorn.Server):
    """Server of uvicorn that keeps its signal handlers and calls `on_stop` when it begins to stop."""

    def __init__(self, config: uvicorn.Config, on_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_stop = on_stop

    async def on_tick(self, counter: int) -> bool:
        """Set the signal handlers again, ten times a second, because llama.cpp replaces them when it starts."""
        if current_thread() is main_thread():
            for one in HANDLED_SIGNALS:
                signal.signal(one, self.handle_exit)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_stop()
        await super().shutdown(sockets)
