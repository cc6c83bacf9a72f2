"""The loopback interface of a new network namespace, in which all interfaces are off."""

import fcntl
import os
import socket
import struct
from collections.abc import Sequence

SET_FLAGS, GET_FLAGS, UP = 0x8914, 0x8913, 1  # SIOCSIFFLAGS, SIOCGIFFLAGS, IFF_UP


def switch_on(name: bytes = b"lo") -> None:
    """Switch a network interface on. Raises OSError without the right to do so."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        request = struct.pack("16sh14x", name, 0)
        (flags,) = struct.unpack_from("h", fcntl.ioctl(one, GET_FLAGS, request), 16)
        fcntl.ioctl(one, SET_FLAGS, struct.pack("16sh14x", name, flags | UP))


def run(command: Sequence[str]) -> None:
    """Switch the loopback interface on, then become the command; local servers can then be reached."""
    switch_on()
    os.execvp(command[0], list(command))
