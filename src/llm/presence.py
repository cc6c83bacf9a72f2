"""Check that a language model is on this machine or can be downloaded, before hours of other work.

Limitations: no model is loaded, so a damaged one is found later. Servers are not contacted.
"""

from pathlib import Path

from src.errors import InputError
from src.llm import parse_spec
from src.llm.weights import LARGER, PRETRAINED, SMOLLM2, is_there

ARCHIVES = {SMOLLM2.name: SMOLLM2, **LARGER}
CONFIG = "config.json"
ANSWER_SECONDS = 10.0


def lacking(spec: str, root: Path = PRETRAINED, *, ask_hub: bool = True) -> str:
    """Return a message about a missing model, with the command that installs it; "" if the model is available.

    A model is available if it is on this machine, or if the hub offers it. Without `ask_hub`, the hub is taken to offer
    it.
    """
    try:
        kind, argument = parse_spec(spec)
    except InputError as error:
        return str(error)
    if kind in ARCHIVES:
        return "" if is_there(ARCHIVES[kind], root) else str(ARCHIVES[kind].missing())
    if kind in ("gguf", "scripted"):
        return "" if Path(argument).is_file() else f"the model {spec}: no such file"
    if kind == "hf" and not Path(argument).is_dir() and ask_hub:
        return _on_hub(argument)
    return ""


def _on_hub(name: str) -> str:
    """Return why the model `name` is neither in the hub library's cache nor on the hub, or "" if it is."""
    import httpx2
    from huggingface_hub import get_hf_file_metadata, hf_hub_url, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        if isinstance(try_to_load_from_cache(name, CONFIG), str):
            return ""
        get_hf_file_metadata(hf_hub_url(name, CONFIG), timeout=ANSWER_SECONDS)
    except HFValidationError:
        return f"the model {name}: no such folder, and no name of the hub"
    except (OSError, httpx2.HTTPError):
        return f"the model {name} is not here, and the hub does not offer it now (where it does: hf download {name})"
    return ""
