"""The page on an address of this machine, until it is stopped."""

import socket
from contextlib import closing
from ipaddress import ip_address

import uvicorn

from src.errors import InputError
from src.explanation.annotation.app import app
from src.explanation.annotation.desk import Desk
from src.runner.console import say, say_error

LAST_PORT = 65535


def serve(desk: Desk, host: str, port: int, told: str) -> None:
    """Says its address first, then what it is `told`; `port` 0 takes any that is free. Raises InputError."""
    with closing(_bound(host, port)) as bound:
        check_address(host, bound.getsockname()[0])
        name = f"[{host}]" if ":" in host else host
        say(f"http://{name}:{bound.getsockname()[1]}/")
        say(told)
        settings = uvicorn.Config(
            app(desk, [name, "localhost"]), log_config=None, access_log=False, lifespan="off", ws="none",
            proxy_headers=False, server_header=False, timeout_graceful_shutdown=1,
        )  # fmt: skip
        uvicorn.Server(settings).run([bound])


def check_address(host: str, address: str) -> None:
    """Warns where other machines reach the address that `host` stands for. Raises InputError where it is every one."""
    found = ip_address(address)
    if found.is_unspecified:
        raise InputError(f"--host {host}: name the one address that browsers are to ask, such as 127.0.0.1")
    if not found.is_loopback:
        say_error(f"--host {host}: there is no password; whoever reaches this address can rate, under any name")


def _bound(host: str, port: int) -> socket.socket:
    if port > LAST_PORT:
        raise InputError(f"--port {port}: the last one is {LAST_PORT}")
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InputError(
            f"--host {host} --port {port}: {error.strerror or error}; --port 0 finds one that is free"
        ) from None
