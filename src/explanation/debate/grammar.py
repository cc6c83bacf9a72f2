"""Grammars for feedback and judge, where the engine supports them: quotes are phrases of a sentence of the draft.

With a grammar, a small model misquotes nothing and its lists are complete. It writes a comparison before the list, as
the prompt asks: without it, qwen2.5-coder-0.5b finds no error in any draft.
"""

from pathlib import Path

import msgspec

from src.text import sentences

TRUE_OR_FALSE = 'root ::= "True" | "False"\n'
_FEEDBACK = Path(__file__).with_name("feedback.gbnf")


def feedback_grammar(draft: str, *, counted: bool = False) -> str:
    """Return the grammar in GBNF; empty if the draft has no word to quote. `counted`: the errors are counted first.

    Each word has a rule that may continue with the next word of its sentence. The grammar grows with the draft.
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
    """Return the word as a GBNF literal of the inside of a JSON string."""
    json = msgspec.json.encode(word).decode()[1:-1]
    return '"{}"'.format(json.replace("\\", "\\\\").replace('"', '\\"'))
