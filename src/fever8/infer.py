"""Step: run the system of a submission folder, from claims and knowledge store to the submission.

Part of system_inference.sh. Each step of the strategy runs in a separate process; their commands are printed.
Exit code: 0 done, 1 some claims failed, 2 bad input.
"""

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import msgspec

from src.fever8.strategies import Data, commands
from src.fever8.system import read_system
from src.pipeline.submit_fever8 import Split
from src.runner.claim_range import end_of
from src.runner.console import say
from src.runner.step import step
from src.settings import Flag
from src.store import read_claims


class InferSettings(msgspec.Struct, frozen=True, kw_only=True):
    claim_file: Annotated[Path, Flag("claims")]
    knowledge_store_dir: Annotated[Path, Flag("folder of <claim_id>.json")]
    output_dir: Annotated[Path, Flag("folder of the results")]
    reference_corpus: Annotated[Path | None, Flag("claims with gold pairs, used if the file is there")] = None
    split: Annotated[Split, Flag("names the results, and is the column split of the submission")] = "test"
    folder: Annotated[Path, Flag("folder of the submission")] = Path()


@step(InferSettings)
def main(settings: InferSettings) -> int:
    system = read_system(settings.folder)
    end = end_of(read_claims(settings.claim_file))
    references = settings.reference_corpus
    if references is not None and not references.is_file():
        references = None
    data = Data(settings.split, settings.claim_file, end, settings.knowledge_store_dir, references, settings.output_dir)
    worst = 0
    for command in commands(system, data):
        say(f"+ python -m {shlex.join(command)}")
        code = subprocess.run([sys.executable, "-m", *command], check=False).returncode
        worst = max(worst, abs(code))
        if code not in (0, 1):
            return worst
    return worst


if __name__ == "__main__":
    raise SystemExit(main())
