"""Detection of pages that only repeat a claim: a post, a flyer, the speaker's own words.

A passage repeats the claim when one of its sentences has most of the claim's words, denies no more than the claim and
points to no proof (a report, a measurement, a record, a figure that the claim does not have), and when something shows
that the passage is talk: a social network, an appeal to share, hearsay.

A page that quotes the claim in order to correct it repeats it, too; whether it corrects it, the entailment model says.

Limitations: English; by words alone. A repetition in other words is not seen.
"""

import re
from urllib.parse import urlsplit

from src.reranking.hybrid.denial import denies
from src.reranking.hybrid.own_words import own_words
from src.text import sentences

COVERED = 0.7  # share of the claim's words that a sentence has
_TALK = re.compile(
    r"\b(share this|spread the word|pass it on|comments?|likes|followers|retweet\w*|hashtag|viral|post(ed|s)?|forum"
    r"|group chat|message group|flyer|leaflet|poster|petition|rumou?rs?|gossip|hearsay|apparently|supposedly"
    r"|everyone (knows|says|is saying)|people (say|are saying)|i (was told|heard)|have you heard|wake up"
    r"|believe (me|us)|trust (me|us)|we say|we all know|you know it|alleg\w+|is said to|it is claimed"
    r"|claims? that|claimed|order now|buy now|visit our|our (customers|shop|store|product)|sign up|join us|vote for)\b"
    r"|!",
    re.IGNORECASE,
)
_PROOF = re.compile(
    r"\b(according to (the|a|an) \w+ (office|ministry|department|agency|register|report|figures|survey)"
    r"|stud(y|ies)|survey\w*|report(ed|s)? (that|by|on)|statistics|measured|measurements?|records?|minutes of|register"
    r"|accounts|laborator(y|ies)|tested|samples?|results|court|ruled|judgment|census|inspect\w+|audit\w*|documents?"
    r"|spokes(man|woman|person)|confirmed|researchers?|trial|experiment\w*|voted)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_SOCIAL = re.compile(
    r"(^|\.)(facebook|fb|twitter|x|instagram|tiktok|reddit|telegram|t|whatsapp|threads|vk|weibo|youtube|truthsocial)"
    r"\.(com|me|org|net|be)$|(^|[.-])(social|chat|forum|post(s|board)?|messages?|gossip|flyers?)([.-]|$)",
    re.IGNORECASE,
)


def repeats(claim: str, passage: str, url: str = "") -> bool:
    """Return True if the passage says the claim again without proof."""
    wanted = set(own_words(claim))
    if not wanted or not (_TALK.search(passage) or is_social(url)):
        return False
    return any(
        len(wanted & set(own_words(one))) >= COVERED * len(wanted)
        and (denies(claim) or not denies(one))
        and not _PROOF.search(one)
        and not _has_new_figures(claim, one)
        for one in sentences(passage)
    )


def is_social(url: str) -> bool:
    """Return True if people post there: by the host's name, or an account such as `/@someone` in the path."""
    try:
        parts = urlsplit(url)
        return _SOCIAL.search(parts.hostname or "") is not None or "/@" in parts.path
    except ValueError:
        return False


def _has_new_figures(claim: str, passage: str) -> bool:
    """Counts of likes and comments are no figures."""
    known = set(_NUMBER.findall(claim))
    plain = re.sub(
        r"\b(comments?|likes?|shares?)\W{0,3}[\d.,]+|[\d.,]+ (comments?|likes?|shares?)\b", "", passage, flags=re.I
    )
    return bool(set(_NUMBER.findall(plain)) - known)
