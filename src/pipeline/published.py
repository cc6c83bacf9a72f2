"""Published mode: every step of the pipeline runs as in the published baseline.

Settings that choose something else are rejected, and so is a start without all published files.
"""

from pathlib import Path

from msgspec.structs import replace

from src.errors import InputError
from src.llm.presence import lacking as lacking_model
from src.models import reranker
from src.models.bert import lacking as lacking_checkpoint
from src.models.trained import is_trained
from src.pipeline.settings import PipelineSettings
from src.prediction import verdicts
from src.reranking.hybrid.settings import HybridRetrieval
from src.reranking.questions.flags import WriterSettings
from src.reranking.retrievers import BM25
from src.reranking.select import Select
from src.settings import defaults_of, values_of
from src.stance.stacker import is_stacker

NAME = "published"
MODEL = "bigscience/bloom-7b1"
OF_ENGINE = ("llm", "dtype", "device", "batch_rows", "batch_tokens", "slots", "concurrency", "timeout", "cache_dir")


def as_published(settings: PipelineSettings) -> PipelineSettings:
    """Return the settings with the published choice in every step.

    Raises InputError for settings that choose something else, and while a file or model is missing.
    """
    _refuse_other_choices(settings)
    writer = replace(settings.writer, llm=settings.writer.llm or MODEL, recipe=NAME, published_examples=True)
    chosen = replace(
        settings,
        retriever=settings.retriever or BM25,
        select=Select.LIKENESS,
        reranker=settings.reranker or NAME,
        verdict=settings.verdict or NAME,
        writer=writer,
    )
    _refuse_missing(chosen)
    return chosen


def _refuse_other_choices(settings: PipelineSettings) -> None:
    named = {
        "retriever": settings.retriever not in (None, BM25, "rank_bm25"),
        "recipe": settings.writer.recipe not in (None, NAME),
        "select": settings.select not in (None, Select.LIKENESS),
        "reranker": not _is_published(settings.reranker),
        "verdict": not _is_published(settings.verdict),
    }
    values = values_of(settings)
    against = [f"--{name} {values[name]}" for name, is_other in named.items() if is_other]
    defaults = defaults_of(type(settings))
    free = {*named, *OF_ENGINE, "strict", "published_examples"}
    others = [*defaults_of(HybridRetrieval), *defaults_of(WriterSettings)]
    against += [f"--{name}" for name in others if name not in free and values[name] != defaults[name]]
    if against:
        only = "it takes BM25, questions from 10 examples and the published checkpoints"
        raise InputError(f"--published does not go with {'; '.join(against)}: {only}")


def _is_published(named: str | None) -> bool:
    """Return True for None, for the name `published`, and for a path without a model trained by this project."""
    if named in (None, NAME):
        return True
    path = Path(named or "")
    return path.exists() and not is_trained(path) and not is_stacker(path)


def _refuse_missing(settings: PipelineSettings) -> None:
    split = settings.split
    missing = [
        *_missing(settings.claims, Path(f"data/{split}.json"), f"{split} claims"),
        *([] if settings.search else _missing_store(settings)),
        *_missing(settings.references, Path("data/train.json"), "train claims"),
        *_missing_checkpoint(settings.reranker, reranker.PUBLISHED),
        *_missing_checkpoint(settings.verdict, verdicts.PUBLISHED),
    ]
    if reason := lacking_model(settings.writer.llm):
        missing.append(reason)
    if missing:
        raise InputError(f"--published: {'; '.join(missing)}")


def _missing(path: Path, usual: Path, download: str) -> list[str]:
    """Return an empty list if the path exists, else a one-item list with a message.

    The message includes the download command if the path is the usual one.
    """
    if path.exists():
        return []
    is_published = path.absolute() == usual.absolute() and download.split()[0] in ("train", "dev", "test")
    shown = usual if is_published else path
    return [f"{shown} is not there" + f" (bash script/download.sh {download})" * is_published]


def _missing_store(settings: PipelineSettings) -> list[str]:
    usual = Path("data_store/knowledge_store") / settings.split
    if settings.store.absolute() == usual.absolute() and Path(f"data_store/output_{settings.split}").exists():
        return []
    return _missing(settings.store, usual, f"{settings.split} knowledge_store")


def _missing_checkpoint(named: str | None, usual: Path) -> list[str]:
    path = usual if named == NAME else Path(named or "")
    if not path.exists():
        return _missing(path, usual, "dev checkpoints")
    return [reason] if (reason := lacking_checkpoint(str(path))) else []
