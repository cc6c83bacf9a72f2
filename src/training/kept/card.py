"""The model card of a trained model, made from its record."""

from collections.abc import Mapping

from src.models.trained import Trained

TASKS = {
    "question_generator": "Writes the question that an evidence sentence answers about a claim.",
    "reranker": "Scores how well a question with its answer serves as evidence for a claim.",
    "veracity": "Gives the verdict on a claim from its evidence, with probabilities.",
}


def model_card(trained: Trained) -> str:
    """Markdown: what it does, what it came from, how it was trained, how it did."""
    kind = "a LoRA adapter" if trained.recipe.get("rank") else "a model"
    base = f"`{trained.base}`" + (f" (weights sha256 `{trained.base_sha256}`)" if trained.base_sha256 else "")
    parts = [
        f"# {trained.task}",
        f"{TASKS.get(trained.task, trained.task)} This is {kind} trained from {base}; input layout "
        f"`{trained.layout}`, at most {trained.max_length} tokens.",
        "## Data",
        "A tenth of the training claims, chosen by their text, is held out.",
        _table(("claims", "how many"), {name: str(count) for name, count in trained.claims.items()}),
        _table(("file", "sha256"), {name: f"`{value}`" for name, value in trained.data.items()}),
        "AVeriTeC is CC BY-NC 4.0, and so are these weights.",
        "## Scores on held-out claims",
        "The step with the best of them was kept, so that they are a little too good; a test split says more.",
        _table(("score", "value"), {name: f"{value:.4f}" for name, value in trained.scores.items()}),
    ]
    if trained.floors:
        parts += [
            "Floors:",
            _table(("score", "value"), {name: f"{value:.4f}" for name, value in trained.floors.items()}),
        ]
    if trained.temperature != 1.0:
        parts.append(f"Logits are divided by {trained.temperature:.4f} (fitted on held-out claims).")
    if trained.biases:
        added = ", ".join(f"{label} {bias:g}" for label, bias in zip(trained.labels, trained.biases, strict=True))
        parts.append(f"Added to the log-probabilities for the verdict (fitted on held-out claims): {added}.")
    settings = {name: f"`{value}`" for name, value in trained.recipe.items() if name != "options"}
    settings |= {name: f"`{value}`" for name, value in trained.recipe.get("options", {}).items()}
    parts += ["## Recipe", _table(("setting", "value"), settings), "![loss and held-out score](loss.svg)"]
    made = [f"code {trained.revision}"] if trained.revision else []
    made += [f"{name} {version}" for name, version in trained.packages.items()]
    return "\n\n".join([*parts, f"Made with {', '.join(made)}."] if made else parts) + "\n"


def _table(head: tuple[str, str], rows: Mapping[str, str]) -> str:
    return "\n".join(
        [f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    )
