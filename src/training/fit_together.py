"""Step: fit temperature and biases for the ensemble of a verdict model's runs, on the held-out claims of its training.

An ensemble of seeds is less certain than each seed alone, and finds rare verdicts less often. The temperature and
biases of a single run therefore do not fit it. The step writes `together.json` into the folder that has `seed_N`.
"""

from collections.abc import Sequence

import msgspec

from src.atomic_file import write_whole
from src.models.trained import TOGETHER, Together
from src.models.veracity import JointVerdict, load_runs
from src.runner.arguments import step
from src.runner.console import say
from src.training.run import rounded
from src.training.verdicts.held_out import Learned
from src.training.verdicts.scores import WORTH
from src.training.verdicts.together import final_of_runs, read_first, runs_parser

MODULE = "src.training.fit_together"


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = runs_parser(MODULE, __doc__).parse_args(argv)
    _, data = read_first(args)
    model = JointVerdict(load_runs(args.folder))
    final = final_of_runs(model, args, Learned())
    together = Together(
        model.members, final.temperature, final.biases, rounded(final.scores), rounded(final.floors), data
    )
    write_whole(args.folder / TOGETHER, msgspec.json.format(msgspec.json.encode(together), indent=2) + b"\n")
    said = ", ".join(f"{name} {final.scores[name]:.4f}" for name in (WORTH, f"{WORTH}, decided"))
    say(f"{args.folder / TOGETHER}: {len(model.members)} runs, temperature {final.temperature:.3f}, {said}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
