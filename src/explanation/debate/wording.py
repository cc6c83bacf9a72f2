"""Remarks as agents are shown them: as JSON, or in words."""

from collections.abc import Sequence

import msgspec

from src.explanation.debate.records import Remark


def written(remarks: Sequence[Remark]) -> str:
    """Return the remarks as JSON, the form in which feedback is requested."""
    items = [
        {"quote": one.quote, "type": one.type.value if one.type else "", "reason": one.reason, "fix": one.fix}
        for one in remarks
    ]
    return msgspec.json.encode({"errors": items}).decode()


def in_words(remarks: Sequence[Remark]) -> str:
    """Return a line per remark, for the refiner: a small model that is given JSON repeats it instead of writing
    a text.
    """
    return "\n".join(
        f'- "{one.quote}"{f" ({one.type.full_name})" if one.type else ""}: {one.reason} Mend it so: {one.fix}'
        for one in remarks
    )
