"""The table of rerankers by name, and the choice of the default one."""

from pathlib import Path

from src.errors import InputError
from src.models.bert_files import BRING
from src.models.trained import is_trained

PUBLISHED = Path("pretrained_models/bert_dual_encoder.ckpt")
OURS = Path("pretrained_models/adapters/reranker")
NONE = "none"
RERANKERS: dict[str, Path | None] = {"trained": OURS, "published": PUBLISHED, NONE: None}
"""The rerankers by the names that `--reranker` takes, besides any checkpoint or folder; None is the cosine."""

RERANKER_HELP = (
    f"{', '.join(RERANKERS)} ({NONE}: the cosine of all-MiniLM-L6-v2), or a published .ckpt, converted folder or "
    f"trained folder (default: the first that is there of {PUBLISHED}, {OURS} and {NONE})"
)


def chosen_reranker(asked: str | Path | None) -> tuple[Path | None, list[str]]:
    """Return the checkpoint or folder of the chosen reranker (None: the cosine), and notes for the user.

    `asked` is a name of the table or a path. None chooses the first that exists: published, ours, the cosine. Raises
    InputError when `asked` is neither a name nor a path, or its file does not exist.
    """
    if asked is not None:
        return _existing(asked), []
    if PUBLISHED.is_file():
        return PUBLISHED, [f"ranked by {PUBLISHED}, which is there; --reranker names another model"]
    if is_trained(OURS):
        return OURS, []
    return None, [f"{OURS} is not there, so that the cosine of all-MiniLM-L6-v2 ranks"]


def _existing(asked: str | Path) -> Path | None:
    name = str(asked)
    source = RERANKERS.get(name, Path(asked))
    if source is None or source.exists():
        return source
    if source == PUBLISHED:
        raise InputError(f"is not there; {BRING}", path=source)
    if name in RERANKERS:
        raise InputError("is not there", path=source)
    raise InputError(f"no such checkpoint or folder, and none of the names {', '.join(RERANKERS)}", path=source)


def keeps_duplicates(checkpoint: Path | None) -> bool:
    """Return True if repeated answers are kept by default. Only the published checkpoint keeps them, as published."""
    return checkpoint is not None and not is_trained(checkpoint)
