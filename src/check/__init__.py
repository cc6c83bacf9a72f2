"""Check of one claim from end to end, with the functions of the steps: from URLs to verdict, evidence and
justification.

    from src.check import CheckRequest, Sources, check_claim
    request = CheckRequest("Eels swim to Sargasso.", Sources(urls=("https://eels.example/",)), date="1-2-2024")
    checked = check_claim(request)
    checked.prediction.pred_label, checked.decisive.smallest

Paths of models are relative to the working directory, as in the steps. Models are loaded on first use.
"""

import warnings

from src.check.models import Models, ModelSettings
from src.check.records import (
    CheckedClaim,
    CheckRequest,
    Decisive,
    OwnDocument,
    ProgressEvent,
    Reliance,
    Sources,
    Stage,
    Strategy,
    VerdictWithout,
)
from src.check.run import check_claim
from src.check.scraping import Scraping
from src.reranking.select import Select

__all__ = [
    "CheckRequest",
    "CheckedClaim",
    "Decisive",
    "ModelSettings",
    "Models",
    "OwnDocument",
    "ProgressEvent",
    "Reliance",
    "Scraping",
    "Select",
    "Sources",
    "Stage",
    "Strategy",
    "VerdictWithout",
    "check_claim",
]

_FORMER = {"Asked": "CheckRequest", "Road": "Strategy", "Told": "ProgressEvent", "Without": "VerdictWithout"}


def __getattr__(name: str) -> object:
    """Return the class that has a former name; former names will be removed in the next release."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"src.check.{name} is called {_FORMER[name]} now", DeprecationWarning, stacklevel=2)
    return globals()[_FORMER[name]]
