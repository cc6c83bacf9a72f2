"""File of classes while the page is served."""

from collections.abc import Mapping
from pathlib import Path

from src.annotating.answers_file import AnswersFile
from src.programs.annotation.classes import Classed, ProgramId, read_classed


class ClassesFile(AnswersFile[Classed]):
    """The file of classes. `hashes` are those of the programs as shown now. Raises InputError like `read_classed`."""

    def __init__(self, path: Path, hashes: Mapping[ProgramId, str]) -> None:
        super().__init__(path, lambda data: read_classed(data, path, hashes))
