"""Generator of programs by a language model with demonstrations.

One program is decoded greedily; several are sampled. What happens to them depends on `Accept`:

    published   each program is kept as the model wrote it (ProgramFC, section 3.3)
    careful     at most two rounds of repair name the faults; a program that still cannot be executed, or drops a name
                or number of the claim, is replaced by one that verifies the claim as a whole, and is marked

If the engine supports grammars, the model can be constrained to `program.gbnf`.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from src.claims.texts import ClaimText
from src.llm.protocol import LanguageModel, Reply, Request
from src.programs.generation.demonstrations import Demonstration
from src.programs.generation.left_out import left_out
from src.programs.parsing.reader import read_program
from src.programs.records import ClaimPrograms, DiagnosticKind
from src.programs.whole_claim import fallback
from src.prompts import load
from src.runner.outcome import Outcome

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
    """Generator of programs.

    `temperature` applies to several programs and to repairs; a single program is decoded greedily. With `grammar`,
    models whose engine supports it are constrained to the grammar of programs.
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
        """Return the programs of each claim: all first drafts in one list of requests, then the repairs.

        Raises ModelError when the model fails.
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
        """Return the request for a repair. It is sampled with a new seed, because greedy decoding would repeat the
        faults."""
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
    """Return the claim in one line, because its own lines could be read as lines of the prompt."""
    return " ".join(claim.split())


class Draft:
    """A program in progress: the model's latest text, and all replies so far."""

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
        """Return the reasons why the program cannot be used."""
        dropped = [] if self.broken() else self.dropped()
        return self.broken() or ([f"no line says anything of: {', '.join(dropped)}"] if dropped else [])

    def broken(self) -> list[str]:
        """Return the diagnostics that prevent execution."""
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
    """Return the notes of a run, from the counts summed over all claims."""
    if without := counts.get("programs_without_label"):
        return [f"{without} of {counts['programs']} programs have no label that can be read: their value is unknown"]
    if not counts.get("fallback_programs"):
        return []
    return [
        f"{counts['fallback_programs']} of {counts['programs']} programs verify the claim as a whole: "
        f"{counts.get('fallback_broken', 0)} could not be executed as written, "
        f"{counts.get('fallback_dropping', 0)} dropped a name or number of the claim"
    ]
