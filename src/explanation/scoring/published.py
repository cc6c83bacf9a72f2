"""Published figures of Kim et al. 2024 ("Can LLMs Produce Faithful Explanations For Fact-checking?"), Tables 2 to 4.

Limitations: the column heads of Table 2 are lost in the published text; the order here is the one that fits the paper's
statements about them.
"""

from typing import NamedTuple

from src.explanation.scoring.judge_records import Protocol

PROTOCOLS = (Protocol.DOCUMENT, Protocol.DOCUMENT_TYPOLOGY, Protocol.SENTENCE, Protocol.SENTENCE_TYPOLOGY)
EXPLANATIONS = 20  # judged by people, per method


class Human(NamedTuple):
    """Percentage of explanations without any error, and number of errors, on 20 claims of PolitiHop."""

    faithful: float
    errors: int


GEVAL: dict[str, tuple[float, ...]] = {
    "Zero-shot": (4.87, 4.84, 4.70, 4.92),
    "CoT": (4.86, 4.91, 4.76, 4.96),
    "Self-Refine": (4.70, 4.86, 4.89, 4.81),
    "MADR": (4.82, 4.99, 4.88, 4.97),
}
HUMAN = {
    "Zero-shot": Human(20.0, 25),
    "CoT": Human(5.0, 42),
    "Self-Refine": Human(20.0, 32),
    "MADR": Human(30.0, 17),
}
AUTHOR_KAPPA = 0.69  # agreement of annotators with an author
TAU = (0.008, 0.128, 0.105, 0.150)
