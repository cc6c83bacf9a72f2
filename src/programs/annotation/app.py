"""Web application that serves wrong predictions for annotation."""

from collections.abc import Sequence
from pathlib import Path

from starlette.types import ASGIApp

from src.annotating.app import app as annotating
from src.programs.annotation.class_service import ClassService, Sent

PAGE = Path(__file__).parent / "page"


def app(service: ClassService, hosts: Sequence[str]) -> ASGIApp:
    """Return the application; `hosts` are the names, without port, that browsers may use."""
    return annotating(service, Sent, PAGE, hosts)
