"""The application that serves wrong predictions to class."""

from collections.abc import Sequence
from pathlib import Path

from starlette.types import ASGIApp

from src.annotating.app import app as annotating
from src.programs.annotation.desk import Desk, Sent

PAGE = Path(__file__).parent / "page"


def app(desk: Desk, hosts: Sequence[str]) -> ASGIApp:
    """Return the application; `hosts` are the names, without port, under which browsers may ask."""
    return annotating(desk, Sent, PAGE, hosts)
