"""Web application that serves explanations to rate."""

from collections.abc import Sequence
from pathlib import Path

from starlette.types import ASGIApp

from src.annotating.app import app as annotating
from src.explanation.annotation.rating_service import RatingService, Sent

PAGE = Path(__file__).parent / "page"


def app(service: RatingService, hosts: Sequence[str]) -> ASGIApp:
    """Return the application; `hosts` are the host names, without port, that requests may name."""
    return annotating(service, Sent, PAGE, hosts)
