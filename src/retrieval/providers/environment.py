"""What a provider reads from the environment, keys and addresses, checked before they are used."""

import os
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from src.errors import InputError


def variable(provider: str, name: str) -> str:
    """A key or another setting. Raises InputError that says which variable to set."""
    value = os.environ.get(name, "").strip()
    if not value:
        raise InputError(unset(provider, [name]))
    if not (value.isascii() and value.isprintable()):
        raise InputError(f"{name} holds characters that cannot be sent")
    return value


def unset(provider: str, names: Iterable[str]) -> str:
    """Which of these variables are not set, and how to set them; "" when all are."""
    missing = [name for name in names if not os.environ.get(name, "").strip()]
    if not missing:
        return ""
    are, them = ("is", "it") if len(missing) == 1 else ("are", "them")
    exports = " ".join(f"{name}=..." for name in missing)
    return f"{' and '.join(missing)} {are} not set; the provider {provider} needs {them}: export {exports}"


def base_url(text: str, source: str) -> str:
    """An address without its final slash. Raises InputError, where `source` says whose address it is."""
    if not re.fullmatch(r"https?://[^\s/]\S*", text):
        raise InputError(f"{source}: {text!r} is no address; it must begin with http:// or https://")
    return text.rstrip("/")


def server_of(url: str) -> str:
    """Scheme, host and port alone: user, password and parameters may be secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
