"""Settings of search providers from environment variables: API keys and base URLs, checked before use."""

import os
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from src.errors import InputError


def variable(provider: str, name: str) -> str:
    """Return the value of an environment variable, such as an API key of `provider`.

    Raises InputError when it is not set, or has characters that cannot be sent; the message names the variable.
    """
    value = os.environ.get(name, "").strip()
    if not value:
        raise InputError(unset(provider, [name]))
    if not (value.isascii() and value.isprintable()):
        raise InputError(f"{name} holds characters that cannot be sent")
    return value


def unset(provider: str, names: Iterable[str]) -> str:
    """Return a message that names the environment variables in `names` that are not set; "" if all are set."""
    missing = [name for name in names if not os.environ.get(name, "").strip()]
    if not missing:
        return ""
    are, them = ("is", "it") if len(missing) == 1 else ("are", "them")
    exports = " ".join(f"{name}=..." for name in missing)
    return f"{' and '.join(missing)} {are} not set; the provider {provider} needs {them}: export {exports}"


def base_url(text: str, source: str) -> str:
    """Return the base URL of a server, without final slashes.

    Raises InputError unless `text` begins with http:// or https://. `source` says in the message where it comes from.
    """
    try:
        is_address = bool(re.fullmatch(r"https?://\S+", text) and urlsplit(text).hostname) and urlsplit(text).port != 0
    except ValueError:  # brackets or characters that no host has, a port that is no number
        is_address = False
    if not is_address:
        raise InputError(f"{source}: {text!r} is no address, such as http://localhost:8888")
    return text.rstrip("/")


def server_of(url: str) -> str:
    """Return scheme, host and port of a URL. User, password and parameters are dropped, since they may be secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
