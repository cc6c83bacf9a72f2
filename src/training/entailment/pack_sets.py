"""The sets of the pack that a published model may learn from, with their numbers of rows and licenses.

Only sets with a stated license that allows derived work are listed. If the pack's copy is a mirror, the license is the
one that the set's authors state: SNLI CC BY-SA 4.0, MultiNLI OANC/CC BY 3.0/CC BY-SA 3.0/MIT by genre, FEVER and BoolQ
CC BY-SA 3.0. The numbers favor short rows and diverse sets, because a CPU reads about 700 tokens a second.
"""

from typing import NamedTuple


class PackSet(NamedTuple):
    """The use of a set.

    At most `most` rows are drawn. `other_evidence` is the share of them that get another claim's evidence and become
    neutral, for sets with few or no neutral rows.
    """

    most: int
    license: str
    other_evidence: float = 0.0


SETS = {
    "mnli": PackSet(12_000, "OANC, CC BY 3.0, CC BY-SA 3.0, MIT"),
    "anli": PackSet(3_700, "CC BY-NC 4.0"),
    "snli": PackSet(2_500, "CC BY-SA 4.0"),
    "cad_snli": PackSet(3_500, "Apache-2.0"),
    "fever_dev": PackSet(7_000, "CC BY-SA 3.0", other_evidence=0.25),
    "fever_symmetric": PackSet(708, "CC BY-SA 3.0", other_evidence=0.1),
    "fm2": PackSet(1_200, "Apache-2.0", other_evidence=0.15),
    "check_covid": PackSet(1_300, "MIT"),
    "scifact": PackSet(500, "CC BY 4.0"),
    "liar_plus": PackSet(900, "CC0 1.0", other_evidence=0.2),
    "infotabs": PackSet(1_600, "Apache-2.0"),
    "strategyqa": PackSet(1_000, "MIT", other_evidence=0.2),
    "boolq": PackSet(800, "CC BY-SA 3.0", other_evidence=0.2),
    "conjnli": PackSet(1_500, "MIT"),
    "scitail": PackSet(1_000, "Apache-2.0"),
    "scone": PackSet(1_200, "CC0 1.0"),
    "help": PackSet(800, "CC BY-SA 4.0"),
    "tracie": PackSet(800, "Apache-2.0"),
    "citation_integrity": PackSet(200, "MIT"),
}
