"""Catalogue of the published AVeriTeC files: path in the authors' repository on the hub, and place on disk.

Limitations: the test split is listed for users who submit predictions; nothing here uses it.
"""

import msgspec

from src.errors import InputError

HUB_REPOSITORY = "chenxwh/AVeriTeC"  # a model repository on the hub, though it holds data


class PublishedFile(msgspec.Struct, frozen=True):
    """A file of the hub's repository; `place` is its path relative to the project's root.

    A zip with `unpacked` files becomes a folder.
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


def published_files(split: str, kinds: list[str]) -> list[PublishedFile]:
    """Return the files of these kinds for a split. Raises InputError for a kind that was not published for it."""
    files = PUBLISHED[split]
    for kind in kinds:
        if not any(file.kind == kind for file in files):
            offered = [known for known in KINDS if any(file.kind == known for file in files)]
            raise InputError(f"{kind} were not published for {split}; there are: {', '.join(offered)}")
    return [file for file in files if file.kind in kinds]
