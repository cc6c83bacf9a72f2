"""Check for an optional package, with one error message for all users."""

from importlib.util import find_spec

from src.errors import MissingExtra


def require(package: str, user: str) -> None:
    """Raise MissingExtra if `package` (of the same name on the index) is not installed. `user` is what needs it."""
    if find_spec(package) is None:
        raise MissingExtra(f"{user} needs the package {package}; run: pip install {package}")
