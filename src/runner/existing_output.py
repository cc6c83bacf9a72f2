"""What to do about an output that is there already: leave it, make it anew, or refuse to touch it.

Nothing that took time is replaced by accident: other arguments, a file of unknown origin, or one that was edited need
--overwrite. An input whose content changed makes the output anew, since its result is out of date.
"""

from collections.abc import Callable
from pathlib import Path

from src.errors import InputError
from src.runner.console import say
from src.runner.fingerprint import Fingerprint, changed_inputs, differences
from src.runner.manifest import Manifest, read_manifest, source_hash
from src.store import sha256


def is_done(output: Path, fingerprint: Fingerprint, *, strict: bool, quiet: bool) -> bool:
    """Whether the output is what this run would make. Raises InputError when it must not be replaced."""
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
    """The manifest of an output that is there, made with these arguments, as far as `part` of the fingerprints tells.

    Raises InputError when it was made with others, or when nobody knows how.
    """
    manifest = read_manifest(output)
    if manifest is None:
        raise InputError("is there and has no manifest that says how it was made; --overwrite replaces it", path=output)
    if found := differences(part(manifest.fingerprint), part(fingerprint)):
        raise InputError(f"is there, made otherwise ({found}); --overwrite replaces it", path=output)
    return manifest
