"""What a local judge of G-Eval can tell apart: gold justifications, the same with one planted error, and the same texts
under other claims.

    python -m bench.judge --judge qwen2.5-coder-0.5b [--claims 10]

The first claims of AVeriTeC's dev; each copy has an error of another kind, in turn. Scores are weighted by their
probability, in all four protocols; beside them stand the findings of our checks. The table goes to
`bench/results/judge_MODEL.json`, from which `evaluate_explanations --from` prints it again.
"""

import argparse
from collections.abc import Sequence

import msgspec

from bench.command import command, positive
from bench.explanation_record import write_report
from bench.scoreboard.published import AVERITEC, ROOT
from src.atomic_file import write_whole
from src.explanation import evaluate_explanations
from src.explanation.claims_file import gold_explanations
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.records import Report
from src.explanation.synthetic_errors.planting import planted_copies
from src.explanation.synthetic_errors.records import IN_A_SENTENCE
from src.explanation.synthetic_errors.scene import elsewhere, scenes
from src.explanation.synthetic_errors.scores import as_explained
from src.explanation.synthetic_errors.word_lists import TEST
from src.spacy_pipelines import FROM_PYPI, load
from src.store import encode_lines, read_json

WORK = ROOT / "out" / "bench" / "judge"
ELSEWHERE = 100  # claims from which names and sentences of others come


def texts(most: int) -> dict[str, list[ExplainedClaim]]:
    """Return three lists of explanations of the same claims, by name: gold justifications, the same with one planted
    error, and those of other claims.
    """
    clean = list(scenes(gold_explanations(AVERITEC / "dev.json")[: max(most, ELSEWHERE)], load(FROM_PYPI, [])))
    others, gold = elsewhere(clean), [one.claim for one in clean[:most]]
    kinds = list(IN_A_SENTENCE)
    planted = []
    for at, scene in enumerate(clean[:most]):
        in_turn = [*kinds[at % len(kinds) :], *kinds[: at % len(kinds)]]
        copy = next(iter(planted_copies([scene], in_turn, others, TEST)))
        planted.append(msgspec.structs.replace(as_explained(copy, copy.explanation), claim_id=scene.claim.claim_id))
    moved = [one.explanation for one in (*gold[1:], gold[0])]
    other = [msgspec.structs.replace(one, explanation=text) for one, text in zip(gold, moved, strict=True)]
    return {"gold": gold, "planted": planted, "other_claim": other}


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--judge", required=True)
    flags.add_argument("--claims", type=positive, default=10)
    args = flags.parse_args(argv)
    named = []
    for name, them in texts(args.claims).items():
        write_whole(WORK / f"{name}.jsonl", encode_lines(them))
        named.append(f"{name}={WORK / name}.jsonl")
    scores = WORK / f"judge_{args.judge}.json"
    judge_flags = ["--judge", args.judge, "--weighted", "--cache_dir", str(WORK / "answers")]
    code = evaluate_explanations.main(["-i", *named, *judge_flags, "--json", str(scores)])
    if code == 0:
        write_report(read_json(scores, Report), ROOT / "bench" / "results" / scores.name)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
