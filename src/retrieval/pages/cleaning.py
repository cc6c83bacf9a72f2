"""Cleaning of lines for the store: no control characters, nothing invisible, Unicode composed.

Tabs, form feeds and line separators within a line become spaces. Other control characters, lone surrogates, byte-order
marks, soft hyphens, zero-width spaces, marks of writing direction and tag characters are removed. They would hide words
from a search or from a reader. The rest is normalized to NFC. The joiners U+200C and U+200D stay: they change what is
read in Persian, in Indian scripts and in emoji.

Limitations: no-break spaces, ligatures and full-width letters are unchanged (NFC, not NFKC).
"""

import unicodedata
from collections.abc import Iterable

_SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x85\u2028\u2029"
_GONE = (
    (0x00, 0x1F),  # C0
    (0x7F, 0x9F),  # DEL, C1
    (0xAD, 0xAD),  # soft hyphen
    (0x200B, 0x200B),  # zero-width space
    (0x200E, 0x200F),  # left-to-right and right-to-left marks
    (0x202A, 0x202E),  # embedding and overriding of direction
    (0x2060, 0x2064),  # word joiner, invisible operators
    (0x2066, 0x206F),  # isolates, deprecated format characters
    (0xD800, 0xDFFF),  # surrogates
    (0xFEFF, 0xFEFF),  # byte-order mark
    (0xFFFE, 0xFFFF),  # no characters
    (0xE0000, 0xE007F),  # tags
)
_TABLE: dict[int, str | None] = {
    **{code: None for first, last in _GONE for code in range(first, last + 1)},
    **{ord(character): " " for character in _SPACES},
}


def clean_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines cleaned, in order; a line that is already clean is unchanged."""
    return [clean(line) for line in lines]


def clean(line: str) -> str:
    """Return the line without invisible characters, composed, and without white space that this leaves at its ends."""
    if line.isascii() and line.isprintable():
        return line
    shown = line if line.isprintable() else line.translate(_TABLE)
    composed = unicodedata.normalize("NFC", shown)
    return composed if composed == line else composed.strip()
