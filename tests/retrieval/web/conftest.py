"""The fault server, one for all tests of a module."""

from collections.abc import Iterator

import pytest

from tests.retrieval.web.fault_server import FaultServer


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running
