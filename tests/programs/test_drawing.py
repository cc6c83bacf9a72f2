"""What is drawn, whatever the format."""

from tests.programs.formats.written import hostile


def test_no_text_breaks_a_line() -> None:
    assert hostile("a\n\n b\r\n\tc\u2028d") == hostile("a b c d")
