"""Step: fit temperature and biases for the ensemble of a verdict model's runs, on the held-out claims of its training.

An ensemble of seeds is less certain than each seed alone, and finds rare verdicts less often. The temperature and
biases of a single run therefore do not fit it. The step writes `together.json` into the folder that has `seed_N`.
"""

import msgspec

from src.atomic_file import write_whole
from src.models.trained import TOGETHER, Together
from src.models.veracity import JointVerdict, load_runs
from src.runner.console import say
from src.runner.step import step
from src.training.run import rounded
from src.training.verdicts.scores import WORTH, Learned, RunsSettings, final_of_runs, read_first


@step(RunsSettings)
def main(settings: RunsSettings) -> int:
    _, data = read_first(settings)
    model = JointVerdict(load_runs(settings.folder))
    final = final_of_runs(model, settings, Learned())
    together = Together(
        model.members, final.temperature, final.biases, rounded(final.scores), rounded(final.baselines), data
    )
    path = settings.folder / TOGETHER
    write_whole(path, msgspec.json.format(msgspec.json.encode(together), indent=2) + b"\n")
    scores = ", ".join(f"{name} {final.scores[name]:.4f}" for name in (WORTH, f"{WORTH}, decided"))
    say(f"{path}: {len(model.members)} runs, temperature {final.temperature:.3f}, {scores}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
