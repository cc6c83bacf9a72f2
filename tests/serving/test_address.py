"""Which addresses pages are served on, and what is said of them."""

import pytest

from src.errors import InputError
from src.serving.run import check_address


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1"])
def test_an_address_of_this_machine_alone_needs_no_warning(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_address("here", address, "rate")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("address", ["192.168.0.7", "2001:db8::7", "fe80::7%eth0"])
def test_an_address_that_others_reach_is_warned_of_in_one_line(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check_address("desk.example", address, "rate")
    told = capsys.readouterr()
    assert told.err.startswith("--host desk.example: there is no password; whoever reaches this address can rate")
    assert (told.out, told.err.count("\n")) == ("", 1)


@pytest.mark.parametrize("address", ["0.0.0.0", "::"])
def test_every_address_at_once_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="--host anywhere: name the one address that browsers are to ask"):
        check_address("anywhere", address, "rate")
