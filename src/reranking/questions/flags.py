"""Settings of question generation, and the recipe and writer that follow from them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from src.errors import InputError
from src.llm import Options, get_llm
from src.llm.adapter import CONFIG, WEIGHTS, is_adapter, read_adapter
from src.llm.flags import EngineOptions, llm_flag, model_file
from src.llm.protocol import LanguageModel
from src.records import Claim
from src.reranking.questions.choice import Likeness
from src.reranking.questions.examples import ExampleCorpus
from src.reranking.questions.grammar import question_parser
from src.reranking.questions.prompt import CLAIM_EVIDENCE
from src.reranking.questions.recipe import RECIPES, SHIPPED, Recipe, within
from src.reranking.questions.writer import QuestionWriter
from src.settings import Flag, Natural, Positive

NO_ADAPTER = f"{SHIPPED} is not there, so that the bundled model asks by examples, often beside the point"
NOT_OF_ONE_CALL = (
    "chat", "examples_by", "published_examples", "recipe", "num_beams", "no_repeat_ngram_size", "strict",
)  # fmt: skip
"""Settings of `WriterSettings` that one call to a language model does not read."""
CHANGES = ("num_examples", "num_beams", "no_repeat_ngram_size", "max_new_tokens", "samples")


class WriterSettings(msgspec.Struct, frozen=True):
    """Settings of the model that writes questions, its adapter and its recipe.

    A setting of None gets its default from the model (`resolved`).
    """

    llm: Annotated[str, llm_flag()] = "smollm2"
    engine: EngineOptions = Options()
    adapter: Annotated[Path | None, Flag("folder of a LoRA that was trained on the model")] = None
    chat: Annotated[bool | None, Flag("ask through the model's chat template (default: servers only)")] = None
    examples_by: Annotated[
        Literal["sentence", "claim"],
        Flag("choose examples by each sentence, as published, or by the claim, for a prefix that is read once"),
    ] = "sentence"
    published_examples: Annotated[bool, Flag("keep examples of the target claim itself")] = False
    recipe: Annotated[
        str | None,
        Flag(
            "default: trained with an adapter (the bundled model has one), published for hub models, else greedy",
            choices=RECIPES,
        ),
    ] = None
    num_examples: Annotated[Natural | None, Flag("in-context examples for each sentence")] = None
    num_beams: Annotated[Positive | None, Flag("beams of the search")] = None
    no_repeat_ngram_size: Annotated[Natural | None, Flag("n-grams of this length never repeat; 0: no ban")] = None
    max_new_tokens: Annotated[Positive | None, Flag("tokens of an answer at most")] = None
    samples: Annotated[Natural | None, Flag("further questions drawn for each sentence, to choose among")] = None
    strict: Annotated[bool, Flag("refuse an engine that cannot follow the recipe")] = False

    def inputs(self) -> dict[str, Path]:
        """Return the files of the model and its adapter, by flag; the run's fingerprint covers their content."""
        if self.adapter is None:
            return model_file(self.llm)
        return {**model_file(self.llm), "adapter": self.adapter / WEIGHTS, "adapter_config": self.adapter / CONFIG}

    def model(self) -> LanguageModel:
        """Load the language model with its adapter. Raises InputError or MissingExtra when it cannot be loaded."""
        return get_llm(self.llm, replace(self.engine, adapter=self.adapter))


class ChosenRecipe(msgspec.Struct, frozen=True):
    """A recipe, the settings with all defaults filled in, and notes for the user."""

    recipe: Recipe
    settings: WriterSettings
    notes: list[str] = []


def resolved(settings: WriterSettings) -> ChosenRecipe:
    """Return the recipe for the model, changed by the settings, with the settings after all defaults are filled in.

    Raises InputError when the recipe and the adapter do not go together, or examples are chosen and none is shown.
    """
    name, adapter = _recipe_and_adapter(settings)
    recipe = RECIPES[name]
    if settings.llm.split(":")[0] == "smollm2" and name == "greedy":
        recipe = replace(recipe, num_examples=2)
    given = {change: value for change in CHANGES if (value := getattr(settings, change)) is not None}
    recipe = replace(recipe, **given)
    if settings.max_new_tokens is not None:  # if given, it bounds the answer instead of max_length
        recipe = replace(recipe, max_length=None)
    if settings.examples_by == "claim" and not recipe.num_examples:
        raise InputError("--examples_by claim changes nothing without examples; give --num_examples N")
    engine = settings.engine
    if name == "published":
        engine = replace(engine, dtype=engine.dtype or "bfloat16")
    complete = replace(
        settings,
        recipe=name,
        adapter=adapter,
        engine=engine,
        chat=settings.llm.startswith("openai:") if settings.chat is None else settings.chat,
        **{change: getattr(recipe, change) for change in CHANGES},
    )
    has_none = settings.recipe is None and settings.llm.startswith("smollm2") and adapter is None
    return ChosenRecipe(recipe, complete, [NO_ADAPTER] if has_none else [])


def _recipe_and_adapter(settings: WriterSettings) -> tuple[str, Path | None]:
    """Return the name of the recipe and the adapter: the requested ones, or the defaults of the model.

    Raises InputError when they do not go together.
    """
    kind, recipe, adapter = settings.llm.split(":")[0], settings.recipe, settings.adapter
    if adapter is None and kind == "smollm2" and recipe in (None, "trained") and is_adapter(SHIPPED):
        adapter = SHIPPED
    if recipe is None:
        by_engine = kind in {"smollm2", "gguf", "openai", "scripted"}
        recipe = "trained" if adapter else "greedy" if by_engine else "published"
    if recipe != "trained" and adapter:
        raise InputError(f"--adapter {adapter}: an adapter goes with --recipe trained, not with {recipe}")
    if recipe == "trained":
        if adapter is None:
            raise InputError("--recipe trained needs --adapter FOLDER")
        if settings.num_examples:
            raise InputError(f"--num_examples {settings.num_examples}: the trained recipe has no examples")
        layout = read_adapter(adapter).training.layout
        if layout != CLAIM_EVIDENCE:
            raise InputError(f"was trained on layout {layout!r}, not on {CLAIM_EVIDENCE!r}", path=adapter)
    return recipe, adapter


def question_writer(
    chosen: ChosenRecipe, model: LanguageModel, reference: Sequence[Claim] | None, likeness: Likeness, top_k: int
) -> tuple[QuestionWriter, list[str]]:
    """Return the writer of questions, and notes on parts of the recipe that the model does not support.

    `reference`: claims from which examples are taken, if the recipe shows some.
    `likeness`: function that compares questions.
    `top_k`: maximum number of sentences of a claim.

    Raises StrictError when a part would be left out and `--strict` forbids it, and MissingExtra when the question
    parser is needed and not installed.
    """
    settings = chosen.settings
    followed, left_out = within(chosen.recipe, model.info, strict=settings.strict)
    if followed.keeps_sound:
        question_parser()  # a missing parser is reported before the first claim
    corpus = None if reference is None else ExampleCorpus(reference)
    writer = QuestionWriter(
        model,
        corpus,
        followed,
        likeness,
        top_k,
        chat=bool(settings.chat),
        keep_own_examples=settings.published_examples,
        by_claim=settings.examples_by == "claim",
    )
    return writer, left_out


def refuse_no_sample(settings: WriterSettings) -> None:
    """Raise InputError for `--samples 0` with one call, where samples are replies and not further questions."""
    if settings.samples == 0:
        raise InputError("--samples 0: with --strategy one_call it is the number of replies, at least 1")
