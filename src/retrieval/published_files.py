"""The published AVeriTeC files: a catalog, and their download to the paths where steps look for them.

The catalog has the path of each file in the authors' repository on the model hub, and its path on disk. A zip of URL
files is unpacked to a folder; free space is checked first.

Limitations: the test split is listed for users who submit predictions; nothing here uses it. Knowledge-store zips are
not unpacked, since `src/knowledge_store.py` reads them in place.
"""

import shutil
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError, OutputError
from src.retrieval.hub import HubFile, download, partial_path

HUB_REPOSITORY = "chenxwh/AVeriTeC"  # a model repository on the hub, though it holds data


class PublishedFile(msgspec.Struct, frozen=True):
    """A published AVeriTeC file.

    `kind`: one of KINDS.
    `remote`: path in the repository on the hub.
    `place`: path on disk, relative to the project's root.
    `unpacked`: number of files in a zip that is unpacked to the folder `place`; 0 for other files.
    """

    kind: str
    remote: str
    place: str
    unpacked: int = 0


def _as_published(kind: str, *paths: str) -> list[PublishedFile]:
    return [PublishedFile(kind, path, path) for path in paths]


_STORE = "data_store/knowledge_store"
_OUTPUTS = ("dev_top_k_sentences", "dev_top_k_qa", "dev_top_3_rerank_qa", "dev_veracity_prediction")
_TEST_RANGES = ("0_499", "500_999", "1000_1499", "1500_1999", "2000_2214")
_CHECKPOINTS = _as_published(
    "checkpoints", "pretrained_models/bert_dual_encoder.ckpt", "pretrained_models/bert_veracity.ckpt"
)

PUBLISHED: dict[str, list[PublishedFile]] = {
    "train": [
        *_as_published("claims", "data/train.json"),
        PublishedFile("urls", "data_store/urls/train_urls.zip", "data_store/train_store", unpacked=3068),
        *_as_published(
            "knowledge_store", *(f"{_STORE}/train/train_{r}.zip" for r in ("0_999", "1000_1999", "2000_3067"))
        ),
        *_CHECKPOINTS,
    ],
    "dev": [
        *_as_published("claims", "data/dev.json"),
        PublishedFile("urls", "data_store/urls/dev_urls.zip", "data_store/dev_store", unpacked=500),
        PublishedFile("knowledge_store", f"{_STORE}/dev_knowledge_store.zip", f"{_STORE}/dev/dev_knowledge_store.zip"),
        *_as_published("outputs", *(f"data_store/{name}.json" for name in _OUTPUTS)),
        *_CHECKPOINTS,
    ],
    "test": [
        *_as_published("claims", "data/test.json"),
        *_as_published("knowledge_store", *(f"{_STORE}/test/test_{r}.zip" for r in _TEST_RANGES)),
        *_as_published(
            "knowledge_store_updated", *(f"{_STORE}/test_updated/output_test_{r}.zip" for r in _TEST_RANGES)
        ),
        *_CHECKPOINTS,
    ],
}
KINDS = ("claims", "urls", "knowledge_store", "knowledge_store_updated", "outputs", "checkpoints")


def published_files(split: str, kinds: Sequence[str]) -> list[PublishedFile]:
    """Return the published files of a split and of the given kinds.

    Raises InputError for a kind that was not published for the split.
    """
    files = PUBLISHED[split]
    for kind in kinds:
        if not any(file.kind == kind for file in files):
            offered = [known for known in KINDS if any(file.kind == known for file in files)]
            raise InputError(f"{kind!r} was not published for {split}; there are: {', '.join(offered)}")
    return [file for file in files if file.kind in kinds]


WAITING = Path("data_store/.download")  # folder of partial downloads, relative to the project's root


def is_there(file: PublishedFile, root: Path) -> bool:
    """Return True if the published file, or the folder that it is unpacked to, exists on disk.

    Raises InputError for a folder that is incomplete but not empty, since the user may have made it.
    """
    place = root / file.place
    if not file.unpacked or not place.is_dir():
        return place.exists()
    if not any(place.iterdir()):
        return False
    there = sum(1 for _ in place.glob("*.tsv"))
    if there < file.unpacked:
        raise InputError(
            f"{there} of {file.unpacked} there; --overwrite replaces the folder by a download, or move it away",
            path=place,
        )
    return True


def size_text(size: int) -> str:
    """Return a number of bytes as text: `1.8 MB`."""
    value, unit = float(size), "B"
    for larger in ("kB", "MB", "GB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def bytes_to_come(hub_files: Mapping[PublishedFile, HubFile], root: Path) -> int:
    """Return the number of bytes still to download: all file sizes minus the sizes of partial downloads."""
    partials = [partial_path(on_hub, root / WAITING) for on_hub in hub_files.values()]
    had = sum(path.stat().st_size for path in partials if path.exists())
    return sum(on_hub.size for on_hub in hub_files.values()) - had


def free_space(root: Path) -> int:
    """Return the number of free bytes on the disk of `root`."""
    return shutil.disk_usage(root).free


def check_space(needed: int, root: Path) -> None:
    """Raise OutputError when the disk of `root` has less than `needed` bytes free."""
    free = free_space(root)
    if needed > free:
        raise OutputError(
            f"{root.absolute()} has {size_text(free)} free, {size_text(needed)} are to be downloaded; make room first"
        )


def place(file: PublishedFile, on_hub: HubFile, root: Path) -> None:
    """Download a published file to its path on disk. An older file or folder is replaced when the new one is complete.

    Raises MissingExtra when the connection breaks, BusyError when another process downloads the same file, InputError
    when the bytes are not the published ones, and OutputError when the file cannot be written.
    """
    try:
        if not file.unpacked:
            download(on_hub, root / file.place, root / WAITING)
            return
        archive = root / WAITING / Path(file.remote).name
        download(on_hub, archive, root / WAITING)
        _unpack(archive, root / file.place)
        archive.unlink()
    except OSError as error:
        raise OutputError(f"cannot write {root / file.place}: {error.strerror or error}") from None


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack all .tsv files of a zip, without their folders, to `folder`, which is replaced."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=folder.parent) as aside:
        fresh = Path(aside) / folder.name
        fresh.mkdir()
        try:
            with zipfile.ZipFile(archive) as zipped:
                members = [name for name in zipped.namelist() if name.endswith(".tsv") and "__MACOSX" not in name]
                check_space(sum(zipped.getinfo(name).file_size for name in members), folder.parent)
                for name in members:
                    with zipped.open(name) as source, (fresh / Path(name).name).open("wb") as target:
                        shutil.copyfileobj(source, target)
        except zipfile.BadZipFile as error:
            raise InputError(f"not a readable zip: {error}", path=archive) from None
        if folder.exists():
            folder.rename(Path(aside) / "old")
        fresh.rename(folder)
