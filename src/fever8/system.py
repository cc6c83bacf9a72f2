"""A submitted system: `system.json` in the folder of a submission, and the names of the folder's files."""

from enum import StrEnum
from pathlib import Path

import msgspec

from src.store import read_json

SYSTEM_FILE = "system.json"
SCRIPTS = ("installation.sh", "system_inference.sh", "run_system.sh")
OWN_FILES = ("Dockerfile", "README.md", ".dockerignore")
OWN_MODELS = "own_models"  # folder of the models that flags named by path
TIMINGS = "measured_timings.txt"
SUBMISSION, PREDICTIONS = "submission.csv", "veracity_prediction.json"  # results; SPLIT_ precedes the latter
HUB_CACHE = Path("pretrained_models/hub")  # HF_HOME of the scripts


class Strategy(StrEnum):
    """Strategy of a system: question by question, in one call for each claim, or by programs of steps."""

    QUESTIONS = "questions"
    ONE_CALL = "one_call"
    PROGRAMS = "programs"


class System(msgspec.Struct, frozen=True):
    """A system and the models that it needs.

    `name`: names the folder of its results, `data_store/NAME`.
    `flags`: flags of the strategy's first step; of src.pipeline, or with programs of src.programs.generate_programs.
    `then`: with programs, the flags of src.programs.execute_programs.
    `llms`: its language models, as specs.
    `dtype`: number format of the models; "" for the format of their files.
    `batch_tokens`, `slots`, `context`: sizes of a batch of a language model (`src/llm/options.py`).
    `bundled`: models to download with src.llm.fetch.
    `hub`: models to download from the model hub, as OWNER/NAME.
    `vllm`: the system runs in the environment with vLLM.
    `revision`: git commit of the source.
    """

    name: str
    strategy: Strategy
    flags: list[str]
    then: list[str] = []
    llms: list[str] = []
    dtype: str = ""
    batch_tokens: int = 0
    slots: int = 1
    context: int = 0
    bundled: list[str] = []
    hub: list[str] = []
    vllm: bool = False
    revision: str | None = None

    @property
    def python(self) -> str:
        """Return the interpreter of the system, a path inside the folder."""
        return f".venv{'-vllm' if self.vllm else ''}/bin/python"


def read_system(folder: Path) -> System:
    """Return the system of a submission folder. Raises InputError if its file is missing or damaged."""
    return read_json(folder / SYSTEM_FILE, System)
