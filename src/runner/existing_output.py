"""Decision about an existing output: keep it, compute it again, or raise an error.

If the arguments differ, the manifest is missing, or the file was edited, it is replaced only with --overwrite. If the
content of an input changed, the output is out of date and is computed again.
"""

from collections.abc import Callable
from pathlib import Path

from src.errors import InputError
from src.runner.console import say
from src.runner.fingerprint import Fingerprint, changed_inputs, differences
from src.runner.manifest import Manifest, read_manifest, source_hash
from src.store import sha256


def is_done(output: Path, fingerprint: Fingerprint, *, strict: bool, quiet: bool) -> bool:
    """Return True if the output exists and is up to date; False if it must be computed.

    An output with failed claims is computed again; with `strict`, so is one whose manifest has notes. Raises InputError
    when the output must not be replaced: it was edited, or made with other arguments.
    """
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
    """Return the manifest of an existing output that was made with the arguments of `fingerprint`.

    `part` returns the part of a fingerprint that is compared; by default the whole. Raises InputError when the output
    was made with other arguments or has no manifest.
    """
    manifest = read_manifest(output)
    if manifest is None:
        raise InputError("is there and has no manifest that says how it was made; --overwrite replaces it", path=output)
    if changes := differences(part(manifest.fingerprint), part(fingerprint)):
        raise InputError(f"is there, made otherwise ({changes}); --overwrite replaces it", path=output)
    return manifest
