"""Words and clauses that are planted, of two lists that share none: models learn from one, the other measures checks.

Neither is the list of a check. Clauses with `{}` take a word of the verdict they state.
"""

from typing import NamedTuple


class WordLists(NamedTuple):
    """`modifiers` stand before a noun. `events` end a sentence, in place of its full stop. `narrow` gives for a word
    that limits a sentence one that does not; `before` and `behind` are put at its ends where there is no such word.
    `closings` state a verdict: `true`, `false` and `open` are the words for each side. `opposites` go both ways.
    """

    modifiers: tuple[str, ...]
    events: tuple[str, ...]
    narrow: dict[str, str]
    before: tuple[str, ...]
    behind: tuple[str, ...]
    closings: tuple[str, ...]
    true: tuple[str, ...]
    false: tuple[str, ...]
    open: tuple[str, ...]
    opposites: tuple[tuple[str, str], ...]


_TO_LEARN = """
secret famous anonymous wealthy angry reluctant notorious elderly foreign disputed hasty lucrative fragile
corrupt generous rural sudden unpopular experienced ambitious careless powerful obscure loyal bitter costly
outdated illegal private enormous tiny brilliant forged leaked rival dangerous respected young abandoned
religious military commercial tragic joyful noisy crowded frozen hidden stolen imported
"""
_TO_MEASURE = """
mysterious controversial retired bankrupt celebrated suspicious luxurious cheerful lonely unlicensed ancient
prestigious unnamed violent stubborn colourful fraudulent exhausted aristocratic remote handmade charismatic
radioactive fashionable clumsy heroic bilingual underpaid nervous haunted glamorous rusty patriotic wounded
eccentric counterfeit modest restless sleepy transparent
"""


TRAIN = WordLists(
    modifiers=tuple(_TO_LEARN.split()),
    events=(
        ", and its author was later arrested", ", after which the minister resigned",
        ", and a judge dismissed the complaint", ", which caused protests in several towns",
        ", and the company paid a fine", ", although the report was later withdrawn",
        ", and parliament voted on it the following week", ", while the police searched the building",
        ", and the family moved abroad", ", after a colleague leaked the documents",
        ", and the newspaper apologised to its readers", ", which delayed the opening by months",
        ", and investors sold their shares", ", before the website was hacked",
        ", and two witnesses changed their story", ", so the school closed for a week",
        ", and the band cancelled its tour", ", while doctors went on strike",
        ", and the bank froze the accounts", ", after the mayor won a bet",
    ),
    narrow={
        "some": "all", "many": "all", "several": "all", "most": "all", "few": "all", "often": "always",
        "sometimes": "always", "usually": "always", "may": "always", "can": "always", "partly": "entirely",
        "mainly": "exclusively", "probably": "certainly", "rarely": "never",
    },
    before=(
        "In every case, ", "Without exception, ", "It is certain that ", "As everybody knows, ", "At all times, ",
        "For everyone everywhere, ", "Nobody doubts that ", "It is proven beyond doubt that ",
    ),
    behind=(
        ", and this always holds", ", in all countries", ", which is true of everyone", ", and there are no exceptions",
        ", and nobody has ever said otherwise", ", and it can never be different", ", for all people at all times",
        ", as it always has been",
    ),
    closings=(
        "Therefore the claim is {}.", "So the claim is {}.", "This shows that the claim is {}.", "The claim is {}.",
        "Hence the statement is {}.", "This means the claim is {}.", "As such, the claim is {}.",
    ),
    true=("true", "supported", "correct", "accurate"),
    false=("false", "refuted", "incorrect", "untrue"),
    open=("misleading", "half true"),
    opposites=(
        ("rose", "fell"), ("increased", "decreased"), ("won", "lost"), ("before", "after"), ("more", "less"),
        ("higher", "lower"), ("accepted", "rejected"), ("approved", "refused"), ("legal", "illegal"),
        ("supported", "opposed"), ("began", "ended"), ("bought", "sold"), ("inside", "outside"), ("first", "last"),
        ("older", "younger"), ("above", "below"), ("real", "fake"), ("confirmed", "denied"), ("possible", "impossible"),
        ("safe", "unsafe"), ("largest", "smallest"), ("highest", "lowest"), ("allowed", "forbidden"),
        ("with", "without"),
    ),
)  # fmt: skip

TEST = WordLists(
    modifiers=tuple(_TO_MEASURE.split()),
    events=(
        ", and the organisers were taken to court", ", after which the chairman stepped down",
        ", and an appeal was filed in the autumn", ", which triggered a boycott by customers",
        ", and a settlement was reached in private", ", although the footage was deleted afterwards",
        ", and the senate opened an inquiry", ", while firefighters evacuated the offices",
        ", and her brother inherited the estate", ", after an employee tipped off reporters",
        ", and the editor was dismissed", ", which postponed the ceremony until spring",
        ", and lenders demanded their money back", ", before the servers crashed",
        ", and a neighbour filmed the quarrel", ", so the factory shut down",
        ", and the team boycotted the final", ", while nurses held a vigil",
        ", and the insurer refused to pay", ", after the captain sank the ship",
    ),
    narrow={
        "some": "every single", "many": "100% of", "several": "each and every", "most": "every last one of",
        "few": "all of", "often": "without fail", "sometimes": "on every occasion", "usually": "invariably",
        "may": "inevitably", "can": "inevitably", "partly": "completely", "mainly": "purely", "probably": "undeniably",
        "rarely": "at no time",
    },
    before=(
        "In all circumstances, ", "Across the board, ", "It is beyond question that ", "Universally, ",
        "Under any conditions, ", "The whole world agrees that ", "No one on earth disputes that ", "Invariably, ",
    ),
    behind=(
        ", and this applies to absolutely everyone", ", everywhere in the world",
        ", as is the case for each and every one",
        ", and that goes for any person anywhere", ", and not a single source disagrees", ", today and for ever",
        ", under all circumstances", ", and so it will be in any future case",
    ),
    closings=(
        "Thus, this claim turns out to be {}.", "Consequently, the statement is {}.", "This makes the claim {}.",
        "It follows that the claim is {}.", "The evidence proves the claim {}.", "In conclusion, the claim is {}.",
        "For these reasons the statement must be considered {}.",
    ),
    true=("factual", "right", "true", "verified", "well supported"),
    false=("wrong", "fabricated", "false", "disproved", "a hoax"),
    open=("only partly true", "missing context"),
    opposites=(
        ("grew", "shrank"), ("gained", "forfeited"), ("earlier", "later"), ("better", "worse"), ("succeeded", "failed"),
        ("agreed", "disagreed"), ("public", "private"), ("started", "stopped"), ("north", "south"), ("hired", "fired"),
        ("strong", "weak"), ("major", "minor"), ("male", "female"), ("true", "untrue"), ("positive", "negative"),
        ("up", "down"), ("all", "none"), ("same", "different"), ("common", "rare"), ("included", "excluded"),
        ("raised", "cut"), ("good", "bad"), ("new", "old"), ("least", "most"),
    ),
)  # fmt: skip

LISTS = {"train": TRAIN, "test": TEST}
