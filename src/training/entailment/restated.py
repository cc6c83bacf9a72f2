"""Templates of sentences that repeat a claim without proof, as in posts, flyers and speeches.

The entailment model learns from them that such a sentence alone proves nothing, and that a page contradicts a claim
which it quotes in order to correct it.
"""

from random import Random

_ALONE = (
    "A post that is being shared widely says: {claim}",
    "{claim} Share this before it is taken down!",
    "{claim} That is what everyone here is saying.",
    'A user wrote: "{claim}"',
    "Have you heard? {claim}",
    "Many people on social media claim the following. {claim}",
    'The flyer reads: "{claim}"',
    "In a video that went around, a man says: {claim}",
    "{claim} I was told so by a friend of a friend.",
    "According to a message in a group chat: {claim}",
    "The campaign repeated its message on Monday: {claim}",
    "It has been alleged that the following is true: {claim}",
    '"{claim}" Comments: 214. Likes: 1,873.',
    "We say it again: {claim} Join us on Saturday!",
    "The rumor is an old one: {claim}",
    "Critics of the plan keep asking whether this is so: {claim}",
)
_BEFORE = (
    "A post says: {claim}",
    'Readers asked us about this sentence: "{claim}"',
    "It is often said that: {claim}",
    '"{claim}", a message in a group chat claims.',
    "Claim: {claim}",
)


def restated(claim: str, draw: Random) -> str:
    """Return a sentence that repeats the claim without proof."""
    return draw.choice(_ALONE).format(claim=_with_stop(claim))


def quoted_before(claim: str, evidence: str, draw: Random) -> str:
    """Return the evidence with a sentence before it that quotes the claim."""
    return f"{draw.choice(_BEFORE).format(claim=_with_stop(claim))} {evidence}"


def _with_stop(claim: str) -> str:
    text = claim.strip()
    return text if text.endswith((".", "!", "?", '"')) else f"{text}."
