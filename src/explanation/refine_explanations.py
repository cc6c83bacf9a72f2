"""Step: make explanations faithful to their evidence, by several agents in debate or one agent alone.

Reads explanations with their claims and evidence, or claims without an explanation, which are drafted first. Writes the
same lines with the resulting explanation and the whole debate. `--accept careful` debates only what the checks flag. It
accepts a revision only if the checks find nothing new in it, and otherwise records why the draft is kept. `--accept
published` is the paper's Algorithm 1: it accepts each revision and moves its citation marks to `cites`. If such a
revision is empty, the draft is kept and the claim is among the failures. If an agent fails, the text written until then
is kept and the claim is among the failures.

    python -m src.explanation.refine_explanations -i explanations.json -o debates.json --llm qwen2.5-coder-1.5b
"""

from src.pipeline.refine import RefineSettings, refine_job
from src.runner.job import run
from src.runner.step import step


@step(RefineSettings)
def main(settings: RefineSettings) -> int:
    return run(refine_job(settings))


if __name__ == "__main__":
    raise SystemExit(main())
