"""The address that pages are served on."""

import socket
from ipaddress import ip_address

from src.errors import InputError
from src.runner.console import say_error

LAST_PORT = 65535


def bound(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 means any free port. Raises InputError when the port cannot be used."""
    if port > LAST_PORT:
        raise InputError(f"--port {port}: the last one is {LAST_PORT}")
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise InputError(
            f"--host {host} --port {port}: {error.strerror or error}; --port 0 finds one that is free"
        ) from None


def check_address(host: str, address: str, what_others_can: str) -> None:
    """Warn if other machines can reach the address of `host`.

    Raises InputError for an address of all interfaces, such as 0.0.0.0.
    """
    found = ip_address(address)
    if found.is_unspecified:
        raise InputError(f"--host {host}: name the one address that browsers are to ask, such as 127.0.0.1")
    if not found.is_loopback:
        say_error(f"--host {host}: there is no password; whoever reaches this address can {what_others_can}")
