"""Detection of pages that only repeat a claim: a post, a flyer, the speaker's own words.

A passage repeats the claim if one of its sentences is a mere assertion:
- It has most of the claim's words and denies no more than the claim.
- It mentions no proof: a report, a measurement, a record, a figure that the claim does not have.
- A marker shows that it is an assertion: a social network, an appeal to share, hearsay, the claim's own speaker who
  says it, or the speaker's own site.

Words that are markers (`rumor`, `share this`) count in the sentence itself. In the sentence before or after it they
count only if that sentence says nothing else. Words of the claim, names (`World Economic Forum`) and page furniture
(`Comments (3)`, `Posted on Monday`) are no markers. A claim that names its speaker may be about what they said or did;
their words are then evidence like any others.

A passage that states the claim once more, with proof or as news, is no repetition. A page that quotes the claim to
correct it in other words repeats it; the entailment model decides if it corrects the claim.

An allegation without proof repeats the claim, no matter who makes it. It does not if the claim itself is that something
is alleged. What somebody believes repeats the claim, too (`six percent believe that …`), whatever else the sentence
says, unless experts or authorities believe it (`scientists believe that …`).

Limitations: English; lexical only. A repetition in other words is not detected. A true report without a word for proof
counts as an assertion if its sentence has a marker in lower case (`the council posted a notice`).
"""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from src.canonical_url import site
from src.reranking.hybrid.own_words import own_words
from src.reranking.hybrid.retrieval import denies
from src.stance.records import Passage
from src.text import sentences

COVERED = 0.7  # smallest share of the claim's words in a sentence that repeats it
_MARKERS = re.compile(
    r"\b(share this|spread the word|pass it on|likes\W{0,3}\d[\d.,]*|[\d.,]+ likes|followers|retweet\w*|hashtag|viral"
    r"|post(ed|s)?|forum|(message in a )?group chat|message group|flyer|leaflet|poster|petition|rumou?rs?|gossip"
    r"|hearsay|apparently|supposedly"
    r"|everyone (knows|says|is saying)|people (say|are saying)|i (was told|heard)|have you heard|wake up"
    r"|believe (me|us)|trust (me|us)|we say|we all know|you know it|alleg\w+|is said to|it is claimed"
    r"|claims? that|claimed|order now|buy now|visit our|our (customers|shop|store|product)|sign up|join us|vote for)\b",
    re.IGNORECASE,
)
_SHOUTS = re.compile(r"!\W*$")
_INSIDE = re.compile(r"!(?=\s+[a-z])")  # in a name, such as `Yahoo! opened`: no sentence ends there
_DAY = r"(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|jan|feb|mar|apr|may|june?\b|july?\b|aug|sep|oct|nov|dec)"
_FURNITURE = re.compile(
    rf"\bposted (?:by\b|(?:on |in |at )?(?={_DAY}))|\b(?:share this (?:article|story|page)|sign up (?:for|to))\b"
    r"|\b(?:share this|join us) on (?:facebook|twitter|x|instagram|telegram|whatsapp)\b"
    r"|\bcomments?\W{0,3}\d[\d.,]*\)?|\d[\d.,]* comments?\b,?",
    re.IGNORECASE,
)
_SHORT = 1  # most other words of an appeal or a source: `share this with everyone`
_PROOF = re.compile(
    r"\b(according to (the|a|an) \w+ (office|ministry|department|agency|register|report|figures|survey)"
    r"|stud(y|ies)|survey\w*|report(ed|s)? (that|by|on)|statistics|measured|measurements?|records?|minutes of|register"
    r"|accounts|laborator(y|ies)|tested|samples?|results|court|ruled|judgment|census|inspect\w+|audit\w*|documents?"
    r"|spokes(man|woman|person)|confirmed|researchers?|trial|experiment\w*|voted)\b",
    re.IGNORECASE,
)
_HELD = re.compile(r"\b(?:believ(?:es?|ed|ing)|insist(?:s|ed)?)\b[^,.;:]{0,30}?\bthat\b")
_KNOWS = re.compile(
    r"\b(?:astronomers?|court|doctors?|economists?|engineers?|experts?|historians?|investigators?|judges?|physicians?"
    r"|police|prosecutors?|researchers?|scientists?)\b",
    re.IGNORECASE,
)
_SAYS = (
    r"(?:sa(?:id|ys|ying)|t(?:old|ells)|wr(?:ote|ites)|claim(?:ed|s)|announce[sd]|tweet(?:ed|s)|insist(?:ed|s)|declare[sd]"
    r"|promise[sd]|repeat(?:ed|s)|state[sd]|argue[sd]|spoke|speaks|speech|boast(?:ed|s)|vow(?:ed|s))"
)
_NEAR = 80  # most characters between the speaker's name and the verb of saying
_SHORTEST_SITE = 5  # fewest letters of a site's name that is compared with the speaker's
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_SOCIAL = re.compile(
    r"(^|\.)((facebook|fb|twitter|x|instagram|tiktok|reddit|whatsapp|threads|vk|weibo|youtube|truthsocial|linkedin"
    r"|quora|tumblr|pinterest|snapchat|parler|gab|gettr|discord)\.com|(facebook|fb|t|telegram|wa)\.me|t\.co|bsky\.app"
    r"|discord\.gg|vk\.ru"
    r"|(telegram|4chan)\.org|threads\.net|youtu\.be|[\w-]+\.social)$"
    r"|(^|[.-])(chat|forums?|posts|messages?|message-?board|gossip|flyers?)\.|(^|\.)social\.\w+$",
    re.IGNORECASE,
)


def repeats(claim: str, passage: Passage) -> bool:
    """Return True if the passage only repeats the claim.

    Some sentence must state the claim again without proof (see `repetitions`). The result is False if another sentence
    has most of the claim's words and is no such repetition: it gives proof, adds information, or denies the claim.
    Questions do not count.
    """
    texts, known = sentences(_unfurnished(passage.text)), set(own_words(claim))
    repeated = repetitions(claim, texts, passage.url, passage.speaker)
    others = [one for one, is_repetition in zip(texts, repeated, strict=True) if not is_repetition]
    return any(repeated) and not any(_covers(one, known) and not one.rstrip().endswith("?") for one in others)


def repetitions(claim: str, texts: Sequence[str], url: str = "", speaker: str = "") -> list[bool]:
    """Return for each sentence of a page (`texts`) True if it states the claim again without proof.

    `url`: URL of the page; empty if unknown.
    `speaker`: the person who made the claim; empty if unknown.
    """
    known = set(own_words(claim))
    texts = [_unfurnished(one) for one in texts]
    markers, is_asserted = _markers_of(speaker, claim, texts), is_social(url) or _is_own_site(url, speaker, claim)
    return [
        _is_only_held(one, claim)
        or (
            _covers(one, known)
            and (denies(claim) or not denies(one))
            and not _PROOF.search(one)
            and not _has_new_figures(claim, one)
            and (is_asserted or _is_framed(place, texts, claim, markers))
        )
        for place, one in enumerate(texts)
    ]


def _is_only_held(sentence: str, claim: str) -> bool:
    """Return True if the sentence says that somebody believes what the claim says: `Berg believes that …`."""
    if not (held := _HELD.search(sentence)) or _HELD.search(claim) or _KNOWS.search(sentence[: held.start()]):
        return False
    said = sentence[held.end() :]
    return (
        _covers(said, set(own_words(claim))) and denies(sentence) == denies(claim) and not _has_new_figures(claim, said)
    )


def _covers(sentence: str, known: set[str]) -> bool:
    """Return True if the sentence has most of the claim's content words, which are `known`."""
    return bool(known) and len(known & set(own_words(sentence))) >= COVERED * len(known)


def _unfurnished(text: str) -> str:
    """Return the text without page furniture (`Comments (3)`) and without exclamation marks inside names."""
    return _INSIDE.sub("", _FURNITURE.sub(" ", text))


def _is_framed(place: int, texts: Sequence[str], claim: str, markers: re.Pattern[str]) -> bool:
    """Return True if the sentence at index `place` is an assertion.

    It has a marker, or a neighboring sentence has one and says nothing else.
    """
    one = texts[place]
    if _has_marker(one, claim, markers) or ("!" not in claim and _SHOUTS.search(one)):
        return True
    beside = (*texts[max(0, place - 1) : place], *texts[place + 1 : place + 2])
    known = set(own_words(claim))
    return any(
        _has_marker(other, claim, markers)
        and not _covers(other, known)  # such a sentence is an assertion of its own
        and len(set(own_words(markers.sub(" ", other))) - known) <= _SHORT
        for other in beside
    )


def _has_marker(sentence: str, claim: str, markers: re.Pattern[str]) -> bool:
    """Return True if the sentence has a marker that is neither a word of the claim nor part of a name."""
    known = set(own_words(claim))
    return any(
        not (known.issuperset(own_words(hit[0])) or _is_in_name(hit, sentence)) for hit in markers.finditer(sentence)
    )


def _markers_of(speaker: str, claim: str, texts: Sequence[str]) -> re.Pattern[str]:
    """Return the pattern of markers. It includes the speaker's name next to a verb of saying, or before a colon.

    If the passage names the speaker, `he` or `she` next to a verb of saying counts as the speaker.
    """
    if not (name := _name_of(speaker, claim)):
        return _MARKERS
    if any(re.search(rf"\b{name}\b", one, re.IGNORECASE) for one in texts):
        name = rf"(?:{name}|he|she)"
    near = rf"\b[^.!?]{{0,{_NEAR}}}?\b"
    own = rf"\b{name}{near}{_SAYS}\b|\b{_SAYS}{near}{name}\b|\b{name}\W{{0,2}}:"
    return re.compile(f"{_MARKERS.pattern}|{own}", re.IGNORECASE)


def _is_own_site(url: str, speaker: str, claim: str) -> bool:
    """Return True if the site belongs to the speaker: its name is the speaker's name, or part of it."""
    if not _name_of(speaker, claim) or not (host := site(url)):
        return False
    name, own = host.partition(".")[0].replace("-", ""), "".join(re.findall(r"\w+", speaker.casefold()))
    return len(name) >= _SHORTEST_SITE and (name in own or (len(own) >= _SHORTEST_SITE and own in name))


def _name_of(speaker: str, claim: str) -> str:
    """Return a pattern for the last word of the speaker's name.

    The result is empty without a speaker, or if the claim has that word.
    """
    *_, last = ("", *re.findall(r"\w{3,}", speaker))
    return "" if last.casefold() in re.findall(r"\w+", claim.casefold()) else re.escape(last)


def _is_in_name(hit: re.Match[str], sentence: str) -> bool:
    """Return True if the matched word is probably part of a name: a single capitalized word after another word."""
    return hit[0].isalpha() and hit[0].istitle() and sentence[: hit.start()].rstrip()[-1:].isalpha()


def is_social(url: str) -> bool:
    """Return True if the URL is on a site where users post: a known host name, or an account such as `/@someone`."""
    try:
        parts = urlsplit(url)
        return _SOCIAL.search(parts.hostname or "") is not None or "/@" in parts.path
    except ValueError:
        return False


def _has_new_figures(claim: str, passage: str) -> bool:
    """Return True if the passage has figures that the claim lacks, apart from counts of likes and comments."""
    known = set(_NUMBER.findall(claim))
    plain = re.sub(
        r"\b(comments?|likes?|shares?)\W{0,3}[\d.,]+|[\d.,]+ (comments?|likes?|shares?)\b", "", passage, flags=re.I
    )
    return bool(set(_NUMBER.findall(plain)) - known)
