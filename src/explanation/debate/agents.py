"""Agents of all methods: their requests, the grammars of their replies, and the parsers of their replies.

A debater replies with a list of remarks as JSON, a judge with True or False, a refiner with a text. A reply that cannot
be parsed gives None; nothing is guessed.

If the engine supports grammars, every quote is forced to be a phrase of a sentence of the draft. A small model then
cannot misquote, and its lists are complete. It writes a comparison before the list, as the prompt asks: without it,
qwen2.5-coder-0.5b finds no error in any draft.

Limitations: JSON is searched anywhere in a debater's reply, because models put prose and code fences around it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from src.explanation.labels import clause
from src.explanation.pieces import Piece
from src.explanation.records import ExplainedClaim, Remark
from src.explanation.typology import error_type
from src.explanation.writer import LENGTHS, listed
from src.llm.protocol import Request
from src.prompts import load
from src.store import storable
from src.text import sentences


def remarks_as_json(remarks: Sequence[Remark]) -> str:
    """Return the remarks as JSON, in the form that prompts request from debaters."""
    items = [
        {"quote": one.quote, "type": one.type.value if one.type else "", "reason": one.reason, "fix": one.fix}
        for one in remarks
    ]
    return msgspec.json.encode({"errors": items}).decode()


def remarks_in_words(remarks: Sequence[Remark]) -> str:
    """Return the remarks as text, one per line, for the refiner; given JSON, a small model repeats it."""
    return "\n".join(
        f'- "{one.quote}"{f" ({one.type.full_name})" if one.type else ""}: {one.reason} Mend it so: {one.fix}'
        for one in remarks
    )


TRUE_OR_FALSE = 'root ::= "True" | "False"\n'
_FEEDBACK = Path(__file__).with_name("feedback.gbnf")


def feedback_grammar(draft: str, *, counted: bool = False) -> str:
    """Return the GBNF grammar of a debater's feedback on the draft; empty if the draft has no word to quote.

    Each word of the draft has a rule that may continue with the next word of its sentence, so that the grammar grows
    with the draft. With `counted`, the feedback begins with the number of errors; by default it does not.
    """
    split_sentences = [one.split() for one in sentences(draft) if any(map(str.isalnum, one))]
    if not split_sentences:
        return ""
    words = [(word, place + 1 < len(sentence)) for sentence in split_sentences for place, word in enumerate(sentence)]
    rules = [
        f"w{at} ::= {_literal(word)}" + (f' (" " w{at + 1})?' if goes_on else "")
        for at, (word, goes_on) in enumerate(words)
    ]
    count = 'count ::= ", \\"count\\": " [0-9]+' if counted else 'count ::= ""'
    quote = "quote ::= " + " | ".join(f"w{at}" for at, (word, _) in enumerate(words) if any(map(str.isalnum, word)))
    return "\n".join([_FEEDBACK.read_text(encoding="utf-8"), count, quote, *rules, ""])


def _literal(word: str) -> str:
    """Return the word as a GBNF literal, escaped as inside a JSON string."""
    json = msgspec.json.encode(word).decode()[1:-1]
    return '"{}"'.format(json.replace("\\", "\\\\").replace('"', '\\"'))


OPENERS = 50  # most braces and brackets in a reply that may begin something other than JSON
_OPENER = re.compile(r"[\[{]")
_VERDICT = re.compile(r"\b(true|yes|false|no)\b", re.IGNORECASE)
_MARKUP = " \t\r\n\"'`*_#>-\u201c\u201d\u2018\u2019"
_CUT_LIST = re.compile(r'"errors"\s*:\s*\[')
_PLACEHOLDERS = {("words of the explanation", "what to do"), ("...", "...")}  # quote and fix of the prompts' forms
_QUOTES = ('"', "\u201c", "\u201d")
_JSON = re.compile(r"\{|\[\s*[\[{\"]|\[\s*\]")
_HEAD = re.compile(
    r"^[\s*_#]*(?:verdict[\s*_]*:[^.:]{1,60}?)?(?:here(?:\s+is|'s)\s+)?(?:the\s+|your\s+)?"
    r"(?:whole\s+)?(?:revised|corrected|new|refined|mended)?\s*explanation(?:\s+of\s+the\s+verdict)?[\s*_]*:[\s*_#]*",
    re.IGNORECASE,
)  # includes the lines of the prompt that small models repeat
_MENDING = "Mend it so:"  # is in every line of feedback that the refiner is shown


class Feedback(NamedTuple):
    """Parsed feedback of a debater.

    `remarks`: the errors that the debater names in the draft.
    `dropped`: number of errors that were left out because they have no quote from the draft.
    """

    remarks: list[Remark]
    dropped: int


class _Item(NamedTuple):
    quote: str
    type: str
    reason: str
    fix: str


def read_feedback(text: str, draft: str, *, published: bool = False) -> Feedback | None:
    """Return the parsed feedback of a debater; None if the reply cannot be parsed.

    The last JSON object of the form `{"errors": [...]}` is parsed, or the whole reply if it is a JSON list of errors.
    If the list was cut off, its complete errors are used. None is also returned if the reply only repeats the form in
    the prompt, or has text that cannot be stored in a file. By default, errors whose quote is not in the draft are left
    out and counted, and of identical errors only the first is kept. With `published`, all errors with a quote are kept.
    """
    items = _items(text)
    if items is None:
        items = _of_cut_list(text)
    if items is None or (items and all(map(_is_form, items))):
        return None
    words = "".join(part for item in items if item is not None for part in item)
    if storable(words) != words:
        return None
    remarks, dropped = [], 0
    for item in items:
        quote = _quote_in(item.quote, draft) if item is not None else None
        if published and item is not None and quote is None:
            quote = " ".join(item.quote.split())
        if item is None or quote is None:
            dropped += 1
        else:
            remarks.append(Remark(quote, error_type(item.type), item.reason.strip(), item.fix.strip()))
    return Feedback(remarks if published else list(dict.fromkeys(remarks)), dropped)


def read_judgment(text: str) -> bool | None:
    """Return True if the judge replies that the debaters agree; None unless it is a plain True, Yes, False or No."""
    plain = text.strip(_MARKUP)
    match = _VERDICT.match(plain)
    if match is None or len({one.lower() in ("true", "yes") for one in _VERDICT.findall(plain)}) > 1:
        return None
    return match[1].lower() in ("true", "yes")


def read_revision(text: str, *, published: bool = False) -> str:
    """Return the refiner's text in one line, without heading, code fences or quotation marks around it.

    By default, the text is empty if the reply is JSON or repeats the feedback; with `published`, any reply is accepted.
    """
    plain = " ".join(re.sub(r"```\w*", " ", text).split())
    if not published and (_JSON.match(plain) or _MENDING in plain):
        return ""
    plain = _HEAD.sub("", plain).strip()
    inside = plain[1:-1]
    is_quoted = plain[:1] in _QUOTES and plain[-1:] in _QUOTES and not set(inside) & set(_QUOTES)
    return inside.strip() if plain and is_quoted else plain


def _quote_in(quote: str, draft: str) -> str | None:
    """Return the quote without surrounding quotation marks; None if the draft does not contain it."""
    plain = " ".join(quote.split()).strip('"\u201c\u201d')
    return plain if plain and plain in " ".join(draft.split()) else None


def _items(text: str) -> list[_Item | None] | None:
    """Return the errors in the last JSON object with a list `errors`, or in a reply that is a JSON list; None if the
    reply has neither.

    An entry of the list that has no quote gives None.
    """
    plain = re.sub(r"```\w*", " ", text).strip()
    lists = [one["errors"] for one in _values(plain) if isinstance(one, dict) and isinstance(one.get("errors"), list)]
    items: Any = lists[-1] if lists else None
    if items is None and plain.startswith("["):
        items = next((value for value in _values(plain) if isinstance(value, list)), None)
        if (not items and "".join(plain.split()) != "[]") or not all(isinstance(one, dict) for one in items or ()):
            return None
    if items is None or (items and not any(isinstance(one, dict) for one in items)):
        return None
    return [_item_of(one) for one in items]


def _of_cut_list(text: str) -> list[_Item | None] | None:
    """Return the complete errors of a list `errors` that was cut off; None if there are none."""
    match = _CUT_LIST.search(text)
    if match is None:
        return None
    complete = [value for value in _values(text[match.end() :]) if isinstance(value, dict)]
    return [_item_of(one) for one in complete] or None


def _is_form(item: _Item | None) -> bool:
    return item is not None and (item.quote.strip(), item.fix.strip()) in _PLACEHOLDERS


def _values(text: str) -> Iterator[Any]:
    """Yield the outermost JSON objects and lists in the text."""
    decoder, at, failed = json.JSONDecoder(), 0, 0
    while failed < OPENERS:
        match = _OPENER.search(text, at)
        if match is None:
            return
        try:
            value, at = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at, failed = match.end(), failed + 1
        else:
            yield value


def _item_of(value: Any) -> _Item | None:
    if not isinstance(value, dict) or not isinstance(value.get("quote"), str):
        return None
    return _Item(value["quote"], *(str(value.get(name) or "") for name in ("type", "reason", "fix")))


Parsed = TypeVar("Parsed")
_FEEDBACK_TOKENS, _JUDGE_TOKENS, _TEXT_TOKENS, _PUBLISHED_TOKENS = 1024, 8, 192, 768  # new tokens
_TOKENS_PER_WORD = 3  # new tokens for each word of a long draft


class Agent(StrEnum):
    """An agent; the value is its role in requests and scripted replies.

    MADR uses the first four agents, the method `debate` the first two.
    """

    DEBATER_1 = "debater_1"
    DEBATER_2 = "debater_2"
    JUDGE = "judge"
    REFINER = "refiner"
    SELF_REFINE_FEEDBACK = "self_refine_feedback"
    SELF_REFINE = "self_refine"
    SELF_CORRECT = "self_correct"


class Brief(msgspec.Struct, frozen=True):
    """Input of a debate.

    `claim`: the claim with its label.
    `read`: pieces of evidence that the agents read.
    `draft`: the explanation that is debated.
    `typology`: which agents see the nine types of errors: `both` (all agents), `debater_1` or `none`.
    `grammar`: True if grammars restrict feedback and judgment to their form, where the engine supports grammars.
    `published`: True to follow the papers, without this project's additions.
    """

    claim: ExplainedClaim
    read: Sequence[Piece]
    draft: str
    typology: str = "both"
    grammar: bool = True
    published: bool = False

    def on(self, text: str) -> "Brief":
        """Return a copy of the brief with another text as draft."""
        return msgspec.structs.replace(self, draft=text)


class Question(NamedTuple, Generic[Parsed]):
    """A request to an agent, with the parser of its reply.

    `request`: the request.
    `read`: parser of the reply; returns None for an unreadable one.
    `again`: name of the prompt that is added when the request is repeated after an unreadable reply.
    """

    request: Request
    read: Callable[[str], Parsed | None]
    again: str

    def repeated(self) -> Request:
        prompt = f"{self.request.prompt}\n{load(self.again).template}"
        return msgspec.structs.replace(self.request, prompt=prompt)


def first_feedback(agent: Agent, brief: Brief) -> Question[Feedback]:
    """Return the first request for feedback: to a debater of MADR, or to Self-Refine's agent on its own text."""
    return _feedback(agent, brief, agent if agent is Agent.SELF_REFINE_FEEDBACK else f"madr_{agent}")


def next_feedback(agent: Agent, brief: Brief, own: Sequence[Remark], other: Sequence[Remark]) -> Question[Feedback]:
    return _feedback(agent, brief, "madr_cross", own=remarks_as_json(own), other=remarks_as_json(other))


def judgment(first: Sequence[Remark], second: Sequence[Remark], *, grammar: bool = True) -> Question[bool]:
    """Return the request to the judge, who sees only the feedback of both debaters."""
    prompt = load("madr_judge").substitute(first=remarks_as_json(first), second=remarks_as_json(second))
    held = TRUE_OR_FALSE if grammar else ""
    request = Request(prompt, chat=True, max_new_tokens=_JUDGE_TOKENS, role=Agent.JUDGE, grammar=held)
    return Question(request, read_judgment, "madr_judge_again")


def refinement(brief: Brief, remarks: Sequence[Remark], agent: Agent = Agent.REFINER) -> Question[str]:
    return _text(agent, brief, "madr_refiner", feedback=remarks_in_words(remarks) or "(none)")


def correction(brief: Brief) -> Question[str]:
    """Return the request to an agent to review and rewrite its own text in one step (self-correction)."""
    return _text(Agent.SELF_CORRECT, brief, "self_correct", types=_types(Agent.SELF_CORRECT, brief))


def own_text(agent: Agent, brief: Brief) -> Question[str]:
    """Return the request to an agent to write an explanation without seeing the draft."""
    return _text(agent, brief, "debate_own")


def answer_to(agent: Agent, brief: Brief, other: str) -> Question[str]:
    """Return the request to an agent to rewrite its text (the draft of `brief`), given the other agent's text."""
    return _text(agent, brief, "debate_exchange", other=other)


def _types(agent: Agent, brief: Brief) -> str:
    shown = brief.typology == "both" or (brief.typology == "debater_1" and agent is Agent.DEBATER_1)
    return load("madr_typology").template if shown else ""


def _feedback(agent: Agent, brief: Brief, prompt: str, **more: str) -> Question[Feedback]:
    request = _ask(agent, brief, prompt, _FEEDBACK_TOKENS, types=_types(agent, brief), **more)
    held = ""
    if brief.grammar:
        held = feedback_grammar(brief.draft, counted=agent is Agent.SELF_REFINE_FEEDBACK)
    return Question(
        msgspec.structs.replace(request, grammar=held),
        lambda text: read_feedback(text, brief.draft, published=brief.published),
        "feedback_again",
    )


def _text(agent: Agent, brief: Brief, prompt: str, **more: str) -> Question[str]:
    new_tokens = max(
        _PUBLISHED_TOKENS if brief.published else _TEXT_TOKENS, _TOKENS_PER_WORD * len(brief.draft.split())
    )
    return Question(
        _ask(agent, brief, prompt, new_tokens, **more),
        lambda text: read_revision(text, published=brief.published) or None,
        "text_again",
    )


def _ask(agent: Agent, brief: Brief, prompt: str, new_tokens: int, **more: str) -> Request:
    values: Mapping[str, str] = {
        "length": LENGTHS[brief.published],
        "evidence": listed(brief.read), "claim": " ".join(brief.claim.claim.split()), "label": brief.claim.label,
        "draft": brief.draft, "conclusion": clause(brief.claim.label), **more,
    }  # fmt: skip
    head, _, _ = (text := load(prompt).substitute(values)).partition("\n\nClaim:")
    return Request(
        text, chat=True, system=load("explanation_system").template, max_new_tokens=new_tokens, role=agent,
        shared=len(head),
    )  # fmt: skip
