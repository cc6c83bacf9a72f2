"""Pages that only repeat a claim are distinguished from pages that prove or correct it."""

import pytest

from src.stance.records import Passage
from src.stance.restatement import is_social, repeats, repetitions
from src.training.entailment import examples as restated

CLAIM = "The council will close the swimming pool in Ansel."
TEMPLATES = (*restated._ALONE, *restated._BEFORE)
MISSED = {  # known limits: nothing in them is a word of talk
    "{claim} That is what everyone here is saying.",
    'A user wrote: "{claim}"',
    "Many people on social media claim the following. {claim}",
    "In a video that went around, a man says: {claim}",
    "The campaign repeated its message on Monday: {claim}",
    "Critics of the plan keep asking whether this is so: {claim}",
    'Readers asked us about this sentence: "{claim}"',
    "It is often said that: {claim}",
    "Claim: {claim}",
}


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
        ("Many in Ansel believe that the council will close the swimming pool in Ansel.", ""),
        ("A 2020 survey: 6 % believe firmly that the council will close the swimming pool in Ansel.", ""),
        ("Posted on Facebook: the council will close the swimming pool in Ansel.", ""),
        ("The council will close the swimming pool in Ansel. Join us on Saturday.", ""),
    ],
)
def test_a_repetition(passage: str, url: str) -> None:
    assert repeats(CLAIM, Passage(passage, url))


@pytest.mark.parametrize(
    "passage",
    [
        "The council will close the swimming pool in Ansel, according to the minutes of its meeting.",
        "It is claimed that the council will not close the swimming pool in Ansel.",
        "The council will close the swimming pool in Ansel after 41 years! Share this.",
        "Experts believe that the council will close the swimming pool in Ansel.",
        "Nobody believes that the council will close the swimming pool in Ansel.",
        "Many believe that the council will close the swimming pool in Ansel in 2027.",
        "The council will close the swimming pool in Ansel.",
        "Share this: the library of Ansel will close!",
        "A post says that the council will close the swimming pool in Ansel. The minutes say so, too: the council will "
        "close the pool in Ansel.",
        "It is claimed that the council will close the swimming pool in Ansel. The council will not close the swimming "
        "pool in Ansel.",
        "",
    ],
)
def test_what_is_more_than_a_repetition(passage: str) -> None:
    assert not repeats(CLAIM, Passage(passage, "https://news.example/"))


@pytest.mark.parametrize("template", [one for one in TEMPLATES if one not in MISSED])
def test_posts_flyers_and_speakers_of_the_training_templates(template: str) -> None:
    assert repeats(CLAIM, Passage(template.format(claim=CLAIM), "https://news.example/"))


def test_the_missed_templates_are_templates() -> None:
    assert set(TEMPLATES) >= MISSED


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        (
            "Greta Thunberg spoke at the World Economic Forum in Davos",
            "Greta Thunberg spoke at the World Economic Forum in Davos on Tuesday.",
        ),
        ("Greta Thunberg spoke at the WEF in Davos", "Greta Thunberg spoke at the World Economic Forum in Davos."),
        ("A petition against the pool was signed in Ansel.", "In Ansel a petition against the pool was signed."),
        ("The mayor posted her tax return.", "The mayor posted her tax return on Tuesday."),
        ("A viral video shows eels in Ansel.", "The viral video shows eels in Ansel, at the old mill."),
        ("Yahoo! closed its office in Ansel.", "Yahoo! closed its office in Ansel on Tuesday."),
        ("Yahoo closed its office in Ansel.", "On Tuesday Yahoo! closed its office in Ansel."),
        (CLAIM, f"{CLAIM} Comments (3)"),
        (CLAIM, f"Comments (3)\n{CLAIM}"),
        (CLAIM, f"Posted on Monday by Ann Lee. {CLAIM} Share this article."),
        (CLAIM, f"{CLAIM} In Vell, meanwhile, young people opened a forum."),
        (CLAIM, f"{CLAIM} The library stays open. Share this with everyone!"),
    ],
)
def test_a_report_beside_markers_is_no_repetition(claim: str, passage: str) -> None:
    assert not repeats(claim, Passage(passage, "https://news.example/"))


def test_a_claim_without_words_repeats_nothing() -> None:
    assert not repeats("?!", Passage("Anything at all! Share this."))


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("https://www.facebook.com/x", True),
        ("https://x.com/someone", True),
        ("https://forum.town.example/7", True),
        ("https://t.co/abc", True),
        ("https://bsky.app/profile/someone/post/3k", True),
        ("https://www.linkedin.com/posts/someone", True),
        ("https://boards.4chan.org/x/thread/7", True),
        ("https://mastodon.social/@someone/7", True),
        ("https://village-gossip.example/7", True),
        ("https://www.post-gazette.com/news/7", False),
        ("https://www.post.ch/en", False),
        ("https://www.jakarta-post.example/7", False),
        ("https://www.social-security.example/", False),
        ("https://social.desa.un.org/issues", False),
        ("https://m.social.example/7", True),
        ("https://box.com/x", False),
        ("https://news.example/facebook.com", False),
        ("http://[", False),
    ],
)
def test_hosts_where_people_post(url: str, known: bool) -> None:
    assert is_social(url) is known


def test_which_sentences_of_a_page_repeat_the_claim() -> None:
    page = ["Posted on Monday.", CLAIM, "The pool opened in 1980.", f"It is claimed that {CLAIM[0].lower()}{CLAIM[1:]}"]
    assert repetitions(CLAIM, page) == [False, False, False, True]
    assert repetitions("", page) == [False] * 4
