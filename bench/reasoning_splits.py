"""Splits HOVER's and FEVEROUS-S's dev claims once: a part for training, tuning and examples, a part for all figures.

Claims that share the title of a gold page, in either data set, stand on the same side: connected groups are drawn, with
a seed, until the first part has its share. Samples for the runs of language models are drawn from the second part, one
for a threshold from the first. The lists of ids stand in `bench/splits/`, one id a line.

    python -m bench.reasoning_splits --hover_release FILE --hover FILE --feverous FILE
"""

import argparse
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.command import command
from src.atomic_file import write_whole
from src.claims import LabelledClaim, groups, read_labelled_claims
from src.records import Value

FOLDER = Path(__file__).with_name("splits")
DATA = Path("../shared/data/programfc")
SEED = 0
TUNE = 0.3  # share of all claims
HOPS = (2, 3, 4)
SAMPLE = 40  # claims of each number of hops, half of them true
MORE = 80  # further claims of four hops
SEARCHED = 300  # claims of FEVEROUS-S for which evidence is searched


def split(titles: Mapping[str, Sequence[str]], share: float, seed: int) -> set[str]:
    """The keys of the first part: whole groups in random order, until they hold that share of the claims."""
    drawn = groups(titles)
    random.Random(seed).shuffle(drawn)
    first: set[str] = set()
    for group in drawn:
        if len(first) >= share * len(titles):
            break
        first.update(group)
    return first


def samples(claims: Sequence[LabelledClaim], seed: int) -> dict[str, list[LabelledClaim]]:
    """By name: claims of each number of hops, half of them true; these with further ones of four hops; and of the first
    those of four hops."""
    drawn = random.Random(seed)
    first = balanced(claims, drawn)
    taken = {one.key for one in first}
    more: list[LabelledClaim] = []
    for value in (Value.TRUE, Value.FALSE):
        pool = [one for one in claims if one.hops == HOPS[-1] and one.value is value and one.key not in taken]
        more += drawn.sample(pool, MORE // 2)
    both = [one for one in first if one.hops == HOPS[-1]]
    return {"hover_sample": first, "hover_sample_all": [*first, *more], "hover_sample_voting": both}


def balanced(claims: Sequence[LabelledClaim], drawn: random.Random) -> list[LabelledClaim]:
    """Return claims of each number of hops, half of them true."""
    sample: list[LabelledClaim] = []
    for hops in HOPS:
        for value in (Value.TRUE, Value.FALSE):
            pool = [one for one in claims if one.hops == hops and one.value is value]
            sample += drawn.sample(pool, SAMPLE // 2)
    return sample


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--hover_release", type=Path, default=DATA / "hover_dev_release_v1.1.json.gz")
    flags.add_argument("--hover", type=Path, default=DATA / "hover_dev_gold_evidence.jsonl.gz")
    flags.add_argument("--feverous", type=Path, default=DATA / "feverous_dev.json.gz")
    args = flags.parse_args(argv)
    hover, with_text, feverous = map(read_labelled_claims, (args.hover_release, args.hover, args.feverous))
    tuned = split({one.key: one.titles for one in [*hover, *feverous]}, TUNE, SEED)
    for name, claims in (("hover", hover), ("feverous", feverous)):
        _write(f"{name}_tune", [one for one in claims if one.key in tuned])
        _write(f"{name}_report", [one for one in claims if one.key not in tuned])
    four = [one for one in with_text if one.key not in tuned and one.hops == HOPS[-1]]
    _write(f"hover_report_{HOPS[-1]}_hops", four)
    for name, claims in samples([one for one in with_text if one.key not in tuned], SEED).items():
        _write(name, claims)
    _write("hover_tune_sample", balanced([one for one in with_text if one.key in tuned], random.Random(SEED)))
    _write("feverous_sample", random.Random(SEED).sample([one for one in feverous if one.key not in tuned], SEARCHED))
    return 0


def _write(name: str, claims: Sequence[LabelledClaim]) -> None:
    path = FOLDER / f"{name}.txt"
    write_whole(path, "".join(f"{one.key}\n" for one in claims).encode())
    true = sum(one.value is Value.TRUE for one in claims)
    print(f"{path.name}: {len(claims)} claims, {true} of them true")


if __name__ == "__main__":
    raise SystemExit(main())
