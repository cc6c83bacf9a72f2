"""Check of one claim from end to end, with the steps' functions: from URLs to verdict, evidence and justification.

    from src.check import Asked, Sources, check_claim
    checked = check_claim(Asked("Eels swim to Sargasso.", Sources(urls=("https://eels.example/",)), date="1-2-2024"))
    checked.prediction.pred_label, checked.decisive.smallest

Models are looked up from the project's root, as the steps do, and loaded on first use.
"""

from src.check.models import Models
from src.check.records import (
    Asked,
    CheckedClaim,
    Decisive,
    Reliance,
    Road,
    Sources,
    Stage,
    Told,
    Without,
)
from src.check.run import check_claim
from src.check.scraping import Scraping
from src.reranking.select import Select

__all__ = [
    "Asked",
    "CheckedClaim",
    "Decisive",
    "Models",
    "Reliance",
    "Road",
    "Scraping",
    "Select",
    "Sources",
    "Stage",
    "Told",
    "Without",
    "check_claim",
]
