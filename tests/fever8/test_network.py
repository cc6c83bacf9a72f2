"""Commands without a network: what they cannot reach, what is recorded, and what stays allowed."""

import subprocess
import sys
from pathlib import Path

import pytest

from src.fever8 import network
from src.fever8.network import Blocking, attempted, blocking, guarded, offline

ADDRESS = "192.0.2.1"  # of a network for documentation: never another machine
REACH = f"import socket\nsocket.create_connection(('{ADDRESS}', 9), timeout=2)"
LOOK_UP = "import socket\ntry:\n socket.getaddrinfo('example.invalid', 80)\nexcept OSError:\n pass"
LOCAL = """
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname(), timeout=2).close()
socket.getaddrinfo("localhost", 80)
socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"", ("::ffff:127.0.0.1", 9))
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect_ex(("192.0.2.1", 80))
"""


def run(code: str, attempts: Path, how: Blocking) -> subprocess.CompletedProcess[str]:
    command = offline([sys.executable, "-c", code], how)
    return subprocess.run(command, env=guarded(attempts), capture_output=True, text=True, check=False)


@pytest.fixture(params=list(Blocking))
def how(request: pytest.FixtureRequest) -> Blocking:
    if request.param is Blocking.NAMESPACE and blocking() is not Blocking.NAMESPACE:
        pytest.skip("this machine makes no network namespace")
    return Blocking(request.param)


def test_attempts_fail_and_are_recorded(tmp_path: Path, how: Blocking) -> None:
    attempts = tmp_path / "attempts"
    assert run(REACH, attempts, how).returncode == 1
    assert run(LOOK_UP, attempts, how).returncode == 0  # an attempt that is survived is one, too
    assert attempted(attempts) == [ADDRESS, "example.invalid"]


@pytest.mark.parametrize("host", ["127.example.invalid", "localhost.example.invalid"])
def test_a_name_that_looks_like_this_machine_is_another(tmp_path: Path, host: str) -> None:
    code = f"import socket\ntry:\n socket.getaddrinfo('{host}', 80)\nexcept OSError:\n pass"
    assert run(code, tmp_path / "attempts", Blocking.GUARD).returncode == 0
    assert attempted(tmp_path / "attempts") == [host]


@pytest.mark.parametrize("call", ["sendto(b'', ADDRESS)", "sendmsg([b''], [], 0, ADDRESS)"])
def test_a_datagram_is_an_attempt(tmp_path: Path, call: str) -> None:
    code = f"import socket\nADDRESS = ('{ADDRESS}', 9)\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).{call}"
    assert run(code, tmp_path / "attempts", Blocking.GUARD).returncode == 1
    assert attempted(tmp_path / "attempts") == [ADDRESS]


def test_this_machine_is_no_network(tmp_path: Path, how: Blocking) -> None:
    done = run(LOCAL, tmp_path / "attempts", how)
    assert (done.returncode, done.stderr) == (0, "")
    assert attempted(tmp_path / "attempts") == []


def test_a_namespace_blocks_all_programs(tmp_path: Path) -> None:
    if blocking() is not Blocking.NAMESPACE:
        pytest.skip("this machine makes no network namespace")
    done = subprocess.run(
        offline(["bash", "-c", f"exec 3<>/dev/udp/{ADDRESS}/9"], Blocking.NAMESPACE), capture_output=True, check=False
    )
    assert done.returncode != 0


def test_without_namespaces_there_is_the_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "UNSHARE", ("false",))
    assert blocking() is Blocking.GUARD
    monkeypatch.setattr(network, "UNSHARE", ("no-such-program",))
    assert blocking() is Blocking.GUARD
    assert offline(["true"], Blocking.GUARD) == ["true"]
