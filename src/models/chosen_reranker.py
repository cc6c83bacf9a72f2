"""Which reranker is used where none is named, and what goes with it."""

from pathlib import Path

from src.models.trained import is_trained

PUBLISHED = Path("pretrained_models/bert_dual_encoder.ckpt")
OURS = Path("pretrained_models/adapters/reranker")
NONE = "none"


def chosen_reranker(asked: Path | None) -> tuple[Path | None, list[str]]:
    """The checkpoint, the first that is there where none was asked for (None is the cosine); what to tell of it."""
    if asked is not None:
        return (None if asked == Path(NONE) else asked), []
    if PUBLISHED.is_file():
        return PUBLISHED, [f"ranked by {PUBLISHED}, which is there; -ckpt names another model"]
    if is_trained(OURS):
        return OURS, []
    return None, [f"{OURS} is not there, so that the cosine of all-MiniLM-L6-v2 ranks"]


def keeps_duplicates(checkpoint: Path | None) -> bool:
    """Whether repeated answers are kept where nothing is said of them: as published, with a published checkpoint."""
    return checkpoint is not None and not is_trained(checkpoint)
