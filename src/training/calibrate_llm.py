"""Step: fit temperature, biases and levels for `one_call`, on its predictions for claims with labels.

    python -m src.prediction.one_call -i train_top_k_sentences.json -c data/train.json -o train_prediction.json --llm M
    python -m src.training.calibrate_llm -i train_prediction.json --label_file data/train.json -o M.json
    python -m src.prediction.one_call --llm M --calibration M.json

The predictions must be made without a calibration, by one model with one prompt. Of a model with an adapter, only the
claims count that every training holds out. Printed accuracy, macro-F1 and calibration error are cross-fitted: a
claim is scored by what was fitted on the others. Failed claims are left out.

Limitations: ratings take few values, so that many claims are equally probable, and levels need some hundred claims. The
limits of the levels, their shares and their precision are of the same claims as the final temperature: with a
temperature of each fold, equal ratings would have other probabilities in fitting than in use.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np

from src.atomic_file import write_whole
from src.errors import InputError
from src.llm.protocol import SERVER_FIELDS
from src.one_call.verdict import EDGES, OF_CALLS, Calibration, judged_by
from src.prediction.prediction_files import labelled, refuse_claims
from src.records import VERDICTS, Level, Prediction
from src.runner.console import how_many, say
from src.runner.manifest import Manifest, read_manifest
from src.runner.paths import check_output, existing_file
from src.runner.step import step
from src.settings import Flag
from src.stance.levels import Levels, fit_levels, with_shares
from src.store import read_by_claim, read_claims, read_json
from src.training.calibration import (
    Floats,
    Ints,
    calibration_error,
    class_scores,
    cross_fitted,
    fit_decision,
    folds_of,
    log_softmax,
)
from src.training.regression import ALPHA, FEWEST, FIRM, LEANING
from src.training.split import is_held_out

STEP = "src.prediction.one_call"
FEWEST_CLAIMS = 40
DIGITS = 4  # decimals of a probability that is computed again from the file's six, at another temperature


class CalibrateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step."""

    prediction_file: Annotated[Path, Flag("predictions of src.prediction.one_call", "-i", "--prediction_file")]
    label_file: Annotated[Path, Flag("the claims with their labels")] = Path("data/train.json")
    output: Annotated[Path, Flag("the file for --calibration", "-o", "--output")]


class Rated(NamedTuple):
    """Claims with a prediction: texts, log-probabilities [claims, verdicts], and labels as indices of VERDICTS."""

    texts: list[str]
    logits: Floats
    labels: Ints


@step(CalibrateSettings)
def main(settings: CalibrateSettings) -> int:
    path = existing_file(settings.prediction_file, f"python -m {STEP}")
    check_output(settings.output, {"prediction_file": path, "label_file": settings.label_file}, "calibration")
    _check_replaced(settings.output)
    manifest = _manifest(path)
    rated = _rated(path, settings.label_file, has_adapter=_adapter(manifest) is not None)
    calibration, lines = fitted(rated, manifest)
    write_whole(settings.output, msgspec.json.format(msgspec.json.encode(calibration), indent=2) + b"\n")
    for line in (*lines, f"-> {settings.output}"):
        say(f"calibrate_llm: {line}")
    return 0


def _check_replaced(output: Path) -> None:
    """Raise InputError if the output exists and is no calibration."""
    try:
        if output.exists():
            read_json(output, Calibration)
    except InputError:
        raise InputError("is no earlier calibration; name another file, or remove it", path=output) from None


def fitted(rated: Rated, manifest: Manifest) -> tuple[Calibration, list[str]]:
    """Return the calibration that is fitted to the claims, and cross-fitted scores in words.

    `manifest`: manifest of the predictions, which names the model and the settings of its calls.
    """
    part, folds = (rated.logits, rated.labels), folds_of([rated.texts])
    (scaled,), (decided,) = cross_fitted([part], folds)
    temperature, biases = fit_decision([part])
    chances = np.exp(log_softmax(rated.logits / temperature))
    levels = fit_levels(
        chances.tolist(), rated.labels.tolist(), firm=FIRM, leaning=LEANING, alpha=ALPHA, fewest=FEWEST, digits=DIGITS
    )
    zero, one, two, three = (round(float(bias), 4) for bias in biases)
    calibration = Calibration(
        model=manifest.model["name"],
        sha256=manifest.model.get("sha256"),
        prompt=manifest.model["details"]["prompt"],
        settings={name: int(str(manifest.fingerprint.settings[name])) for name in OF_CALLS},
        temperature=temperature,
        biases=(zero, one, two, three),
        levels=levels,
        adapter=_adapter(manifest),
        server_fields=manifest.model["details"].get(SERVER_FIELDS),
    )
    calibration = msgspec.structs.replace(calibration, levels=_in_use(calibration, rated))
    levels, as_rated = calibration.levels, rated.logits.argmax(1)
    lines = [
        f"{how_many(len(rated.labels), 'claim')}, temperature {temperature}",
        _scores("as rated", log_softmax(rated.logits), as_rated, rated.labels),
        _scores("calibrated", scaled, decided, rated.labels),
        f"baseline, the commonest verdict for every claim: accuracy {_commonest(rated.labels):.3f}",
        f"levels of these claims: {_in_words(levels.share)}; likeliest verdict correct: {_in_words(levels.precision)}",
    ]
    if (decided == rated.labels).sum() < (as_rated == rated.labels).sum():
        lines.append("warning: it makes verdicts worse; fit it on more claims, or use the model without it")
    return calibration, lines


def _in_use(calibration: Calibration, rated: Rated) -> Levels:
    """Return the levels with the shares that they have in use, where verdicts that only biases gave are undecided."""
    given = [judged_by(row, calibration).level or Level.UNDECIDED for row in rated.logits.tolist()]
    return with_shares(calibration.levels, given, (rated.logits.argmax(1) == rated.labels).tolist())


def _in_words(shares: Mapping[Level, float]) -> str:
    return ", ".join(f"{level} {share:.0%}" for level, share in shares.items())


def _adapter(manifest: Manifest) -> str | None:
    """Return the hash of the model's adapter, None if it has none."""
    found: str | None = manifest.model["details"].get("adapter_sha256")
    return found


def _scores(name: str, logs: Floats, decided: Ints, labels: Ints) -> str:
    accuracy, f1 = class_scores(decided, labels, len(VERDICTS))
    error = calibration_error(np.exp(logs), labels)
    return f"{name}: accuracy {accuracy:.3f}, macro-F1 {sum(f1) / len(f1):.3f}, calibration error {error:.3f}"


def _commonest(labels: Ints) -> float:
    return float(np.bincount(labels).max() / len(labels))


def _manifest(path: Path) -> Manifest:
    """Return the manifest of the predictions. Raises InputError unless they are of one call, without a calibration."""
    manifest = read_manifest(path)
    if manifest is None or manifest.fingerprint.step != STEP:
        raise InputError(f"is no output of {STEP} with its manifest beside it", path=path)
    if "calibration" in manifest.fingerprint.inputs:
        raise InputError("was made with a calibration; make it again without", path=path)
    return manifest


def _rated(path: Path, label_file: Path, *, has_adapter: bool) -> Rated:
    """Return the claims with a prediction and a label.

    `has_adapter`: the model may have been trained on other claims than those that every training holds out; then only
    these count.

    Raises InputError if they are too few, lack labels, or are other claims than those of the predictions.
    """
    predictions = {one.claim_id: one for one in read_by_claim(path, Prediction) if one.probabilities}
    chosen = [claim for claim in read_claims(label_file) if claim.claim_id in predictions]
    others = [one.claim_id for one in chosen if predictions[one.claim_id].claim.split() != one.claim.split()]
    refuse_claims(f"with another text than in {label_file}; is it the file that they are of?", others, path, "claim")
    if has_adapter:
        chosen = [claim for claim in chosen if is_held_out(claim.claim)]
    golds = labelled(chosen, label_file)
    if len(golds) < FEWEST_CLAIMS:
        which = " that every training holds out" if has_adapter else ""
        message = f"{len(golds)} claims with ratings and labels{which}; at least {FEWEST_CLAIMS} are needed"
        raise InputError(message, path=path)
    chances = [predictions[gold.claim_id].probabilities or {} for gold in golds]
    logits = np.log([[row[verdict] for verdict in VERDICTS] for row in chances]) + EDGES
    return Rated([gold.claim for gold in golds], logits, np.array([VERDICTS.index(gold.label) for gold in golds]))


if __name__ == "__main__":
    raise SystemExit(main())
