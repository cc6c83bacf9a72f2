"""Settings of providers from the environment, keys and addresses, checked before use."""

import os
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from src.errors import InputError


def variable(provider: str, name: str) -> str:
    """Return a key or another setting. Raises InputError that names the variable to set."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise InputError(unset(provider, [name]))
    if not (value.isascii() and value.isprintable()):
        raise InputError(f"{name} holds characters that cannot be sent")
    return value


def unset(provider: str, names: Iterable[str]) -> str:
    """Return which of these variables are not set, and how to set them; "" when all are set."""
    missing = [name for name in names if not os.environ.get(name, "").strip()]
    if not missing:
        return ""
    are, them = ("is", "it") if len(missing) == 1 else ("are", "them")
    exports = " ".join(f"{name}=..." for name in missing)
    return f"{' and '.join(missing)} {are} not set; the provider {provider} needs {them}: export {exports}"


def base_url(text: str, source: str) -> str:
    """Return an address without its final slash. Raises InputError for other text; `source` names its origin there."""
    if not re.fullmatch(r"https?://[^\s/]\S*", text):
        raise InputError(f"{source}: {text!r} is no address; it must begin with http:// or https://")
    return text.rstrip("/")


def server_of(url: str) -> str:
    """Return scheme, host and port alone: user, password and parameters may be secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
