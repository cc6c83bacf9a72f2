"""Recipes for generating questions: the published one, a quick one for small models, and one for trained adapters.

published: 10 examples, 2 beams, no bigram twice (the prompt counts too), prompt and answer within 5000 tokens,
bfloat16.

greedy: one beam, no ban of repeated n-grams, stopped at the first question mark; 2 examples for the bundled model, else
10; without the layout's last space, which byte-pair vocabularies write as part of the next word.

trained: for a model with an adapter. There are no examples, the claim is shown, and it stops at the question mark.
Besides the greedy question, 11 are sampled, and one is chosen for each sentence (`choice.py`). A question that is not
sound (`soundness.py`) is repaired or replaced. This is the default of the bundled model if its adapter exists.
"""

import msgspec

from src.errors import StrictError
from src.llm.protocol import ModelInfo, Reading, Request
from src.llm.weights import PRETRAINED
from src.reranking.questions.prompt import LONGEST_REPLY

SHIPPED = PRETRAINED / "adapters" / "question_generator"  # the bundled model's


class Recipe(msgspec.Struct, frozen=True):
    """A recipe for generating questions.

    `num_examples`: number of in-context examples.
    `num_beams`: beams of the search.
    `no_repeat_ngram_size`: n-grams of this length never repeat; 0: no ban.
    `max_new_tokens`: maximum number of tokens of an answer.
    `max_length`: maximum number of tokens of prompt and answer together; None: only `max_new_tokens` counts.
    `stop`: texts at which generation stops.
    `last_space`: True to keep the space at the end of the published prompt.
    `shows_claim`: True for the prompt that adapters are trained on, which shows the claim.
    `samples`: number of questions that are sampled besides the first one.
    `temperature`: temperature of these samples.
    `keeps_sound`: True to repair a question that is not sound, or to replace it by another sample or the template.
    """

    num_examples: int
    num_beams: int
    no_repeat_ngram_size: int
    max_new_tokens: int
    max_length: int | None
    stop: tuple[str, ...]
    last_space: bool
    shows_claim: bool = False
    samples: int = 0
    temperature: float = 0.9
    keeps_sound: bool = False

    def request(self, prompt: str, *, chat: bool, system: str, seed: int | None = None, shared: int = 0) -> Request:
        """Return the request for the first question; with a `seed`, return the request for a sampled one.

        The first `shared` characters of the prompt begin other prompts, too.
        """
        return Request(
            prompt=prompt if self.last_space else prompt.rstrip(" "),
            chat=chat,
            system=system,
            max_new_tokens=self.max_new_tokens,
            max_length=self.max_length,
            stop=self.stop,
            num_beams=self.num_beams,
            no_repeat_ngram_size=self.no_repeat_ngram_size,
            temperature=0.0 if seed is None else self.temperature,
            seed=seed or 0,
            role="question_writer",
            reading=Reading(LONGEST_REPLY, "?"),
            shared=shared,
        )

    def room(self, context: int | None) -> int | None:
        """Return the most tokens that a prompt may have; None if there is no limit.

        `context` is the model's context in tokens.
        """
        bounds = [bound for bound in (context, self.max_length) if bound is not None]
        return min(bounds) - self.max_new_tokens if bounds else None


PUBLISHED = Recipe(10, 2, 2, max_new_tokens=64, max_length=5000, stop=(), last_space=True)
GREEDY = Recipe(10, 1, 0, max_new_tokens=48, max_length=None, stop=("?", "\n\n"), last_space=False)
TRAINED = Recipe(
    0, 1, 0, max_new_tokens=48, max_length=None, stop=("?",), last_space=False, shows_claim=True, samples=11,
    keeps_sound=True,
)  # fmt: skip
RECIPES = {"published": PUBLISHED, "greedy": GREEDY, "trained": TRAINED}


def within(recipe: Recipe, model: ModelInfo, *, strict: bool) -> tuple[Recipe, list[str]]:
    """Return the recipe without the parts that the engine does not support, and notes on these parts.

    Raises StrictError if `strict` and there are such parts.
    """
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
