"""Verdict by stacking (Wolpert 1992): a small model over the stances of the passages.

A multinomial logistic regression over `features.py`, fitted by `src.training.fit_stacker` on claims that the models
below were not trained on; their best step and temperature were chosen on them, though. It gives probabilities of the
four verdicts, a level and a conformal set (`levels.py`).

Limitations: English; of a claim's passages the first `MOST` count; what several passages prove only together is seen
by reading them at once, as far as they fit.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from src.errors import InputError
from src.llm.protocol import ModelInfo
from src.models.entailment import load_entailment
from src.models.evidence_rows import LAYOUT, Input
from src.models.joint_veracity import TASK as VERACITY
from src.models.joint_veracity import JointVerdict
from src.models.trained_classifier import load_trained
from src.models.veracity import Judgement, finite, probabilities
from src.records import VERDICTS, Evidence, Level, QAPair, Verdict
from src.stance.features import FEATURES, features
from src.stance.levels import Levels
from src.stance.reader import ClaimPassages, StanceReader
from src.stance.records import Passage, Side
from src.store import read_json

if TYPE_CHECKING:
    from torch import Tensor

STACKER = "stacker.json"
TASK = "stacked verdict"
MOST = 10
_BARE = 5  # words of an answer that says little without its question


class Stacker(msgspec.Struct, frozen=True):
    """The fitted weights: [verdicts][features], and a bias a verdict, over features that are centered and scaled.

    `entailment` and `joint` are the hashes of the weights of the two models that read the passages; `data` maps each
    file that was read to its hash; `scores` are cross-fitted, on the held-out claims of each part, with baselines
    beside.
    """

    task: str
    entailment: str
    joint: str
    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    biases: tuple[float, ...]
    levels: Levels
    seed: int = 0
    data: dict[str, str] = {}
    scores: dict[str, float] = {}
    baselines: dict[str, float] = {}

    def log_probabilities(self, found: Sequence[float]) -> list[float]:
        """Return those of the four verdicts for the features of a claim."""
        scaled = [(one - mean) / scale for one, mean, scale in zip(found, self.means, self.scales, strict=True)]
        logits = [
            bias + sum(map(float.__mul__, row, scaled)) for row, bias in zip(self.weights, self.biases, strict=True)
        ]
        peak = max(logits)
        total = peak + math.log(sum(math.exp(one - peak) for one in logits))
        return [one - total for one in logits]


_REPEATED = Judgement(Verdict.NOT_ENOUGH_EVIDENCE, None, {"only_repeated": 1}, Level.UNDECIDED, list(VERDICTS))


class StackedVerdict:
    """A verdict model that reads the stance of every passage; `levels` say how far to rely on it."""

    def __init__(self, stacker: Stacker, reader: StanceReader, joint: "Joint") -> None:
        self._stacker, self._joint, self.reader, self.levels = stacker, joint, reader, stacker.levels
        details = reader.info.details | {"stacked_on": reader.info.name, "joint": stacker.joint}
        self.info: ModelInfo = replace(reader.info, name="stacked", details=details)

    def judge(self, claims: Sequence[Evidence]) -> list[Judgement]:
        """Return the verdict, probabilities, level and conformal set of each claim. Raises ModelError.

        Where all passages only repeat the claim, the verdict is Not Enough Evidence by rule, and undecided.
        """
        shown = [(claim.claim, passages_of(claim.evidence)) for claim in claims]
        repeated = [all(one.side is Side.REPEATS for one in own) for own in self.reader.stances(shown)]
        left = [one for one, is_repeated in zip(shown, repeated, strict=True) if not is_repeated]
        found = iter(all_features(left, self.reader, self._joint))
        return [_REPEATED if one else self._judgement(self._stacker.log_probabilities(next(found))) for one in repeated]

    def _judgement(self, scores: Sequence[float]) -> Judgement:
        chances = probabilities(scores)
        verdict = max(VERDICTS, key=chances.__getitem__)
        level, verdicts = self.levels.of(chances, verdict), self.levels.set_of(chances)
        return Judgement(verdict, chances, {"texts": 1}, level=level, verdict_set=verdicts)


class Joint(Protocol):
    """A verdict model that gives log-probabilities, float32 [inputs, verdicts]."""

    def log_probabilities(self, inputs: Sequence[Input]) -> "Tensor": ...


def all_features(claims: Sequence[ClaimPassages], reader: StanceReader, joint: Joint) -> list[list[float]]:
    """Return the FEATURES of each claim. Raises ModelError."""
    both = zip(reader.read(claims), joint_log_probabilities(joint, claims), strict=True)
    return [features(read, judged) for read, judged in both]


def joint_log_probabilities(joint: Joint, claims: Sequence[ClaimPassages]) -> list[list[float]]:
    """Return those of the four verdicts for claims with their passages, without questions. Raises ModelError."""
    inputs: list[Input] = [(claim, [("", one.text) for one in passages]) for claim, passages in claims]
    found: list[list[float]] = finite(joint.log_probabilities(inputs)).tolist() if inputs else []
    return found


def passages_of(pairs: Sequence[QAPair]) -> list[Passage]:
    """Return the answers of the first `MOST` pairs as passages."""
    return [passage_of(pair) for pair in pairs[:MOST]]


def passage_of(pair: QAPair) -> Passage:
    """Return the answer as a passage; a bare one, such as "No", with its question before it."""
    url = pair.url if isinstance(pair.url, str) else next(iter(pair.url), "")
    is_bare = len(pair.answer.split()) <= _BARE
    return Passage(f"{pair.question} {pair.answer}".strip() if is_bare else pair.answer, url)


def is_stacker(folder: Path) -> bool:
    """Return True if the folder holds a fitted stacker."""
    return (folder / STACKER).is_file()


def load_joint(folder: Path, dtype: str | None = None, device: str | None = None) -> JointVerdict:
    """Load the first run of a joint verdict model: one is enough beside the stances. Raises InputError."""
    run = load_trained(folder, VERACITY, dtype, device)
    if run.trained.layout != LAYOUT:
        raise InputError("does not read all evidence at once", path=folder)
    return JointVerdict([run])


class Sources(NamedTuple):
    """The folders of the models that a stacker is fitted on."""

    entailment: Path
    joint: Path


def read_stacker(folder: Path) -> Stacker:
    """Return what was fitted. Raises InputError when the file is damaged or of other features."""
    stacker = read_json(folder / STACKER, Stacker)
    if stacker.task != TASK or stacker.features != FEATURES:
        raise InputError("was fitted on other features; src.training.fit_stacker fits it anew", path=folder / STACKER)
    return stacker


def load_stacked_verdict(
    folder: Path,
    sources: Sources,
    dtype: str | None = None,
    device: str | None = None,
    reader: StanceReader | None = None,
) -> StackedVerdict:
    """Load a stacker and the models that it was fitted on. `reader` is that of `sources.entailment`, if loaded before.

    Raises InputError when the file is damaged or was fitted on other models, MissingExtra when a base is not here.
    """
    stacker = read_stacker(folder)
    reader = reader or StanceReader(load_entailment(sources.entailment, dtype, device))
    joint = load_joint(sources.joint, dtype, device)
    fitted = {"entailment": (stacker.entailment, reader.info.sha256, sources.entailment),
              "joint": (stacker.joint, joint.members[0], sources.joint)}  # fmt: skip
    for field, (wanted, found, source) in fitted.items():
        if wanted != found:
            message = f"was fitted on another model than {source}; src.training.fit_stacker fits it anew"
            raise InputError(message, path=folder / STACKER, field=field)
    return StackedVerdict(stacker, reader, joint)
