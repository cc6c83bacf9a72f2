"""The model card of a trained model, made of its record and of the runs that differ only in the seed."""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev

from src.models.trained import Trained
from src.training.artifacts.results import Result
from src.training.entailment.pack_sets import SETS

CARD = "README.md"
TASKS = {
    "question_generator": "Writes the question that an evidence sentence answers about a claim.",
    "reranker": "Scores how well a question with its answer serves as evidence for a claim.",
    "veracity": "Gives the verdict on a claim from its evidence, with probabilities.",
    "entailment": "Tells whether passages entail a sentence, contradict it, or neither, with probabilities.",
    "faithfulness": "Tells which words of an explanation are unfaithful to its evidence, and in which of nine ways.",
}
OTHER_DATA = {
    "hover": "Of HOVER (CC BY-SA 4.0) a fifth, by groups of claims that share pages.",
    "politihop": "Of PolitiHop's train the first explanations, sentences of PolitiFact's rulings.",
    "feverous": "Of FEVEROUS-S (CC BY-SA 3.0, text of Wikipedia) a fifth, by groups of claims that share pages.",
}
CHOSEN = "The step with the best of them was kept, so that they are a little too good; a test split says more."
IN_CONTRAST = (
    "Some rows are also learned in pairs that differ in one place (a name, a number, `not`), and beside them made "
    "passages with figures or dates (`src/training/entailment/contrast`)."
)


def model_card(trained: Trained, runs: Sequence[Result] = (), beside: Sequence[str] = ()) -> str:
    """Return the card as Markdown: purpose, base, data, scores of the model and of all `runs` of its recipe, settings.

    `beside` are the folders of other runs that are used together with it.
    """
    kind = "a LoRA adapter" if trained.recipe.get("rank") else "a model"
    base = f"`{trained.base}`" + (f" (weights sha256 `{trained.base_sha256}`)" if trained.base_sha256 else "")
    parts = [
        f"# {trained.task}",
        f"{TASKS.get(trained.task, trained.task)} This is {kind} trained from {base}; input layout "
        f"`{trained.layout}`, at most {trained.max_length} tokens.",
        *([_asked_together(beside)] if beside else []),
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
    if trained.floors:
        parts += [
            "Floors:",
            _table(("score", "value"), {name: f"{value:.4f}" for name, value in trained.floors.items()}),
        ]
    if len(runs) > 1:
        parts += [
            f"{_own_seed(trained)} All runs of the recipe, a repeated seed being one trained again; mean and "
            "deviation are over the last run of each seed:"
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
    """Return the part on the sets of an inference pack with their licenses; empty if none was used."""
    names = [name for name in SETS if f"{name}.jsonl.gz" in data]
    if not names:
        return []
    told = "Sets of the inference pack (no test row was read; 3 % of the claims are held out):"
    head = "| set | rows at most | license |"
    rows = [f"| {name} | {SETS[name].most} | {SETS[name].license} |" for name in names]
    return [told, "\n".join([head, "|---|---|---|", *rows])]


def _asked_together(beside: Sequence[str]) -> str:
    names = ", ".join(f"`{name}`" for name in beside)
    return (
        f"Other runs of the same training stand in {names}. Whoever loads this folder asks all of them, and their "
        "log-probabilities are averaged; where there is a `together.json`, it has the decision fitted for all "
        "and their scores. The scores below are of this run alone."
    )


def _over_seeds(runs: Sequence[Result]) -> str:
    """Return a table with a row for each score and a column for each run.

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
    """Return True if the held-out score was taken once, so that no step was chosen among several."""
    return bool(trained.recipe.get("steps")) and trained.recipe["every"] >= trained.recipe["steps"]


def _table(head: tuple[str, str], rows: Mapping[str, str]) -> str:
    return "\n".join(
        [f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    )
