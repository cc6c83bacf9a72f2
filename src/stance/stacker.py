"""Verdict by stacking (Wolpert 1992): a small model over what a verdict model says to each passage and to all of them.

A multinomial logistic regression over `features.py`, fitted by `src.training.fit_stacker` on claims that the verdict
model was not trained on; its best step and temperature were chosen on them, though. It gives probabilities of the four
verdicts, a level and a conformal set (`levels.py`).

Limitations: English; of a claim's passages the first `MOST` count; what several passages prove only together is seen
by reading them at once, as far as they fit.
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from src.errors import InputError
from src.llm.protocol import ModelInfo
from src.models.cached_classifier import Classifier
from src.models.entailment import Entailment
from src.models.evidence_rows import Input
from src.models.joint_veracity import JointVerdict
from src.models.trained import is_trained
from src.models.veracity import Judgement, finite, probabilities
from src.records import VERDICTS, Evidence, Level, QAPair, Verdict
from src.stance.features import FEATURES, features
from src.stance.levels import Levels
from src.stance.reader import READER, ClaimPassages, StanceReader
from src.stance.records import Passage
from src.stance.restatement import repeats
from src.store import read_json

if TYPE_CHECKING:
    from torch import Tensor

STACKER = "stacker.json"
_OWN_READER = "reader"  # beside the stacker
TASK = "stacked verdict"
MOST = 10
_BARE = 5  # words of an answer that says little without its question


class Stacker(msgspec.Struct, frozen=True):
    """The fitted weights: [verdicts][features], and a bias a verdict, over features that are centered and scaled.

    `joint` is the hash of the weights of the verdict model that reads the passages; `data` maps each file that was read
    to its hash, `settings` are the flags that decide with them. `scores` are those of each part of the held-out claims:
    accuracy, macro-F1, log-loss and calibration error are cross-fitted; levels and sets are scored on the claims that
    their limits were chosen on. `baselines` are the shares of each part's commonest verdict.
    """

    task: str
    joint: str
    features: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    biases: tuple[float, ...]
    levels: Levels
    seed: int = 0
    data: dict[str, str] = {}
    settings: dict[str, float | None] = {}
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
    """A verdict model that reads every passage alone and all together; `levels` say how far to rely on it."""

    def __init__(self, stacker: Stacker, readings: "Readings", reader: StanceReader, name: str = "stacked") -> None:
        self._stacker, self._readings, self._reader, self.levels = stacker, readings, reader, stacker.levels
        info = readings.model.info
        self.info: ModelInfo = replace(info, name=name, details=info.details | {"stacked_on": info.name})

    def judge(self, claims: Sequence[Evidence]) -> list[Judgement]:
        """Return the verdict, probabilities, level and conformal set of each claim, and the sides of its passages.

        Where all passages only repeat the claim, the verdict is Not Enough Evidence by rule, and undecided. Raises
        ModelError.
        """
        asked = [(claim.claim, passages_of(claim.evidence, claim.speaker)) for claim in claims]
        found, stances = self._readings.features(asked), self._reader.stances(asked)
        judged = [self._judgement(self._stacker.log_probabilities(one)) if one else _REPEATED for one in found]
        return [
            msgspec.structs.replace(one, sides=[stance.side for stance in own])
            for one, own in zip(judged, stances, strict=True)
        ]

    def _judgement(self, scores: Sequence[float]) -> Judgement:
        chances = probabilities(scores)
        verdict = max(VERDICTS, key=chances.__getitem__)
        level, verdicts = self.levels.of(chances, verdict), self.levels.set_of(chances)
        return Judgement(verdict, chances, {"texts": 1}, level=level, verdict_set=verdicts)


class Joint(Protocol):
    """A verdict model that gives log-probabilities, float32 [inputs, verdicts]."""

    @property
    def info(self) -> ModelInfo: ...

    def log_probabilities(self, inputs: Sequence[Input]) -> "Tensor": ...


class Readings:
    """A verdict model that reads passages without questions, each alone and all of a claim together."""

    def __init__(self, model: Joint) -> None:
        self.model = model

    def features(self, claims: Sequence[ClaimPassages]) -> list[list[float]]:
        """Return the FEATURES of each claim; none where all passages only repeat it. Raises ModelError."""
        alone = self._read([(claim, [one]) for claim, passages in claims for one in passages])
        said = [_without_repetitions(claim, passages, alone) for claim, passages in claims]
        together = self._read([(claim, own) for (claim, _), (own, _) in zip(claims, said, strict=True) if own])
        return [features(rows, next(together)) if own else [] for own, rows in said]

    def _read(self, asked: Sequence[ClaimPassages]) -> Iterator[list[float]]:
        """Return the log-probabilities of the verdicts, in order."""
        inputs: list[Input] = [(claim, [("", one.text) for one in passages]) for claim, passages in asked]
        return iter(finite(self.model.log_probabilities(inputs)).tolist() if inputs else [])


def _without_repetitions(
    claim: str, passages: Sequence[Passage], alone: Iterator[list[float]]
) -> tuple[list[Passage], list[list[float]]]:
    """Return the passages that do not only repeat the claim, and their probabilities when read alone; takes as many
    readings from `alone` as there are passages."""
    read = [(one, [math.exp(score) for score in next(alone)]) for one in passages]
    kept = [(one, row) for one, row in read if not _is_repeated(claim, one, row)]
    return [one for one, _ in kept], [row for _, row in kept]


def _is_repeated(claim: str, passage: Passage, read: Sequence[float]) -> bool:
    """Return True unless the passage does more for Refuted: then it quotes the claim in order to correct it."""
    supported, refuted = (read[VERDICTS.index(one)] for one in (Verdict.SUPPORTED, Verdict.REFUTED))
    return refuted <= supported and repeats(claim, passage)


def passages_of(pairs: Sequence[QAPair], speaker: str = "") -> list[Passage]:
    """Return the answers of the first `MOST` pairs as passages; `speaker` made the claim."""
    return [passage_of(pair, speaker) for pair in pairs[:MOST]]


def passage_of(pair: QAPair, speaker: str = "") -> Passage:
    """Return the answer as a passage; a bare one, such as "No", with its question before it."""
    url = pair.url if isinstance(pair.url, str) else next(iter(pair.url), "")
    is_bare = len(pair.answer.split()) <= _BARE
    return Passage(f"{pair.question} {pair.answer}".strip() if is_bare else pair.answer, url, speaker)


def is_stacker(folder: Path) -> bool:
    """Return True if the folder holds a fitted stacker."""
    return (folder / STACKER).is_file()


def reader_of(source: Path | None) -> Path:
    """Return the folder of the model that reads passages: a stacker's own `reader/` if it is there, else READER."""
    own = source / _OWN_READER if source and is_stacker(source) else READER
    return own if is_trained(own) else READER


def read_stacker(folder: Path) -> Stacker:
    """Return what was fitted. Raises InputError when the file is damaged or of other features."""
    stacker = read_json(folder / STACKER, Stacker)
    if stacker.task != TASK or stacker.features != FEATURES:
        raise InputError("was fitted on other features; src.training.fit_stacker fits it anew", path=folder / STACKER)
    for name, numbers in (("means", stacker.means), ("scales", stacker.scales), *_rows(stacker)):
        if len(numbers) != len(FEATURES):
            raise InputError(f"{len(numbers)} numbers for {len(FEATURES)} features", path=folder / STACKER, field=name)
    if len(stacker.weights) != len(VERDICTS) or len(stacker.biases) != len(VERDICTS) or not all(stacker.scales):
        raise InputError("is damaged: a row for each verdict, and no scale of 0", path=folder / STACKER)
    return stacker


def _rows(stacker: Stacker) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield the weights of each verdict by their field."""
    yield from ((f"weights[{place}]", row) for place, row in enumerate(stacker.weights))


def load_stacked_verdict(folder: Path, reading: Classifier) -> StackedVerdict:
    """Load a stacker; `reading` is the verdict model that it was fitted on.

    Raises InputError when the file is damaged or was fitted on another model.
    """
    stacker, model = read_stacker(folder), JointVerdict([reading])
    if stacker.joint != model.members[0]:
        message = (
            f"was fitted on another model than {reading.info.spec}; put that model into {folder / _OWN_READER}, or fit "
            f"the stacker on this one: src.training.fit_stacker --joint {reading.info.spec}"
        )
        raise InputError(message, path=folder / STACKER, field="joint")
    return StackedVerdict(stacker, Readings(model), StanceReader(Entailment(reading)), folder.name)
