"""The files of one run in a folder: those whose names begin with the same split."""

from pathlib import Path

from src.errors import InputError

JUSTIFIED = "justified_prediction.json"
PREDICTIONS = ("veracity_prediction.json", JUSTIFIED)  # the first that exists
MADE_BY = "bash script/pipeline.sh SPLIT START END, or src.programs.execute_programs --predictions"


class RunFolder:
    """Folder of a run. Without `split`, its predictions must be of one split only.

    Raises InputError when the folder, the split or the predictions are missing.
    """

    def __init__(self, path: Path, split: str = "") -> None:
        if not path.is_dir():
            raise InputError("is no folder; name the one that a run left its files in", path=path)
        self.path = path
        self.split = split or _only_split(path)
        self.predictions = self._predictions()

    def file(self, name: str) -> Path | None:
        """Return the path of `SPLIT_name`, None if it does not exist."""
        path = self.path / f"{self.split}_{name}"
        return path if path.is_file() else None

    def _predictions(self) -> Path:
        found = next((file for name in PREDICTIONS if (file := self.file(name))), None)
        if found is None:
            name = f"{self.split}_{PREDICTIONS[0]}"
            raise InputError(f"holds no {name}; it is written by: {MADE_BY}", path=self.path)
        return found


def _only_split(path: Path) -> str:
    ends = tuple(f"_{name}" for name in PREDICTIONS)
    names = sorted(file.name for file in path.iterdir() if file.is_file())
    splits = {name.removesuffix(end) for name in names for end in ends if name.endswith(end)}
    if len(splits) == 1:
        return splits.pop()
    if not splits:
        raise InputError(f"holds no SPLIT_{PREDICTIONS[0]}; it is written by: {MADE_BY}", path=path)
    raise InputError(f"holds runs of {', '.join(sorted(splits))}; --split names one", path=path)
