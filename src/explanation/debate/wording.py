"""Remarks as agents are shown them: as the JSON that debaters write, or in words."""

from collections.abc import Sequence

import msgspec

from src.explanation.debate.records import Remark


def written(remarks: Sequence[Remark]) -> str:
    """As JSON, which is how feedback is asked for."""
    items = [
        {"quote": one.quote, "type": one.type.value if one.type else "", "reason": one.reason, "fix": one.fix}
        for one in remarks
    ]
    return msgspec.json.encode({"errors": items}).decode()


def in_words(remarks: Sequence[Remark]) -> str:
    """A line each, for the refiner, who must not answer with the list: a small model repeats JSON that it is given."""
    return "\n".join(
        f'- "{one.quote}"{f" ({one.type.full_name})" if one.type else ""}: {one.reason} Mend it so: {one.fix}'
        for one in remarks
    )
