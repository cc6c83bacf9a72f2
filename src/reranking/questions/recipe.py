"""How questions are generated: the published recipe, or a quick one for small models.

published  10 examples, 2 beams, no bigram twice (the prompt counts too), prompt and answer within 5000 tokens, bfloat16
greedy     one beam, nothing banned, stopped at the first question mark; 2 examples for the bundled model, else 10;
           without the layout's last space, which byte-pair vocabularies write as part of the next word
"""

from argparse import ArgumentParser, Namespace

import msgspec

from src.errors import StrictError
from src.llm.protocol import ModelInfo, Request
from src.runner.arguments import natural, positive


class Recipe(msgspec.Struct, frozen=True):
    """`max_length` bounds prompt and answer together, in tokens; None leaves it to `max_new_tokens`."""

    num_examples: int
    num_beams: int
    no_repeat_ngram_size: int
    max_new_tokens: int
    max_length: int | None
    stop: tuple[str, ...]
    last_space: bool

    def request(self, prompt: str, *, chat: bool, system: str) -> Request:
        return Request(
            prompt=prompt if self.last_space else prompt.rstrip(" "),
            chat=chat,
            system=system,
            max_new_tokens=self.max_new_tokens,
            max_length=self.max_length,
            stop=self.stop,
            num_beams=self.num_beams,
            no_repeat_ngram_size=self.no_repeat_ngram_size,
            role="question_writer",
        )

    def room(self, context: int | None) -> int | None:
        """Tokens that a prompt may have, None when nothing bounds it."""
        bounds = [bound for bound in (context, self.max_length) if bound is not None]
        return min(bounds) - self.max_new_tokens if bounds else None


PUBLISHED = Recipe(10, 2, 2, max_new_tokens=64, max_length=5000, stop=(), last_space=True)
GREEDY = Recipe(10, 1, 0, max_new_tokens=48, max_length=None, stop=("?", "\n\n"), last_space=False)


def add_recipe(flags: ArgumentParser) -> None:
    """The flags that choose and change a recipe."""
    flags.add_argument("--recipe", choices=["published", "greedy"], help="default: greedy, published for hub models")
    flags.add_argument("--num_examples", type=natural, help="in-context examples for each sentence")
    flags.add_argument("--num_beams", type=positive, help="beams of the search")
    flags.add_argument("--no_repeat_ngram_size", type=natural, help="n-grams of this length never repeat; 0: no ban")
    flags.add_argument("--max_new_tokens", type=positive, help="tokens of an answer at most")
    flags.add_argument("--strict", action="store_true", help="refuse an engine that cannot follow the recipe")


def chosen_recipe(args: Namespace) -> Recipe:
    """The recipe of the model, changed by the flags that were given; the others are filled in, for the manifest."""
    bundled = args.llm.split(":")[0] == "smollm2"
    by_engine = args.llm.split(":")[0] in {"gguf", "openai", "scripted"}
    bound = args.max_new_tokens  # given, it bounds the answer instead of max_length
    args.recipe = args.recipe or ("greedy" if bundled or by_engine else "published")
    recipe = PUBLISHED if args.recipe == "published" else GREEDY
    if bundled and args.recipe == "greedy":
        recipe = msgspec.structs.replace(recipe, num_examples=2)
    if args.recipe == "published":
        args.dtype = args.dtype or "bfloat16"
    for name in ("num_examples", "num_beams", "no_repeat_ngram_size", "max_new_tokens"):
        if getattr(args, name) is None:
            setattr(args, name, getattr(recipe, name))
        recipe = msgspec.structs.replace(recipe, **{name: getattr(args, name)})
    return recipe if bound is None else msgspec.structs.replace(recipe, max_length=None)


def within(recipe: Recipe, model: ModelInfo, *, strict: bool) -> tuple[Recipe, list[str]]:
    """The recipe that the engine can follow, and in words what it leaves out. Raises StrictError if `strict`."""
    notes = []
    if recipe.num_beams > 1 and "beams" not in model.can:
        notes.append(f"{recipe.num_beams} beams asked for, greedy used: {model.engine} has no beam search")
        recipe = msgspec.structs.replace(recipe, num_beams=1)
    if recipe.no_repeat_ngram_size > 0 and "ngram_ban" not in model.can:
        notes.append(f"no_repeat_ngram_size {recipe.no_repeat_ngram_size} left out: {model.engine} has no n-gram ban")
        recipe = msgspec.structs.replace(recipe, no_repeat_ngram_size=0)
    if notes and strict:
        raise StrictError("; ".join(notes))
    return recipe, notes
