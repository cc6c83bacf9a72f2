"""Limits that cannot be kept are refused before anything is fetched."""

import pytest

from src.errors import InputError
from src.retrieval.web.limits import Limits


@pytest.mark.parametrize("name", ["Two\nlines", "Tab\t1", "Prüfer/1.0", "", " ", "nul\0"])
def test_a_user_agent_that_no_request_can_carry(name: str) -> None:
    with pytest.raises(InputError, match="--user_agent must be printable ASCII, not '") as raised:
        Limits(user_agent=name)
    assert "\n" not in str(raised.value)


def test_a_usual_one() -> None:
    assert Limits(user_agent="Mozilla/5.0 (X11; Linux) x~").user_agent
