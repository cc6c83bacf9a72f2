"""Step: verdicts by a language model that is shown 20 other claims with evidence and answers: Table 1's group III.

Reads the claims of HOVER or FEVEROUS-S with their gold evidence. The examples are drawn by the seed from --tune_ids,
half of them true, or are read from a file. The verdicts are written in the form of execute_programs; evaluate_programs
scores them. Pan et al., ACL 2023, appendix A.3. Prompts are not cut: if the examples and the longest claim exceed the
model's context, the step says how many examples fit, and stops.
"""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Annotated

import msgspec

from src.claims import LabelledClaim, apart, passed_over, read_labelled_claims, with_keys
from src.errors import InputError
from src.llm import Options, get_llm
from src.llm.flags import EngineOptions, engine_of, llm_flag, model_file
from src.models.model_files import named_model_files
from src.programs.answerers.by_language_model import LONGEST_EVIDENCE
from src.programs.baselines.evidence import EvidenceSettings, sample_examples, source_of
from src.programs.baselines.in_context import InContext
from src.programs.generation import refuse_overlap
from src.programs.records import ClaimTrace, without_result
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.console import say
from src.runner.engine import Engine
from src.runner.job import Job, run
from src.runner.sharding import in_shard
from src.runner.step import step
from src.settings import Flag, Group, Positive, Seed, refuse_unread

MODULE = "src.programs.in_context"
BATCH = 8  # claims


class InContextSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `in_context`.

    If `chat` is None, the model is asked in a chat, except for encoder-decoders.
    """

    claim_file: Annotated[Path, Flag("HOVER's or FEVEROUS-S's claims with their evidence", "-c")]
    ids: Annotated[Path | None, Flag("the claims to judge, by their data set's own ids, one a line")] = None
    tune_ids: Annotated[Path | None, Flag("claims to draw examples from; none of those to judge")] = None
    demonstrations: Annotated[
        Path | None,
        Flag("in place of --tune_ids: a file like --claim_file, all of whose claims are shown, in its order"),
    ] = None
    examples: Annotated[Positive, Flag("examples to show, half of them true")] = 20
    seed: Annotated[Seed, Flag("seed of the drawn examples and their order")] = 0
    evidence: Annotated[EvidenceSettings, Group()] = EvidenceSettings()
    chat: Annotated[bool | None, Flag("ask in a chat (default: but for encoder-decoders)")] = None
    max_evidence_length: Annotated[Positive, Flag("words of a claim's evidence")] = LONGEST_EVIDENCE
    output: Annotated[Path, Flag("the verdicts, one claim a line", "-o")]
    llm: Annotated[str, llm_flag()] = "qwen2.5-coder-1.5b"
    engine: EngineOptions = Options()

    def check(self) -> None:
        """Raise InputError if settings contradict each other."""
        if (self.tune_ids is None) == (self.demonstrations is None):
            raise InputError("the examples come either from --tune_ids or from --demonstrations")
        if self.demonstrations is not None:
            refuse_unread(self, ["examples", "seed"], "goes with --tune_ids")
        elif self.examples % 2:
            raise InputError(f"--examples {self.examples}: half of them are to be true, so the number must be even")
        self.evidence.check()

    def inputs(self) -> dict[str, Path]:
        names = ("claim_file", "ids", "tune_ids", "demonstrations")
        named = {name: getattr(self, name) for name in names} | {"corpus": self.evidence.search.corpus}
        return {name: path for name, path in named.items() if path is not None} | model_file(self.llm)


@step(InContextSettings)
def main(settings: InContextSettings) -> int:
    settings.check()
    everyone = read_labelled_claims(settings.claim_file)
    for note in passed_over(everyone, settings.ids):
        say(f"in_context: note: {note}", quiet=settings.quiet)
    chosen = in_range(with_keys(everyone, settings.ids), 0, -1, settings.claim_file)
    examples = _examples(settings, everyone, chosen)
    settings = in_shard(settings, chosen, settings.claim_file)
    claims = in_range(chosen, settings.range.start, settings.range.end, settings.claim_file)
    job = Job(
        step=MODULE,
        settings=settings,
        claims=claims,
        inputs=settings.inputs(),
        start=lambda: _engine(settings, claims, examples),
        without_result=lambda one: without_result(one.claim_id, one.claim),
        batch=BATCH,
        numbered=chosen,
        node_files=named_model_files(settings),
    )
    return run(job)


def _examples(
    settings: InContextSettings, everyone: list[LabelledClaim], claims: list[LabelledClaim]
) -> list[LabelledClaim]:
    """Return the example claims that the model is shown.

    Raises InputError when there are too few, or when one of them is to be judged.
    """
    if settings.tune_ids is not None:
        tune = [one for one in apart(everyone, claims, settings.tune_ids) if one.gold]
        examples = sample_examples(tune, settings.examples, settings.seed)
        Random(settings.seed).shuffle(examples)
        return examples
    shown = settings.demonstrations
    assert shown is not None
    examples = _numbered_apart(read_labelled_claims(shown), everyone)
    if bare := [one for one in examples if not one.gold]:
        raise InputError(f"claim {bare[0].key} has no evidence", path=shown)
    refuse_overlap(examples, [(one.claim_id, one.claim) for one in claims], str(shown))
    return examples


def _numbered_apart(examples: list[LabelledClaim], others: list[LabelledClaim]) -> list[LabelledClaim]:
    """Return the claims of an examples file with new claim_ids, which none of the claims `others` has.

    Evidence is looked up by claim_id, so the ids must differ.
    """
    first = 1 + max(one.claim_id for one in others)
    return [msgspec.structs.replace(one, claim_id=first + place) for place, one in enumerate(examples)]


def _engine(
    settings: InContextSettings, claims: list[LabelledClaim], examples: list[LabelledClaim]
) -> Engine[LabelledClaim, ClaimTrace]:
    model = get_llm(settings.llm, engine_of(settings, settings.engine))
    chat = not model.info.seq2seq if settings.chat is None else settings.chat
    source = source_of(settings.evidence, [*claims, *examples], keep_index=not settings.dry_run)
    longest = settings.max_evidence_length
    asking = InContext(model, examples, source, chat=chat, longest=longest)
    asking.refuse_too_long(claims)
    return Engine(
        asking.answer,
        model=model.info,
        notes_on=lambda counts: _notes(counts, longest),
        deterministic=model.info.deterministic,
    )


def _notes(counts: Mapping[str, int], longest: int) -> list[str]:
    cut = counts.get("evidence_cut", 0)
    return [f"{cut} claims have more than {longest} words of evidence, and these were read"] if cut else []


if __name__ == "__main__":
    raise SystemExit(main())
