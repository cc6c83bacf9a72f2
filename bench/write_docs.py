"""Write docs/results/*.md, and README's table of scores, from the results of benchmarks.

    python -m bench.write_docs            # write what differs
    python -m bench.write_docs --check    # write nothing; exit code 1 where a page differs from its results

Each page has a template of its name in `bench/pages/`: Markdown with Jinja, in which `result("bm25")` is the content of
`bench/results/bm25.json`, the filters are those of `bench/number_formats.py` and the functions those of
`bench/page_figures.py`. `trainings("veracity")` is the lines of that task in `pretrained_models/results.jsonl`, and
`adapter("stacked/stacker")` a JSON file of `pretrained_models/adapters`. A figure is never typed into a template. In
README, the lines between `<!-- NAME -->` and `<!-- /NAME -->` are those of `bench/pages/readme/NAME.md`.
"""

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bench.command import command
from bench.number_formats import FILTERS
from bench.page_figures import FUNCTIONS
from src.atomic_file import write_whole
from src.errors import InputError
from src.runner.console import say
from src.store import read_json
from src.training.results import Result, read_results

ROOT = Path(__file__).parent.parent
PAGES, RESULTS, DOCS, README = (ROOT / name for name in ("bench/pages", "bench/results", "docs/results", "README.md"))
MODELS = ROOT / "pretrained_models"
_PART = re.compile(r"(<!-- (?P<name>\w+) -->\n).*?(<!-- /(?P=name) -->)", re.DOTALL)


def result(name: str) -> Any:
    """Return the content of `bench/results/NAME.json`. Raises InputError."""
    return read_json(RESULTS / f"{name}.json", Any)


def trainings(task: str) -> list[Result]:
    """Return the trainings of a task, in the order in which they ended. Raises InputError."""
    return [one for one in read_results(MODELS / "results.jsonl") if one.task == task]


def adapter(name: str) -> Any:
    """Return the content of `pretrained_models/adapters/NAME.json`. Raises InputError."""
    return read_json(MODELS / "adapters" / f"{name}.json", Any)


def pages() -> Mapping[Path, str]:
    """Return the text of each generated page, and of README with its generated parts. Raises InputError."""
    look = Environment(
        loader=FileSystemLoader(PAGES), undefined=StrictUndefined, autoescape=False,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    look.filters |= FILTERS
    look.globals |= {**{one.__name__: one for one in (result, trainings, adapter)}, **FUNCTIONS}
    made = {DOCS / one.name: look.get_template(one.name).render() for one in sorted(PAGES.glob("*.md"))}

    def part(match: re.Match[str]) -> str:
        name = f"readme/{match['name']}.md"
        if not (PAGES / name).exists():
            raise InputError(f"no template of its name: {PAGES / name}", path=README)
        return f"{match[1]}{look.get_template(name).render()}{match[3]}"

    return {**made, README: _PART.sub(part, README.read_text(encoding="utf-8"))}


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--check", action="store_true", help="write nothing")
    args = flags.parse_args(argv)
    differing = {path: text for path, text in pages().items() if not _is(path, text)}
    for path, text in differing.items():
        if not args.check:
            write_whole(path, text.encode())
        say(f"{path.relative_to(ROOT)}: {'differs from its results' if args.check else 'written'}")
    return 1 if args.check and differing else 0


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    raise SystemExit(main())
