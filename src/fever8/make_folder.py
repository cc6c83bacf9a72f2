"""Step: make the submission folder of FEVER-8 from a strategy.

    bash script/fever8/make.sh --system_name NAME --strategy questions --output FOLDER -- [flags of src.pipeline]
    bash script/fever8/make.sh --system_name NAME --strategy programs --output FOLDER \\
        -- [flags of generate_programs] -- [flags of execute_programs]

The folder has the tracked source, three scripts, a Dockerfile and a README. Files and folders that flags name by path
are copied into it.

Limitations: the folder has the models of the project's repository and those that flags name by path. Its
installation.sh downloads the others.
"""

import re
from pathlib import Path
from typing import Annotated

import msgspec

from src.atomic_folder import whole_folder
from src.errors import InputError
from src.fever8.packing import write_folder, write_zip
from src.fever8.strategies import system_of
from src.fever8.system import SCRIPTS, SYSTEM_FILE, Strategy, read_system
from src.llm import parse_spec
from src.llm.presence import ARCHIVES
from src.runner.console import say
from src.runner.manifest import ROOT, revision
from src.runner.step import step
from src.settings import Flag

NAME = re.compile("[A-Za-z0-9]+([._-][A-Za-z0-9]+)*")
OTHER_DATA = ("averitec", "knowledge_store", "sample")  # names that data_store may have already


class MakeSettings(msgspec.Struct, frozen=True, kw_only=True):
    system_name: Annotated[str, Flag("names the folder of results, data_store/NAME")]
    strategy: Annotated[Strategy, Flag("how claims are checked")] = Strategy.QUESTIONS
    output: Annotated[Path, Flag("the folder to make", "-o", "--output")] = Path("out/fever8/submission")
    zip: Annotated[bool, Flag("write FOLDER.zip, too")] = False
    overwrite: Annotated[bool, Flag("replace an earlier submission folder and zip")] = False
    flags: Annotated[
        tuple[str, ...],
        Flag("after --: flags of the strategy's steps; paths as from the project", positional=True),
    ] = ()


@step(MakeSettings)
def main(settings: MakeSettings) -> int:
    _check_name(settings.system_name)
    system = system_of(settings.system_name, settings.strategy, settings.flags, revision())
    folder = settings.output.absolute()
    archive = folder.with_name(f"{folder.name}.zip")
    _check_replaced(folder, overwrite=settings.overwrite)
    if settings.zip and archive.exists() and not settings.overwrite:
        raise InputError("is there already; --overwrite replaces it", path=archive)
    with whole_folder(folder) as new:
        folder.parent.mkdir(parents=True, exist_ok=True)
        write_folder(ROOT, new, system)
    say(f"{system.name}: {settings.strategy}, {', '.join(system.llms) or 'no language model'} -> {folder}")
    if settings.zip:
        write_zip(folder, archive)
        say(f"{system.name}: {archive.stat().st_size / 1e6:.0f} MB -> {archive}")
    if system.strategy is Strategy.ONE_CALL and all(parse_spec(one)[0] in ARCHIVES for one in system.llms):
        say(
            f"note: {system.llms[0]} is small, and below always Refuted by one call; name another model: -- --llm MODEL"
        )
    say(f"Next: bash {folder}/installation.sh, then bash script/fever8/check.sh {folder}")
    return 0


def _check_name(name: str) -> None:
    """Raise InputError if a name cannot be that of a folder in data_store and of a docker image."""
    if not NAME.fullmatch(name):
        raise InputError(f"--system_name {name!r}: letters and digits, with single `_`, `-` or `.` between them, only")
    if name in OTHER_DATA:
        raise InputError(f"--system_name {name}: data_store has other data with this name")


def _check_replaced(folder: Path, *, overwrite: bool) -> None:
    """Raise InputError if the folder exists and is no earlier submission that may be replaced without a loss."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if not all((folder / name).is_file() for name in (SYSTEM_FILE, *SCRIPTS)):
        raise InputError("is there already, and is no submission folder; name another one", path=folder)
    results = f"data_store/{read_system(folder).name}"
    if not overwrite:
        raise InputError("is there already; --overwrite makes it anew", path=folder)
    lost = [name for name in ("knowledge_store", "data_store/averitec", results) if (folder / name).exists()]
    if lost:
        raise InputError(f"has {', '.join(lost)}, which would be lost; move them away first", path=folder)


if __name__ == "__main__":
    raise SystemExit(main())
