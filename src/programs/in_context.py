"""Step: verdicts by a language model that is shown 20 other claims with evidence and answers: Table 1's group III.

Reads the claims of HOVER or FEVEROUS-S with their gold evidence. The examples are drawn by the seed from --tune_ids,
half of them true, or are read from a file. The verdicts are written in the form of execute_programs; evaluate_programs
scores them. Pan et al., ACL 2023, appendix A.3. Prompts are not cut: if the examples and the longest claim exceed the
model's context, the step says how many examples fit, and stops.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec

from src.claims.labelled import LabelledClaim, read_labelled_claims
from src.claims.texts import apart, passed_over, with_keys
from src.errors import InputError
from src.llm import get_llm
from src.llm.flags import add_model_flags, model_file, options_from
from src.programs.answerers.forms import LONGEST_EVIDENCE
from src.programs.baselines.evidence_flags import add_evidence_flags, check_evidence_flags, source_from
from src.programs.baselines.in_context import InContext
from src.programs.baselines.whole_verdicts import drawn
from src.programs.generation.demonstrations import refuse_overlap
from src.programs.records import ClaimTrace, without_result
from src.runner.arguments import in_range, natural, positive, refuse_unread, step, step_parser
from src.runner.console import say
from src.runner.job import Engine, Job, run

MODULE = "src.programs.in_context"
BATCH = 8  # claims


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    add = flags.add_argument
    add("-c", "--claim_file", type=Path, required=True, help="HOVER's or FEVEROUS-S's claims with their evidence")
    add("--ids", type=Path, help="the claims to judge, by their data set's own ids, one a line")
    add("--tune_ids", type=Path, help="claims to draw examples from, none of those to judge")
    add("--demonstrations", type=Path, help="in place of --tune_ids: a file like --claim_file, all of whose claims "
        "are shown, in its order")  # fmt: skip
    add("--examples", type=positive, default=20, help="to show, half of them true")
    add("--seed", type=natural, default=0, help="which examples are drawn, and their order")
    add_evidence_flags(flags)
    add("--chat", action=argparse.BooleanOptionalAction, help="ask in a chat (default: but for encoder-decoders)")
    add("--max_evidence_length", type=positive, default=LONGEST_EVIDENCE, help="words of a claim's evidence")
    add("-o", "--output", type=Path, required=True, help="the verdicts, one claim a line")
    add_model_flags(flags, default="qwen2.5-coder-1.5b")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    _check(args, flags)
    everyone = read_labelled_claims(args.claim_file)
    for note in passed_over(everyone, args.ids):
        say(f"in_context: note: {note}", quiet=args.quiet)
    claims = in_range(with_keys(everyone, args.ids), 0, -1, args.claim_file)
    examples = _examples(args, everyone, claims)
    job = Job(
        step=MODULE,
        settings=args,
        claims=claims,
        inputs=_inputs(args),
        start=lambda: _engine(args, claims, examples),
        without_result=lambda one: without_result(one.claim_id, one.claim),
        batch=BATCH,
        numbered=claims,
    )
    return run(job)


def _check(args: argparse.Namespace, flags: argparse.ArgumentParser) -> None:
    """Raise InputError if the flags do not go together."""
    if (args.tune_ids is None) == (args.demonstrations is None):
        raise InputError("the examples come either from --tune_ids or from --demonstrations")
    if args.demonstrations is not None:
        refuse_unread(args, flags, ["examples", "seed"], "goes with --tune_ids")
    elif args.examples % 2:
        raise InputError(f"--examples {args.examples}: half of them are to be true, so the number must be even")
    check_evidence_flags(args, flags)


def _examples(
    args: argparse.Namespace, everyone: list[LabelledClaim], claims: list[LabelledClaim]
) -> list[LabelledClaim]:
    """Return the examples. Raises InputError when there are too few, or when one of them is to be judged."""
    if args.demonstrations is None:
        tune = [one for one in apart(everyone, claims, args.tune_ids) if one.gold]
        found = drawn(tune, args.examples, args.seed)
        Random(args.seed).shuffle(found)
        return found
    found = _numbered_apart(read_labelled_claims(args.demonstrations), everyone)
    if bare := [one for one in found if not one.gold]:
        raise InputError(f"claim {bare[0].key} has no evidence", path=args.demonstrations)
    refuse_overlap(found, [(one.claim_id, one.claim) for one in claims], str(args.demonstrations))
    return found


def _numbered_apart(found: list[LabelledClaim], others: list[LabelledClaim]) -> list[LabelledClaim]:
    """Return the claims of another file with new numbers, because evidence is looked up by number."""
    first = 1 + max(one.claim_id for one in others)
    return [msgspec.structs.replace(one, claim_id=first + place) for place, one in enumerate(found)]


def _engine(
    args: argparse.Namespace, claims: list[LabelledClaim], examples: list[LabelledClaim]
) -> Engine[LabelledClaim, ClaimTrace]:
    model = get_llm(args.llm, options_from(args))
    chat = not model.info.seq2seq if args.chat is None else args.chat
    source = source_from(args, [*claims, *examples])
    asking = InContext(model, examples, source, chat=chat, longest=args.max_evidence_length)
    asking.refuse_too_long(claims)
    return Engine(
        asking.answer, model=model.info, notes_on=lambda counts: _notes(counts, args.max_evidence_length),
        deterministic=model.info.deterministic,
    )  # fmt: skip


def _notes(counts: Mapping[str, int], longest: int) -> list[str]:
    cut = counts.get("evidence_cut", 0)
    return [f"{cut} claims have more than {longest} words of evidence, and these were read"] if cut else []


def _inputs(args: argparse.Namespace) -> dict[str, Path]:
    names = ("claim_file", "ids", "tune_ids", "demonstrations", "corpus")
    named = {name: getattr(args, name) for name in names}
    return {name: path for name, path in named.items() if path is not None} | model_file(args.llm)


if __name__ == "__main__":
    raise SystemExit(main())
