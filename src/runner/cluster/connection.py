"""Connection of this process, the driver, to a Ray cluster."""

import logging
import socket
import sys

from src.errors import InputError, NetworkError, one_line
from src.runner.cluster.ray_api import RayError, ray
from src.runner.cluster.waiting import waiting

LOCAL, AUTO = "local", "auto"
PATIENCE = 20.0  # seconds to reach the head
RESULTS_MEMORY = 256 * 1024 * 1024  # bytes of shared memory of a cluster on this machine; results are small

_dashboard = ""


def connect(address: str, *, quiet: bool) -> str:
    """Connect this process to a cluster, unless it is connected. Return the dashboard's address as text for the user.

    `address`: HOST:PORT of the head, `auto` (the cluster of this machine) or `local` (a new one on this machine).

    Raises InputError for another address, NetworkError when no cluster answers.
    """
    global _dashboard
    _name_main()
    if not ray.is_initialized():
        if address not in (LOCAL, AUTO):
            _reach(address)
        memory = RESULTS_MEMORY if address == LOCAL else None
        try:
            with waiting(f"Ray to {'start' if address == LOCAL else 'answer'}", quiet=quiet):
                context = ray.init(
                    address, log_to_driver=False, logging_level=logging.ERROR, object_store_memory=memory
                )
        except (ConnectionError, RuntimeError, ValueError, TimeoutError, RayError) as error:
            raise _unreached(address, one_line(str(error))[:200]) from None
        _dashboard = f"; dashboard http://{context.dashboard_url}" if context.dashboard_url else ""
    return _dashboard


def _reach(address: str) -> None:
    """Connect to the cluster's head and hang up; Ray itself would wait for minutes where nobody answers.

    Raises InputError for an address that is not HOST:PORT, NetworkError when nobody answers.
    """
    if "://" in address:
        advice = "give HOST:PORT on a machine of the cluster, or: ray job submit -- python -m STEP …"
        raise InputError(f"--ray {address}: the Ray Client is not made for long runs; {advice}")
    host, _, port = address.rpartition(":")
    if not (host and port.isdecimal()):
        raise InputError(f"--ray {address}: is none of {AUTO}, {LOCAL}, HOST:PORT")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, OverflowError) as error:
        raise _unreached(address, str(error)) from None


def _unreached(address: str, reason: str) -> NetworkError:
    advice = f"start one with: ray start --head (--ray {LOCAL} for a try); RAY_AUTH_MODE=token if it asks for a token"
    return NetworkError(f"--ray {address}: no Ray cluster answers ({reason}); {advice}")


def _name_main() -> None:
    """Give the classes and functions of the main module the module's own name.

    `python -m src.x` runs the module as `__main__`, under which no worker would find them.
    """
    main = sys.modules["__main__"]
    if (spec := getattr(main, "__spec__", None)) is None:
        return
    sys.modules.setdefault(spec.name, main)
    for one in vars(main).values():
        if hasattr(one, "__qualname__") and one.__module__ == "__main__":
            one.__module__ = spec.name
