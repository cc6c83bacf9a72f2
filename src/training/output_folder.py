"""The output folder of a training: weights in bfloat16, `training.json`, a model card and the loss curve.

It is written whole or not at all. With LoRA it is an adapter in peft's format. Otherwise it has the model and the
tokenizer as their `save_pretrained` writes them (a classifier: the trained weights only).

The loss curve is an SVG with the loss on training claims and the held-out score over the steps, each on its own scale.
"""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import msgspec

from src.atomic_folder import whole_folder
from src.json_decoding import decode
from src.llm.adapter import CONFIG
from src.llm.adapter import WEIGHTS as ADAPTER
from src.models.trained import TRAINED, Trained
from src.training.entailment.pack import SETS
from src.training.results import Result
from src.training.run_folder import History

CARD = "README.md"
TASKS = {
    "one_call": "Writes question-answer pairs, a justification and ratings of the labels in one reply about a claim.",
    "question_generator": "Writes the question that an evidence sentence answers about a claim.",
    "reranker": "Scores how well a question with its answer serves as evidence for a claim.",
    "veracity": "Gives the verdict on a claim from its evidence, with probabilities.",
    "entailment": "Decides whether passages entail a sentence, contradict it, or neither, with probabilities.",
    "faithfulness": (
        "Finds words of an explanation that are unfaithful to its evidence, and which of nine errors it is."
    ),
}
OTHER_DATA = {
    "hover": "A fifth of HOVER's claims (CC BY-SA 4.0) is held out, by groups that share pages.",
    "politihop": "Also used: the first explanations of PolitiHop's train, which are sentences of PolitiFact's rulings.",
    "feverous": (
        "A fifth of FEVEROUS-S's claims (CC BY-SA 3.0, text of Wikipedia) is held out, by groups that share pages."
    ),
}
CHOSEN = "The step with the best scores was kept, so they are a little too good; a test split is more reliable."
IN_CONTRAST = (
    "Some rows are also learned in pairs that differ in one place (a name, a number, `not`), beside synthetic "
    "passages with figures or dates (`src/training/entailment/contrast_pairs.py`)."
)
WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 64, 36, 40
LOSS, SCORE, INK, FAINT = "#3465a4", "#c4651a", "#333333", "#dddddd"
SMOOTH = 5  # most logged losses over which a point of the curve is averaged
Points = Sequence[tuple[int, float]]


def save_trained(
    folder: Path, model: Any, tokenizer: Any, trained: Trained, curve: str, runs: Sequence[Result]
) -> None:
    """Write the output folder atomically. `runs` are the results of all runs of the recipe so far, for the model card.

    Raises OutputError when the folder cannot be written.
    """
    with whole_folder(folder) as aside:
        _save_model(aside, model, tokenizer, trained.base)
        (aside / TRAINED).write_bytes(msgspec.json.format(msgspec.json.encode(trained), indent=2) + b"\n")
        (aside / CARD).write_text(model_card(trained, runs), encoding="utf-8")
        (aside / "loss.svg").write_text(curve, encoding="utf-8")


def _save_model(folder: Path, model: Any, tokenizer: Any, base: str) -> None:
    import torch

    if not hasattr(model, "peft_config"):
        model.to(torch.bfloat16).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return
    model.save_pretrained(folder)
    _halve(folder / ADAPTER)
    config = decode((folder / CONFIG).read_bytes(), dict[str, Any])
    config["base_model_name_or_path"] = base  # not its path on this machine
    config["target_modules"] = sorted(config["target_modules"])  # a set: its order changes from run to run
    (folder / CONFIG).write_bytes(msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n")


def _halve(path: Path) -> None:
    """Rewrite a safetensors file with its weights in bfloat16."""
    from safetensors.torch import load_file, save_file

    save_file({name: weight.bfloat16() for name, weight in load_file(path).items()}, path, metadata={"format": "pt"})


def model_card(trained: Trained, runs: Sequence[Result] = (), beside: Sequence[str] = ()) -> str:
    """Return a trained model's card as Markdown: purpose, base, data, scores and recipe.

    `runs`: results of all runs of the recipe, for a table.
    `beside`: folders of other runs that are used together with the model as an ensemble.
    """
    kind = "a LoRA adapter" if trained.recipe.get("rank") else "a model"
    base = f"`{trained.base}`" + (f" (weights sha256 `{trained.base_sha256}`)" if trained.base_sha256 else "")
    parts = [
        f"# {trained.task}",
        f"{TASKS.get(trained.task, trained.task)} This is {kind} trained from {base}; input layout "
        f"`{trained.layout}`, at most {trained.max_length} tokens.",
        *([_ensemble_note(beside)] if beside else []),
        "## Data",
        " ".join(
            [
                "A tenth of the training claims, chosen by their text, is held out.",
                *(text for name, text in OTHER_DATA.items() if any(name in file for file in trained.data)),
            ]
        ),
        _table(("claims", "how many"), {name: str(count) for name, count in trained.claims.items()}),
        _table(("file", "sha256"), {name: f"`{value}`" for name, value in trained.data.items()}),
        *_of_pack(trained.data),
        *([IN_CONTRAST] if trained.recipe.get("options", {}).get("contrast") else []),
        "AVeriTeC is CC BY-NC 4.0, and so are these weights.",
        "## Scores on held-out claims",
        *([] if _is_scored_once(trained) else [CHOSEN]),
        _table(("score", "value"), {name: f"{value:.4f}" for name, value in trained.scores.items()}),
    ]
    if trained.baselines:
        parts += [
            "Baselines:",
            _table(("score", "value"), {name: f"{value:.4f}" for name, value in trained.baselines.items()}),
        ]
    if len(runs) > 1:
        parts += [
            f"{_own_seed(trained)} All runs of the recipe; mean and deviation are over the last run of each seed:"
        ]
        parts += [_over_seeds(runs)]
    if trained.temperature != 1.0:
        parts.append(f"Logits are divided by {trained.temperature:.4f} (fitted on held-out claims).")
    if trained.biases:
        added = ", ".join(f"{label} {bias:g}" for label, bias in zip(trained.labels, trained.biases, strict=True))
        parts.append(f"Added to the log-probabilities for the verdict (fitted on held-out claims): {added}.")
    settings = {name: f"`{value}`" for name, value in trained.recipe.items() if name != "options"}
    settings |= {name: f"`{value}`" for name, value in trained.recipe.get("options", {}).items()}
    parts += ["## Recipe", _table(("setting", "value"), settings)]
    if not trained.mean_of:
        parts += ["![loss and held-out score](loss.svg)"]
    made = [f"code {trained.revision}"] if trained.revision else []
    made += [f"{name} {version}" for name, version in trained.packages.items()]
    return "\n\n".join([*parts, f"Made with {', '.join(made)}."] if made else parts) + "\n"


def _own_seed(trained: Trained) -> str:
    if not trained.mean_of:
        return f"This one is seed {trained.seed}."
    return f"These weights are the mean of the runs of seeds {', '.join(map(str, trained.mean_of))}."


def _of_pack(data: Mapping[str, str]) -> list[str]:
    """Return the model card's paragraphs on the inference pack's sets and licenses; empty if none was used."""
    names = [name for name in SETS if f"{name}.jsonl.gz" in data]
    if not names:
        return []
    text = "Sets of the inference pack (no test row was read; 3 % of the claims are held out):"
    head = "| set | rows at most | license |"
    rows = [f"| {name} | {SETS[name].most} | {SETS[name].license} |" for name in names]
    return [text, "\n".join([head, "|---|---|---|", *rows])]


def _ensemble_note(beside: Sequence[str]) -> str:
    names = ", ".join(f"`{name}`" for name in beside)
    return (
        f"Other runs of the same training are in {names}. A verdict is made from the mean of their log-probabilities. "
        "`together.json`, if it is there, has the decision that is fitted for all runs, and their scores. The scores "
        "below are those of this run alone."
    )


def _over_seeds(runs: Sequence[Result]) -> str:
    """Return a Markdown table with a row for each score and a column for each run.

    The last columns are mean and standard deviation over the last run of each seed.
    """
    last = {run.seed: run for run in runs}.values()
    rows = {"seed": [str(run.seed) for run in runs], "best step": [str(run.best_step) for run in runs]}
    rows |= {"minutes": [f"{run.seconds / 60:.1f}" for run in runs]}
    spread = {name: ["", ""] for name in rows}
    for name in runs[0].scores:
        rows[name] = [f"{run.scores[name]:.4f}" if name in run.scores else "" for run in runs]
        values = [run.scores[name] for run in last if name in run.scores]
        spread[name] = [f"{mean(values):.4f}", f"{stdev(values):.4f}" if len(values) > 1 else ""]
    head = ["", *[f"run {place + 1}" for place in range(len(runs))], "mean", "standard deviation"]
    lines = [head, ["---"] * len(head), *([name, *cells, *spread[name]] for name, cells in rows.items())]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _is_scored_once(trained: Trained) -> bool:
    """Return True if the training took only one held-out score, so that no best step was selected."""
    return bool(trained.recipe.get("steps")) and trained.recipe["every"] >= trained.recipe["steps"]


def _table(head: tuple[str, str], rows: Mapping[str, str]) -> str:
    return "\n".join(
        [f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    )


def loss_curve(title: str, history: History) -> str:
    """Draw training loss and held-out score over the steps as SVG text. The best score is marked."""
    losses = _smoothed([(row.step, row.loss) for row in history.losses])
    scores = [(row.step, row.scores[history.chosen_by]) for row in history.scores]
    last = max(1, history.last_step)
    parts = [_frame(title), _steps(last)]
    parts += _line(losses, last, LOSS, "training loss", LEFT - 6, "end", 0)
    parts += _line(scores, last, SCORE, f"held out: {history.chosen_by}", WIDTH - RIGHT + 6, "start", 1)
    if history.best is not None:
        x, y = _placed([(history.best.step, history.best.scores[history.chosen_by])], last, _range(scores))[0]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{SCORE}"/>')
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    style = 'font-family="sans-serif" font-size="12"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>\n' + "\n".join(parts) + "\n</svg>\n"


def _frame(title: str) -> str:
    box = f'<rect x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"'
    back = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'
    return f'{back}\n{box} fill="none" stroke="{FAINT}"/>\n{_text(title, LEFT, 16, INK, "start")}'


def _steps(last: int) -> str:
    return "\n".join(
        _text(f"step {last * part // 4}", _x(last * part / 4, last), HEIGHT - BOTTOM + 16, INK, "middle")
        for part in range(5)
    )


def _line(points: Points, last: int, colour: str, name: str, x: float, anchor: str, place: int) -> list[str]:
    """Return the SVG elements of one curve: the line, its name below the frame, and its range beside the frame.

    `points`: (step, value) of each point.
    `last`: last step of the training, the right end of the frame.
    `x`, `anchor`: where the range is written, and how that text is aligned.
    `place`: 0 writes the name at the left, 1 at the right.
    """
    if not points:
        return []
    low, high = _range(points)
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in _placed(points, last, (low, high)))
    return [
        f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="1.5"/>',
        _text(_short(high), x, TOP + 10, colour, anchor),
        _text(_short(low), x, HEIGHT - BOTTOM, colour, anchor),
        _text(name, LEFT + place * (WIDTH - LEFT - RIGHT), HEIGHT - 6, colour, "end" if place else "start"),
    ]


def _placed(points: Points, last: int, span: tuple[float, float]) -> list[tuple[float, float]]:
    """Return the points in SVG coordinates; `span` is the range of the values, lowest and highest."""
    low, high = span
    tall = HEIGHT - TOP - BOTTOM - 12
    return [
        (_x(step, last), HEIGHT - BOTTOM - 6 - tall * (value - low) / ((high - low) or 1)) for step, value in points
    ]


def _x(step: float, last: int) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * step / last


def _range(points: Points) -> tuple[float, float]:
    values = [value for _, value in points]
    return min(values), max(values)


def _smoothed(points: Points) -> list[tuple[int, float]]:
    """Return the loss curve as a running mean over up to `SMOOTH` points, because single batches are noisy."""
    values = [value for _, value in points]
    spans = [(max(0, end - SMOOTH), end) for end in range(1, len(points) + 1)]
    return [(points[end - 1][0], sum(values[first:end]) / (end - first)) for first, end in spans]


def _short(value: float) -> str:
    return f"{value:.3g}"


def _text(text: str, x: float, y: float, colour: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'
