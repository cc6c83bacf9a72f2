"""Names of annotators."""

import re
import unicodedata

from src.errors import InputError


def annotator_name(text: str) -> str:
    """Return the name with single spaces. Raises InputError for a name with other characters or of another length."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not re.fullmatch(r"\w[\w .'-]{0,39}", name):
        message = "a name has 1 to 40 letters, digits, spaces and . ' - _, of which a letter or digit stands first"
        raise InputError(message, field="annotator")
    return name
