"""One wording for a package that is needed and not installed."""

from importlib.util import find_spec

from src.errors import MissingExtra


def require(package: str, user: str) -> None:
    """Raises MissingExtra when `package` (named alike on the index) cannot be imported. `user` is who needs it."""
    if find_spec(package) is None:
        raise MissingExtra(f"{user} needs the package {package}; run: pip install {package}")
