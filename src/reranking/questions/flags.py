"""Flags for the writing of questions, and what they define: a recipe, and the writer that follows it."""

from argparse import ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Sequence

from src.llm.flags import add_adapter_flag, add_model_flags
from src.llm.protocol import LanguageModel
from src.records import Claim
from src.reranking.questions.choice import Likeness
from src.reranking.questions.examples import ExampleCorpus
from src.reranking.questions.grammar import question_parser
from src.reranking.questions.recipe import SHIPPED, Recipe, add_recipe, chosen_recipe, within
from src.reranking.questions.writer import QuestionWriter

NO_ADAPTER = f"{SHIPPED} is not there, so that the bundled model asks by examples, often beside the point"


def add_writer_flags(flags: ArgumentParser) -> None:
    """Add the flags of the model, its adapter and its prompts."""
    add_model_flags(flags, default="smollm2")
    add_adapter_flag(flags)
    flags.add_argument("--chat", action=BooleanOptionalAction,
                       help="ask through the model's chat template (default: servers only)")  # fmt: skip
    flags.add_argument("--published_examples", action="store_true", help="keep examples of the target claim itself")
    add_recipe(flags)


def writer_flags() -> list[str]:
    """Return the names of the flags that `add_writer_flags` adds."""
    flags = ArgumentParser(add_help=False)
    add_writer_flags(flags)
    return [*vars(flags.parse_args([]))]


def recipe_from(args: Namespace) -> tuple[Recipe, list[str]]:
    """Return the recipe and notes on it; open arguments are filled in. Raises InputError as `chosen_recipe` does."""
    by_default = args.recipe is None
    recipe = chosen_recipe(args)
    notes = [NO_ADAPTER] if by_default and args.llm.startswith("smollm2") and args.adapter is None else []
    args.chat = args.llm.startswith("openai:") if args.chat is None else args.chat
    return recipe, notes


def writer_from(
    args: Namespace,
    model: LanguageModel,
    recipe: Recipe,
    reference: Sequence[Claim] | None,
    likeness: Likeness,
    top_k: int,
) -> tuple[QuestionWriter, list[str]]:
    """Return the writer, and notes on parts of the recipe that the model cannot follow.

    `reference` contains the examples, if the recipe shows some. Raises StrictError when `--strict` forbids such a part,
    and MissingExtra when the question parser is needed and not installed.
    """
    followed, left_out = within(recipe, model.info, strict=args.strict)
    if followed.keeps_sound:
        question_parser()  # a missing parser is reported before the first claim
    corpus = None if reference is None else ExampleCorpus(reference)
    keep_own = args.published_examples
    writer = QuestionWriter(
        model, corpus, followed, likeness, top_k, chat=args.chat, keep_own_examples=keep_own
    )  # fmt: skip
    return writer, left_out
