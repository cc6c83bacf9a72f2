"""Verdicts on claims from their evidence, and the table of verdict models by name.

A claim without evidence is Not Enough Evidence by rule, and undecided if the model has levels; no model is asked.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from src.llm.protocol import LanguageModel
from src.models.bert import classifier_files, existing_model, load_bert
from src.models.classifier import CachedClassifier, Classifier
from src.models.entailment import load_reading
from src.models.llm_veracity import LabelScorer
from src.models.reasoned_veracity import ReasonedVerdict
from src.models.trained import is_trained
from src.models.veracity import MAX_LENGTH, Judgment, StanceClassifier, VerdictModel, load_trained_verdict
from src.records import VERDICTS, Evidence, Level, Prediction, Verdict
from src.runner.outcome import Outcome
from src.stance.levels import Leveled
from src.stance.stacker import READERS, STACKER, is_stacker, load_stacked_verdict, readers_of

PUBLISHED = Path("pretrained_models/bert_veracity.ckpt")
OURS = Path("pretrained_models/adapters/veracity")
STACKED = Path("pretrained_models/adapters/stacked")
CAREFUL = Path("pretrained_models/adapters/careful")
DEFAULT_LLM = "smollm2"
LLM = "llm"  # name of the verdict by the language model of `--llm`
VERDICT_MODELS: dict[str, Path] = {"stacked": STACKED, "careful": CAREFUL, "trained": OURS, "published": PUBLISHED}
"""The verdict models by the names that `--verdict` accepts, besides `llm` and paths. `KINDS` defines how each is
loaded.
"""

VERDICT_NAMES = (*VERDICT_MODELS, LLM)
VERDICT_HELP = (
    f"{', '.join(VERDICT_NAMES)} (stacked reads the stance of each piece of evidence and says how far to rely "
    "on the verdict; careful also asks a language model, more slowly; trained reads all evidence at once; published "
    f"is the published BERT; {LLM} is the model of --llm), or a published .ckpt, converted folder, trained folder or "
    "folder of a stacker"
)


def named_verdict_model(choice: str | Path) -> Path | None:
    """Return the checkpoint or folder of the verdict model that `--verdict` names; None for the model of `--llm`.

    `choice` is the value of `--verdict`: a name or a path. Raises InputError if it is neither, or the model does not
    exist.
    """
    name = str(choice)
    if name == LLM:
        return None
    return existing_model("--verdict", VERDICT_MODELS.get(name, Path(choice)), name, VERDICT_NAMES)


def chosen_verdict_model(llm: str = DEFAULT_LLM) -> tuple[Path | None, list[str]]:
    """Return the default verdict model, and notes on it that are printed for the user.

    The model is a checkpoint or a folder; None means that the language model `llm` must judge.
    """
    if PUBLISHED.is_file():
        return PUBLISHED, [f"judged by {PUBLISHED}, which is there; -ckpt and --llm name other models"]
    if is_trained(OURS):
        return OURS, []
    return None, [f"{OURS} is not there, so that a language model judges, near chance: {llm}"]


class Loading(NamedTuple):
    """How a verdict model is loaded.

    `dtype`, `device`: number format and device; None: the best that the machine supports.
    `reading`: function that returns the first model of a stacker, for callers that have loaded that model already;
        None: the stacker loads it.
    """

    dtype: str | None = None
    device: str | None = None
    reading: Callable[[], Classifier] | None = None


class Kind(NamedTuple):
    """A kind of verdict model.

    `holds`: returns True for a folder or checkpoint of this kind.
    `load`: loads a model of this kind.
    `files`: returns the model's files by name, for the fingerprint of a run.
    `has_levels`: True if the verdicts of this kind have levels.
    """

    holds: Callable[[Path], bool]
    load: Callable[[Path, Loading], VerdictModel]
    files: Callable[[Path], dict[str, Path]]
    has_levels: bool = False


def _stacked(source: Path, how: Loading) -> VerdictModel:
    first = readers_of(source)[READERS[0]]

    def load(folder: Path) -> Classifier:
        if how.reading and folder == first:
            return how.reading()
        return CachedClassifier(load_reading(folder, how.dtype, how.device))

    return load_stacked_verdict(source, load)


def _stacked_files(source: Path) -> dict[str, Path]:
    of_readers = (classifier_files(folder, name) for name, folder in readers_of(source).items())
    return {"stacker": source / STACKER} | {flag: path for files in of_readers for flag, path in files.items()}


KINDS = (
    Kind(
        is_stacker,
        _stacked,
        _stacked_files,
        has_levels=True,
    ),
    Kind(
        is_trained,
        lambda source, how: load_trained_verdict(source, how.dtype, how.device),
        partial(classifier_files, all_seeds=True),
    ),
    Kind(
        lambda _: True,  # a published checkpoint; for anything else, loading fails with a message
        lambda source, how: StanceClassifier(load_bert(source, len(VERDICTS), MAX_LENGTH, how.dtype, how.device)),
        classifier_files,
    ),
)
"""The kinds of verdict models; the first kind that matches is used. A new kind is one more entry and a module."""


def load_verdict_model(source: Path, how: Loading = Loading()) -> VerdictModel:  # noqa: B008
    """Load a verdict model of any kind from its folder or checkpoint.

    Raises InputError if it is missing or invalid.
    """
    return _kind(source).load(source, how)


def verdict_files(source: Path) -> dict[str, Path]:
    """Return a model's files by name, for the fingerprint of a run."""
    return _kind(source).files(source)


def has_levels(source: Path) -> bool:
    """Return True if the verdicts of the model at `source` have levels."""
    return _kind(source).has_levels


def _kind(source: Path) -> Kind:
    return next(one for one in KINDS if one.holds(source))


def llm_verdict_model(model: LanguageModel) -> LabelScorer | ReasonedVerdict:
    """Return a verdict model that uses a language model.

    If the language model can score whole labels, they are scored as continuations of a plain text. Otherwise the model
    is asked in a chat for its reasoning.
    """
    return LabelScorer(model) if "label_tokens" in model.info.can else ReasonedVerdict(model)


def judge(model: VerdictModel, claims: Sequence[Evidence]) -> list[Outcome[Prediction]]:
    """Return the prediction for each claim, in order.

    Raises ModelError if the model fails.
    """
    judged = iter(model.judge([claim for claim in claims if claim.evidence]))
    by_rule = unasked(has_levels=isinstance(model, Leveled))
    judgments = [next(judged) if claim.evidence else by_rule for claim in claims]
    return [
        Outcome(predicted(claim, judgment), judgment.counts) for claim, judgment in zip(claims, judgments, strict=True)
    ]


def unasked(*, has_levels: bool) -> Judgment:
    """Return the judgment of a claim that no model judged: Not Enough Evidence.

    With `has_levels`, it also has the level undecided and a conformal set of all verdicts.
    """
    counts = {"no_evidence": 1}
    if not has_levels:
        return Judgment(Verdict.NOT_ENOUGH_EVIDENCE, counts=counts)
    return Judgment(Verdict.NOT_ENOUGH_EVIDENCE, None, counts, Level.UNDECIDED, list(VERDICTS))


def predicted(claim: Evidence, judgment: Judgment) -> Prediction:
    """Return the judgment of a claim as a record of the predictions file."""
    return Prediction(
        claim.claim_id, claim.claim, claim.evidence, judgment.verdict, judgment.probabilities,
        justification=judgment.reasoning or None, level=judgment.level, verdict_set=judgment.verdict_set,
        overruled_by=judgment.overruled_by, sides=judgment.sides, speaker=claim.speaker, unnamed=judgment.unnamed,
    )  # fmt: skip
