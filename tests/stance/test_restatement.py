"""A page that only says a claim again is told from one that proves or corrects it."""

import pytest

from src.stance.restatement import is_social, repeats

CLAIM = "The council will close the swimming pool in Ansel."


@pytest.mark.parametrize(
    ("passage", "url"),
    [
        ("The council will close the swimming pool in Ansel! Share this with everyone.", ""),
        ("Have you heard? They will close the swimming pool in Ansel, the council that is.", ""),
        ("The council will close the swimming pool in Ansel.", "https://www.facebook.com/groups/ansel"),
        ("The council will close the swimming pool in Ansel. 214 comments, 30 likes.", "https://ansel.example/"),
        ("It is claimed that the council will close the swimming pool in Ansel.", ""),
        (
            "Look at our pool. The council will close the swimming pool in Ansel. You need no report for that.",
            "https://tidings.example/@swimmers/3",
        ),
        ("A post says that the council will close the swimming pool in Ansel. Minutes say otherwise.", ""),
    ],
)
def test_a_repetition(passage: str, url: str) -> None:
    assert repeats(CLAIM, passage, url)


@pytest.mark.parametrize(
    "passage",
    [
        "The council will close the swimming pool in Ansel, according to the minutes of its meeting.",
        "It is claimed that the council will not close the swimming pool in Ansel.",
        "The council will close the swimming pool in Ansel after 41 years! Share this.",
        "The council will close the swimming pool in Ansel.",
        "Share this: the library of Ansel will close!",
        "",
    ],
)
def test_what_is_more_than_a_repetition(passage: str) -> None:
    assert not repeats(CLAIM, passage, "https://news.example/")


def test_a_claim_without_words_repeats_nothing() -> None:
    assert not repeats("?!", "Anything at all! Share this.")


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("https://www.facebook.com/x", True),
        ("https://x.com/someone", True),
        ("https://forum.town.example/7", True),
        ("https://box.com/x", False),
        ("https://news.example/facebook.com", False),
        ("http://[", False),
    ],
)
def test_hosts_where_people_post(url: str, known: bool) -> None:
    assert is_social(url) is known
