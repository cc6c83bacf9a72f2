"""The figures of Kim et al. 2024 ("Can LLMs Produce Faithful Explanations For Fact-checking?"), Tables 2 to 4.

But: the heads of Table 2's columns are lost in the published text; their order here is the one that fits what the paper
says of them.
"""

from typing import NamedTuple

from src.explanation.scoring.judge_records import Protocol

PROTOCOLS = (Protocol.DOCUMENT, Protocol.DOCUMENT_TYPOLOGY, Protocol.SENTENCE, Protocol.SENTENCE_TYPOLOGY)
EXPLANATIONS = 20  # that people judged


class Human(NamedTuple):
    """Per cent of explanations without any error, and errors, on 20 claims of PolitiHop."""

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
AUTHOR_KAPPA = 0.69  # of annotators with an author
TAU = (0.008, 0.128, 0.105, 0.150)
