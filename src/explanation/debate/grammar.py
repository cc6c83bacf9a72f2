"""What feedback and judge are held to where the engine can: JSON whose quotes are phrases of a sentence of the draft.

A small model then misquotes nothing and its lists are whole. It compares before it lists, as its prompt says: asked for
the list at once, qwen2.5-coder-0.5b finds none of the errors of any draft.
"""

from pathlib import Path

import msgspec

from src.text import sentences

TRUE_OR_FALSE = 'root ::= "True" | "False"\n'
_FEEDBACK = Path(__file__).with_name("feedback.gbnf")


def feedback_grammar(draft: str, *, counted: bool = False) -> str:
    """Return it in GBNF; empty where the draft has no word to quote. `counted`: the errors are counted first.

    Each word has a rule, by which a phrase may go on in its sentence: the grammar grows with the draft.
    """
    each = [one.split() for one in sentences(draft) if any(map(str.isalnum, one))]
    if not each:
        return ""
    words = [(word, place + 1 < len(said)) for said in each for place, word in enumerate(said)]
    rules = [
        f"w{at} ::= {_literal(word)}" + (f' (" " w{at + 1})?' if goes_on else "")
        for at, (word, goes_on) in enumerate(words)
    ]
    count = 'count ::= ", \\"count\\": " [0-9]+' if counted else 'count ::= ""'
    quote = "quote ::= " + " | ".join(f"w{at}" for at, (word, _) in enumerate(words) if any(map(str.isalnum, word)))
    return "\n".join([_FEEDBACK.read_text(encoding="utf-8"), count, quote, *rules, ""])


def _literal(word: str) -> str:
    """Return the inside of the JSON string as a literal of GBNF."""
    json = msgspec.json.encode(word).decode()[1:-1]
    return '"{}"'.format(json.replace("\\", "\\\\").replace('"', '\\"'))
