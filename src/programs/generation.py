"""Generation of programs by a language model with demonstrations: example claims with their programs.

A file of demonstrations holds blocks as in the prompt: a line `# The claim is that CLAIM`, then the program. Two files
are shipped in `src/programs/demonstrations`. In `multi_hop.txt`, questions lead from one thing to the next;
`clauses.txt` splits claims into their clauses.

A single program is decoded greedily; several are sampled. `Accept` has the rules by which programs are accepted:

    published   each program is kept as the model wrote it (ProgramFC, section 3.3)
    careful     at most two repairs are requested, with the faults in the prompt; a program that still cannot be
                executed, or lacks a name or number of the claim, is replaced by one that verifies the claim as a
                whole, and is marked

If the engine supports grammars, the model can be constrained to `program.gbnf`.

Limitations: names and numbers are found by capital letters and digits; initials are skipped. The first word of a
sentence counts as a name only if another one follows it. Other words are not compared, because steps may rephrase them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from src.claims import ClaimText
from src.errors import InputError
from src.llm.protocol import LanguageModel, Reply, Request
from src.programs.parsing.expression import Program, canonical
from src.programs.parsing.reader import read_program
from src.programs.records import ClaimPrograms, DiagnosticKind
from src.programs.whole_claim import fallback
from src.prompts import load
from src.runner.outcome import Outcome
from src.store import read_bytes
from src.text import same, stop_words

STEM = 4  # letters that the forms of a name share
_WORD = re.compile(r"\d+(?:,\d{3})+|[^\W_]+")
_OPENERS = {"neither", "either", "although", "though", "since", "unlike", "whereas", "despite", "according", "besides",
            "however", "later", "also", "additionally", "afterwards", "today"}  # fmt: skip
_ENDED = re.compile(r"(?:^|[.!?])\W*$")


def left_out(claim: str, texts: Iterable[str]) -> list[str]:
    """Return the names and numbers of the claim that none of the `texts` contains, in the claim's order, each once.

    A claim in capital letters has no recognizable names; the list is then empty.
    """
    if claim.isupper():
        return []
    stems = {_stem(word) for text in texts for word in _WORD.findall(text)}
    return list(dict.fromkeys(word for word in _names(claim) if _stem(word) not in stems))


def _stem(word: str) -> str:
    """Return the start of the word in lower case, so that "Sweden" and "Swedish" compare equal.

    Numbers are not shortened, but lose their commas: "1,000" equals "1000".
    """
    plain = word.casefold().replace(",", "")
    return plain if plain.isdigit() else plain[:STEM]


def _names(claim: str) -> Iterator[str]:
    words = list(_WORD.finditer(claim))
    for place, word in enumerate(words):
        if not _is_marked(word[0]) or len(word[0]) < 2 or word[0].casefold() in stop_words() | _OPENERS:
            continue
        begins = _ENDED.search(claim[: word.start()]) is not None and not _is_marked(word[0][1:])
        if not begins or (place + 1 < len(words) and _is_marked(words[place + 1][0])):
            yield word[0]


def _is_marked(word: str) -> bool:
    return any(letter.isupper() or letter.isdigit() for letter in word)


FOLDER = Path(__file__).parent / "demonstrations"
SHIPPED = {"multi_hop": FOLDER / "multi_hop.txt", "clauses": FOLDER / "clauses.txt"}
HEAD = "# The claim is that "


class Demonstration(msgspec.Struct, frozen=True):
    claim: str
    program: Program

    def written(self) -> str:
        """Return the text of the demonstration in a prompt."""
        return f"{HEAD}{self.claim}\n{as_code(canonical(self.program))}"


def as_code(program: str) -> str:
    lines = "\n".join(f"    {line}" for line in program.strip().splitlines())
    return f"def program():\n{lines}"


def read_demonstrations(path: Path) -> list[Demonstration]:
    """Return the demonstrations of a file.

    Raises InputError (file, line) when there are none, when a program needs a repair, or when the file contains a NUL.
    """
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"is no text: {error}", path=path) from None
    if (place := text.find("\0")) >= 0:
        raise InputError("contains a NUL character", path=path, line=text.count("\n", 0, place) + 1)
    starts = [match.start() for match in re.finditer(rf"(?m)^{re.escape(HEAD)}", text)]
    if not starts:
        raise InputError(f"no line begins with {HEAD.strip()!r}", path=path)
    return [
        _demonstration(text[start:end], text.count("\n", 0, start) + 1, path)
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
    ]


def _demonstration(block: str, line: int, path: Path) -> Demonstration:
    head, _, code = block.partition("\n")
    program = read_program(code)
    if program.diagnostics:
        first = program.diagnostics[0]
        raise InputError(f"{first.kind}: {first.message}", path=path, line=line + first.line)
    return Demonstration(" ".join(head.removeprefix(HEAD).split()), program)


class Shown(Protocol):
    """An example that is shown to a model and has a claim."""

    @property
    def claim(self) -> str: ...


def refuse_overlap(demonstrations: Sequence[Shown], claims: Iterable[tuple[int, str]], name: str) -> None:
    """Raise InputError if a demonstration shows one of the claims to check; case and punctuation are ignored.

    `claims` are pairs of claim_id and text; `name` identifies the demonstrations in the message.
    """
    shown = {same(one.claim): number for number, one in enumerate(demonstrations, start=1)}
    for claim_id, claim in claims:
        if number := shown.get(same(claim)):
            raise InputError(f"demonstration {number} is claim {claim_id}, which is to be checked", path=name)


ROLE, REPAIR_ROLE = "program", "program_repair"
REPAIRS = 2
STOP = "\n\n# The claim is"  # includes the blank line, because a reply may begin with its own head
MAX_NEW_TOKENS, PUBLISHED_TOKENS = 512, 1024
GRAMMAR = Path(__file__).with_name("program.gbnf")
_CLAIM = "\0"  # safe as a marker: `read_demonstrations` rejects it
FAULTS = frozenset(DiagnosticKind(kind) for kind in (
    "undefined-variable", "unresolved-variable", "fact-in-text", "unsupported-expression",
    "missing-predict", "limit-exceeded", "parse-error",
))  # fmt: skip


class Accept(StrEnum):
    """The rules by which programs of a model are accepted."""

    PUBLISHED = "published"
    CAREFUL = "careful"


class Generator:
    """Generator of programs by a language model.

    `programs`: number of programs per claim.
    `temperature`: sampling temperature of several programs and of repairs; a single program is decoded greedily.
    `chat`: True to ask in a chat; by default the prompt is a text to continue.
    `grammar`: True to constrain models whose engine supports it to the grammar of programs.
    `accept`: the rules by which programs are accepted.
    """

    def __init__(
        self, model: LanguageModel, demonstrations: Sequence[Demonstration], programs: int = 1,
        temperature: float = 0.7, seed: int = 0, *, chat: bool = False, grammar: bool = True,
        accept: Accept = Accept.CAREFUL,
    ) -> None:  # fmt: skip
        self._model, self._programs, self._chat, self._seed = model, programs, chat, seed
        self._temperature, self._careful = temperature, accept is Accept.CAREFUL
        self._grammar = GRAMMAR.read_text(encoding="utf-8") if grammar and "grammar" in model.info.can else ""
        shown = "\n\n".join(one.written() for one in demonstrations)
        self._before, self._after = load("program").substitute(demonstrations=shown, claim=_CLAIM).split(_CLAIM)

    def generate(self, claims: Sequence[ClaimText]) -> list[Outcome[ClaimPrograms]]:
        """Return the programs of each claim, in order.

        All first drafts are requested from the model in one list. With Accept.CAREFUL, the drafts with faults are
        requested again in another list, at most twice. Raises ModelError when the model fails.
        """
        drafts = [Draft(one.claim, number) for one in claims for number in range(self._programs)]
        self._write(drafts, [self._first(draft) for draft in drafts])
        for _ in range(REPAIRS if self._careful else 0):
            faulty = [draft for draft in drafts if draft.faults()]
            self._write(faulty, [self._repair(draft) for draft in faulty])
        each = self._programs
        outcome = _repaired if self._careful else _as_written
        return [outcome(claim, drafts[at * each : (at + 1) * each]) for at, claim in enumerate(claims)]

    def _write(self, drafts: "Sequence[Draft]", requests: Sequence[Request]) -> None:
        for draft, reply in zip(drafts, self._model.complete(requests) if requests else [], strict=True):
            draft.take(reply)

    def _first(self, draft: "Draft") -> Request:
        return self._request(draft, self._prompt(draft), ROLE, self._temperature if self._programs > 1 else 0.0)

    def _repair(self, draft: "Draft") -> Request:
        """Return the request that shows the model its faulty program and asks for a better one.

        The request is sampled with a new seed, because greedy decoding would repeat the faults.
        """
        faults = "\n".join(f"# {fault}" for fault in draft.faults())
        prompt = load("program_repair").substitute(
            prompt=self._prompt(draft), program=draft.text, faults=faults, claim=_in_one_line(draft.claim)
        )
        return self._request(draft, prompt, REPAIR_ROLE, self._temperature)

    def _request(self, draft: "Draft", prompt: str, role: str, temperature: float) -> Request:
        return Request(
            prompt, chat=self._chat, system=load("program_system").template if self._chat else "",
            max_new_tokens=MAX_NEW_TOKENS if self._careful else PUBLISHED_TOKENS, stop=(STOP,), temperature=temperature,
            seed=self._seed + draft.number + self._programs * len(draft.replies), role=role, shared=len(self._before),
            grammar=self._grammar,
        )  # fmt: skip

    def _prompt(self, draft: "Draft") -> str:
        return f"{self._before}{_in_one_line(draft.claim)}{self._after}"


def _in_one_line(claim: str) -> str:
    """Return the claim as one line, because the model could read further lines as lines of the prompt."""
    return " ".join(claim.split())


class Draft:
    """A program that a model is writing: the latest text, and all replies so far.

    `number` is the index (from 0) of the program among those of its claim.
    """

    def __init__(self, claim: str, number: int) -> None:
        self.claim, self.number = claim, number
        self.text = ""
        self.replies: list[Reply] = []
        self._program = read_program("")

    def take(self, reply: Reply) -> None:
        self.replies.append(reply)
        self.text = reply.text.strip("\n")
        self._program = read_program(self.text)

    def faults(self) -> list[str]:
        """Return the reasons why the program cannot be used: faults in its form, else names that it lacks; empty if it
        can.
        """
        dropped = [] if self.broken() else self.dropped()
        return self.broken() or ([f"no line says anything of: {', '.join(dropped)}"] if dropped else [])

    def broken(self) -> list[str]:
        """Return messages on the diagnostics that prevent the program from being executed."""
        named = [one for one in self._program.diagnostics if one.kind in FAULTS]
        return [f"line {one.line}: {one.kind}: {one.message}" for one in named]

    def has_label(self) -> bool:
        return self._program.label is not None

    def dropped(self) -> list[str]:
        """Return the names and numbers of the claim that no step contains."""
        return left_out(self.claim, [step.text for step in self._program.steps])


def _as_written(claim: ClaimText, drafts: Sequence[Draft]) -> Outcome[ClaimPrograms]:
    counts = _cost(drafts) | {"programs_without_label": sum(not draft.has_label() for draft in drafts)}
    return Outcome(ClaimPrograms(claim.claim_id, claim.claim, [draft.text for draft in drafts]), counts)


def _repaired(claim: ClaimText, drafts: Sequence[Draft]) -> Outcome[ClaimPrograms]:
    failed = [bool(draft.faults()) for draft in drafts]
    texts = [fallback(claim.claim) if bad else draft.text for draft, bad in zip(drafts, failed, strict=True)]
    broken = sum(bool(draft.broken()) for draft in drafts)
    counts = _cost(drafts) | {
        "repaired_programs": sum(len(draft.replies) > 1 and not draft.faults() for draft in drafts),
        "fallback_programs": sum(failed),
        "fallback_broken": broken,
        "fallback_dropping": sum(failed) - broken,
    }
    return Outcome(ClaimPrograms(claim.claim_id, claim.claim, texts, failed), counts)


def _cost(drafts: Sequence[Draft]) -> dict[str, int]:
    replies = [reply for draft in drafts for reply in draft.replies]
    return {
        "programs": len(drafts),
        "model_calls": len(replies),
        "prompt_tokens": sum(reply.prompt_tokens for reply in replies),
        "new_tokens": sum(reply.new_tokens for reply in replies),
    }


def notes_on(counts: Mapping[str, int]) -> list[str]:
    """Return notes for the user on the generated programs; `counts` are summed over all claims."""
    if without := counts.get("programs_without_label"):
        return [f"{without} of {counts['programs']} programs have no label that can be read: their value is unknown"]
    if not counts.get("fallback_programs"):
        return []
    return [
        f"{counts['fallback_programs']} of {counts['programs']} programs verify the claim as a whole: "
        f"{counts.get('fallback_broken', 0)} could not be executed as written, "
        f"{counts.get('fallback_dropping', 0)} dropped a name or number of the claim"
    ]
