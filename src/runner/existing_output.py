"""Decision about an existing output: keep it, make it again, or refuse to touch it.

Nothing that took time is replaced by accident. If the arguments differ, the origin is unknown, or the file was edited,
--overwrite is needed. If the content of an input changed, the output is made again, since it is out of date.
"""

from collections.abc import Callable
from pathlib import Path

from src.errors import InputError
from src.runner.console import say
from src.runner.fingerprint import Fingerprint, changed_inputs, differences
from src.runner.manifest import Manifest, read_manifest, source_hash
from src.store import sha256


def is_done(output: Path, fingerprint: Fingerprint, *, strict: bool, quiet: bool) -> bool:
    """Return True if the output is what this run would make. Raises InputError when it must not be replaced."""
    if not output.exists():
        return False
    manifest = made_alike(output, fingerprint)
    if sha256(output) != manifest.output_sha256:
        raise InputError("was changed after it was made; --overwrite replaces it", path=output)
    if changed := changed_inputs(manifest.fingerprint, fingerprint):
        say(f"{output}: made anew, for its input changed: {', '.join(changed)}", quiet=quiet)
        return False
    if manifest.failures or (strict and manifest.notes):
        return False
    version = "the same run" if manifest.source_sha256 == source_hash() else "another version of the code"
    say(f"{output} is already there, made by {version} (--overwrite makes it again)", quiet=quiet)
    return True


def made_alike(
    output: Path, fingerprint: Fingerprint, part: Callable[[Fingerprint], Fingerprint] = lambda whole: whole
) -> Manifest:
    """Return the manifest of an existing output made with these arguments; `part` selects what to compare.

    Raises InputError when the output was made with other arguments or has no manifest.
    """
    manifest = read_manifest(output)
    if manifest is None:
        raise InputError("is there and has no manifest that says how it was made; --overwrite replaces it", path=output)
    if found := differences(part(manifest.fingerprint), part(fingerprint)):
        raise InputError(f"is there, made otherwise ({found}); --overwrite replaces it", path=output)
    return manifest
