"""Step: validate a submission file and report all problems, line by line.

Exit code 0 if the file is valid (warnings are possible), 1 if it has errors, 2 if it cannot be read.
"""

from src.pipeline.validate import ValidateSettings, validate
from src.runner.step import step


@step(ValidateSettings)
def main(settings: ValidateSettings) -> int:
    return validate(settings)


if __name__ == "__main__":
    raise SystemExit(main())
