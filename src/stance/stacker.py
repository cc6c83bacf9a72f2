"""Stacked verdict (Wolpert 1992): a small model that combines the outputs of one or two verdict models (the readers).

Each reader judges every passage alone and all passages together. A multinomial logistic regression combines features of
these judgments (`readings.py`) to probabilities of the four verdicts, with a level and a conformal set (`levels.py`).
`src.training.fit_stacker` fits it on claims that no reader was trained on. The readers' best training steps and
temperatures, however, were chosen on the same claims.

Limitations: English; only the first `MOST` passages of a claim count. A proof that needs several passages is detected
only if they all fit into the input in which they are read together.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from src.canonical_url import web_address
from src.errors import InputError
from src.llm.protocol import ModelInfo
from src.models.classifier import Classifier
from src.models.entailment import Entailment
from src.models.trained import TRAINED, is_trained
from src.models.veracity import JointVerdict, Judgment, probabilities
from src.records import VERDICTS, Evidence, Level, QAPair, Verdict
from src.stance.levels import Levels
from src.stance.reader import READER, StanceReader
from src.stance.readings import FEATURES, Readings
from src.stance.records import Passage
from src.stance.subject import unnamed_subject
from src.store import read_json

STACKER = "stacker.json"
READERS = ("reader", "second_reader")  # folders beside the stacker, in the order of its readers
TASK = "stacked verdict"
MOST = 10
_BARE = 5  # most words of a bare answer, which is read with its question


class Stacker(msgspec.Struct, frozen=True):
    """Fitted stacker: a multinomial logistic regression over the features of its readers.

    `task`: TASK.
    `readers`: hashes of the readers' weights.
    `features`: names of the features of each reader.
    `means`: mean of each feature, which is subtracted from it.
    `scales`: divisor of each feature after its mean was subtracted.
    `weights`: weights [verdicts][readers x features] of the centered and scaled features.
    `biases`: bias of each verdict.
    `levels`: limits of the levels of its verdicts.
    `seed`: seed of the draw of passages.
    `data`: hash of each file that was read for the fit.
    `settings`: flags of the fit.
    `scores`: scores on each part of the held-out claims. Accuracy, macro-F1, log-loss and calibration error are
        cross-fitted; levels and sets are scored on the claims on which their limits were chosen.
    `baselines`: share of each part's commonest verdict.
    """

    task: str
    readers: tuple[str, ...]
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

    def log_probabilities(self, features: Sequence[float]) -> list[float]:
        """Return the log-probabilities of the four verdicts for a claim with these features."""
        scaled = [(one - mean) / scale for one, mean, scale in zip(features, self.means, self.scales, strict=True)]
        logits = [
            bias + sum(map(float.__mul__, row, scaled)) for row, bias in zip(self.weights, self.biases, strict=True)
        ]
        peak = max(logits)
        total = peak + math.log(sum(math.exp(one - peak) for one in logits))
        return [one - total for one in logits]


_REPEATED = Judgment(Verdict.NOT_ENOUGH_EVIDENCE, None, {"only_repeated": 1}, Level.UNDECIDED, list(VERDICTS))


class StackedVerdict:
    """Verdict model that applies a stacker to the features from its readers.

    `levels`: limits of the reliability levels of its verdicts.
    `info`: description of the model and its readers, for manifests.
    """

    def __init__(self, stacker: Stacker, readings: Readings, reader: StanceReader, name: str = "stacked") -> None:
        self._stacker, self._readings, self._reader, self.levels = stacker, readings, reader, stacker.levels
        self.info = _info_of([one.info for one in readings.models], name)

    def judge(self, claims: Sequence[Evidence]) -> list[Judgment]:
        """Return the judgment of each claim: verdict, probabilities, level, conformal set, and sides of its passages.

        The sides come from the first reader. If all passages only repeat the claim, the verdict is Not Enough Evidence
        by rule, and undecided. If no passage names what the claim is about (`subject.py`), the verdict is undecided,
        and none is ruled out.

        Raises ModelError if a reader fails, MissingExtra when spaCy's small pipeline is not installed.
        """
        with_passages = [(claim.claim, passages_of(claim.evidence, claim.speaker)) for claim in claims]
        features, stances = self._readings.features(with_passages), self._reader.stances(with_passages)
        judged = [self._judgment(self._stacker.log_probabilities(one)) if one else _REPEATED for one in features]
        return [
            _if_named(replace(one, sides=[stance.side for stance in own]), claim, passages)
            for one, own, (claim, passages) in zip(judged, stances, with_passages, strict=True)
        ]

    def _judgment(self, scores: Sequence[float]) -> Judgment:
        chances = probabilities(scores)
        verdict = max(VERDICTS, key=chances.__getitem__)
        level, verdicts = self.levels.of(chances, verdict), self.levels.set_of(chances)
        return Judgment(verdict, chances, {"texts": 1}, level=level, verdict_set=verdicts)


def _if_named(judgment: Judgment, claim: str, passages: Sequence[Passage]) -> Judgment:
    """Return the judgment; undecided, without a verdict ruled out, if no passage names what the claim is about."""
    if not (unnamed := unnamed_subject(claim, passages)):
        return judgment
    counts = {**judgment.counts, "subject_unnamed": 1}
    return replace(judgment, counts=counts, level=Level.UNDECIDED, verdict_set=list(VERDICTS), unnamed=unnamed)


def passages_of(pairs: Sequence[QAPair], speaker: str = "") -> list[Passage]:
    """Return the answers of the first `MOST` pairs as passages; `speaker` is the person who made the claim."""
    return [passage_of(pair, speaker) for pair in pairs[:MOST]]


def passage_of(pair: QAPair, speaker: str = "") -> Passage:
    """Return the answer of a pair as a passage. A short answer, such as "No", is preceded by its question.

    A text of the user is not: it answers no question, and the question may have the claim in it.
    """
    is_own = bool(pair.url) and not web_address(pair.url)
    is_bare = len(pair.answer.split()) <= _BARE and not is_own
    return Passage(f"{pair.question} {pair.answer}".strip() if is_bare else pair.answer, pair.url, speaker)


def _info_of(readers: Sequence[ModelInfo], name: str) -> ModelInfo:
    """Return the ModelInfo of the stacker: that of the first reader, with the engines of all readers.

    The fields of the second reader become `details` with the prefix `second_reader_`.
    """
    first, *others = readers
    details = first.details | {"stacked_on": ", ".join(one.name for one in readers)}
    for role, one in zip(READERS[1:], others, strict=False):
        known = {"spec": one.spec, "engine": one.engine, "sha256": str(one.sha256)} | one.details
        details |= {f"{role}_{field}": value for field, value in known.items()}
    engine = ", ".join(dict.fromkeys(one.engine for one in readers))
    is_deterministic = all(one.deterministic for one in readers)
    return replace(first, name=name, engine=engine, details=details, deterministic=is_deterministic)


def is_stacker(folder: Path) -> bool:
    """Return True if the folder has a fitted stacker."""
    return (folder / STACKER).is_file()


def readers_of(source: Path | None) -> dict[str, Path]:
    """Return the folder of each model that reads passages, by its name in READERS.

    A stacker's own `reader/` is used if it exists, else READER; its `second_reader/` is used if it exists.
    """
    own = {name: source / name for name in READERS} if source is not None and is_stacker(source) else {}
    return {READERS[0]: READER} | {name: folder for name, folder in own.items() if is_trained(folder)}


def read_stacker(folder: Path) -> Stacker:
    """Return the fitted stacker of a folder.

    Raises InputError if the file is damaged or was fitted on other features.
    """
    stacker = read_json(folder / STACKER, Stacker)
    if stacker.task != TASK or stacker.features != FEATURES:
        raise InputError("was fitted on other features; src.training.fit_stacker fits it anew", path=folder / STACKER)
    expected = len(FEATURES) * len(stacker.readers)
    for name, numbers in (("means", stacker.means), ("scales", stacker.scales), *_rows(stacker)):
        if len(numbers) != expected:
            raise InputError(f"{len(numbers)} numbers for {expected} features", path=folder / STACKER, field=name)
    if (
        not stacker.readers
        or len(stacker.weights) != len(VERDICTS)
        or len(stacker.biases) != len(VERDICTS)
        or not all(stacker.scales)
    ):
        raise InputError(
            "is damaged: one reader or more, a row for each verdict, and no scale of 0", path=folder / STACKER
        )
    return stacker


def _rows(stacker: Stacker) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield each verdict's row of weights, with the name of its field for error messages."""
    yield from ((f"weights[{place}]", row) for place, row in enumerate(stacker.weights))


def load_stacked_verdict(folder: Path, load: Callable[[Path], Classifier]) -> StackedVerdict:
    """Load a stacker and its readers; `load` loads a reader from its folder.

    Raises InputError if the file is damaged or was fitted on other models; also the errors of `load`.
    """
    stacker, folders = read_stacker(folder), readers_of(folder)
    anew = (
        f"fit the stacker on what is there: src.training.fit_stacker --readers {' '.join(map(str, folders.values()))}"
    )
    if len(folders) < len(stacker.readers):
        message = f"has a second reader, but {folder / READERS[1] / TRAINED} is not there; bring it, or {anew}"
        raise InputError(message, path=folder / STACKER, field="readers")
    if len(folders) > len(stacker.readers):
        message = f"has one reader, but {folder / READERS[1]} is there; remove it, or {anew}"
        raise InputError(message, path=folder / STACKER, field="readers")
    readings: list[Classifier] = []
    models: list[JointVerdict] = []
    for (name, place), fitted in zip(folders.items(), stacker.readers, strict=True):
        readings.append(load(place))
        models.append(JointVerdict(readings[-1:]))
        if models[-1].members != (fitted,):
            message = f"was fitted on another model than {place}; put that model into {folder / name}, or {anew}"
            raise InputError(message, path=folder / STACKER, field="readers")
    return StackedVerdict(stacker, Readings(models), StanceReader(Entailment(readings[0])), folder.name)
