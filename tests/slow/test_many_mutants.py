"""The tests of `tests/programs/test_mutants.py` with fifty times as many mutants."""

import pytest

from tests.programs.test_mutants import audit_hook, run_mutants

__all__ = ["audit_hook"]


@pytest.mark.parametrize("seed", range(1, 11))
def test_ten_thousand_mutants(seed: int) -> None:
    assert run_mutants(10_000, seed) == 10_000
