"""What feedback and judge are held to where the engine can: JSON whose quotes are sentences of the draft.

A small model then misquotes nothing and its lists are whole. It compares before it lists, as its prompt says: asked for
the list at once, qwen2.5-coder-0.5b finds none of the errors of any draft.

But: it cannot quote less than a sentence.
"""

from pathlib import Path

import msgspec

from src.text import sentences

TRUE_OR_FALSE = 'root ::= "True" | "False"\n'
_FEEDBACK = Path(__file__).with_name("feedback.gbnf")


def feedback_grammar(draft: str) -> str:
    """In GBNF; empty where the draft has no sentence to quote."""
    quotes = dict.fromkeys(" ".join(one.split()) for one in sentences(draft) if any(map(str.isalnum, one)))
    if not quotes:
        return ""
    return f"{_FEEDBACK.read_text(encoding='utf-8')}quote ::= {' | '.join(map(_literal, quotes))}\n"


def _literal(quote: str) -> str:
    """The JSON string as a literal of GBNF."""
    json = msgspec.json.encode(quote).decode()
    return '"{}"'.format(json.replace("\\", "\\\\").replace('"', '\\"'))
