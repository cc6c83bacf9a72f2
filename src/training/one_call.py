"""Training of `one_call`: the prompt about a claim with its sources, without examples, and the reply to write.

The reply (`gold_replies.py`) is in the form of JSON to which engines hold replies. Passages with a gold answer are kept
before others; all that are kept stay in the order of their ranks. Of each label, the claims with the most gold answers
in their passages are learned, since a model writes as many pairs as it has read; labels keep their shares. A claim
without such an answer is left out, unless its label is Not Enough Evidence.

The loss is computed over the reply's tokens only. The score is the mean log-probability of held-out replies, other ones
than those that choose the best weights; the baseline is that of the model without the adapter.

Limitations: the score is no accuracy; run `one_call` on held-out claims for that.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from src.errors import InputError
from src.free_memory import map_large_blocks
from src.llm.chat import prompt_text
from src.llm.protocol import Request
from src.llm.special_tokens import special_of
from src.one_call.answers import ClaimAnswer
from src.one_call.prompt import EvidenceForm, fitted, instructions
from src.one_call.sources import ClaimSources, with_sources
from src.records import Claim, Verdict
from src.reranking.top_file import read_ranked
from src.settings import Flag, Group, Positive
from src.training.gold_replies import gold_reply, shown_sources, sourced_answers
from src.training.recipe import Recipe, RecipeFlags, TrainingSettings, flags_of
from src.training.split import evenly
from src.training.task import Final, Material, Task
from src.training.text_loss import Row, log_probability, text_loss

MOST_RANKED = 10  # passages of a claim in which gold answers are looked for
RECIPE = Recipe(
    "claim and sources", "qwen2.5-coder-1.5b", batch=4, tokens=1, learning_rate=4e-4, max_length=2048, every=30,
    rank=6, alpha=12, targets=("q_proj", "v_proj", "o_proj", "down_proj"), first_layer=14,
)  # fmt: skip


class OneCallTraining(TrainingSettings, frozen=True, kw_only=True):
    """Settings of the training."""

    top_k_sentences: Annotated[
        Path, Flag("ranked passages of training claims, from src.reranking.bm25_sentences", "-i", "--top_k_sentences")
    ]
    changes: Annotated[RecipeFlags, Group("recipe")] = flags_of(RECIPE)
    claims: Annotated[Positive, Flag("claims to learn from, those with the most gold answers in their sources")] = 240
    sources: Annotated[Positive, Flag("sources that the model is shown")] = 5
    top_n: Annotated[Positive, Flag("pairs of question and answer at most")] = 4
    scored: Annotated[Positive, Flag("held-out claims that choose the best weights")] = 12
    measured: Annotated[Positive, Flag("other held-out claims, scored at the end")] = 16

    def recipe(self) -> Recipe:
        """Return the recipe of the training that these settings describe."""
        names = ("claims", "sources", "top_n", "scored", "measured")
        options = {name: getattr(self, name) for name in names}
        return self.changes.over(RECIPE, **options)

    def inputs(self) -> dict[str, Path]:
        return {"top_k_sentences": self.top_k_sentences}


class Example(NamedTuple):
    """A claim to learn from: its label, the number of gold answers in the sources that are shown, and its row."""

    label: Verdict
    answers: int
    row: Row


def examples_of(
    claims: Sequence[Claim], ranked: dict[int, ClaimSources], settings: OneCallTraining, tokenizer: Any
) -> list[Example]:
    """Return an example of each claim of `ranked` from which something can be learned, in the order of `claims`."""
    examples = []
    for claim in claims:
        whole = ranked.get(claim.claim_id)
        if whole is None or not whole.sources or claim.label is None:
            continue
        answers = sourced_answers(claim, whole)[: settings.top_n]
        if answers or claim.label is Verdict.NOT_ENOUGH_EVIDENCE:
            shown = shown_sources(whole, answers, settings.sources)
            reply = gold_reply(claim, shown, answers)
            row = row_of(shown, reply, settings.top_n, tokenizer)
            examples.append(Example(claim.label, len(reply.questions), row))
    return examples


def row_of(shown: ClaimSources, reply: ClaimAnswer, pairs: int, tokenizer: Any) -> Row:
    """Return the row of a claim: the prompt of `one_call` for at most `pairs` pairs, and the reply to learn."""
    special = special_of(tokenizer.added_tokens_decoder)

    def tokens(text: str, *, are_added: bool = False) -> list[int]:
        ids: list[int] = tokenizer(text, add_special_tokens=are_added, verbose=False)["input_ids"]
        return ids

    head = instructions(pairs, EvidenceForm.PAIRS)
    text = fitted(shown, head, (), count=lambda _: [0], room=None).text
    prompt = prompt_text(tokenizer, Request(text, chat=True), special)
    written = json.dumps(msgspec.to_builtins(reply), ensure_ascii=False)
    learned = [*tokens(written), tokenizer.eos_token_id]
    return Row([*tokens(prompt.text, are_added=prompt.special), *learned], len(learned))


def richest(examples: Sequence[Example], most: int) -> list[Example]:
    """Return about `most` of the examples: of each label those with the most answers. Labels keep their shares."""
    share = min(1.0, most / max(1, len(examples)))
    wanted = {label: round(share * count) for label, count in Counter(one.label for one in examples).items()}
    chosen = set()
    for place in sorted(range(len(examples)), key=lambda place: -examples[place].answers):
        if wanted[examples[place].label]:
            wanted[examples[place].label] -= 1
            chosen.add(place)
    return [examples[place] for place in sorted(chosen)]


def one_call_task(settings: OneCallTraining, material: Material) -> Task:
    """Build the training task. Raises InputError when there are no examples, or too few are held out."""
    from src.training.language_model import ALONE, load_causal  # loads torch, which --help does not need

    recipe, split = material.recipe, material.split
    map_large_blocks()
    everything = read_ranked(settings.top_k_sentences)
    shown = with_sources(everything, material.claims, MOST_RANKED, settings.files.train)
    ranked = {one.claim_id: one for one in shown}
    model, tokenizer, pad = load_causal(material.base, recipe, ALONE)
    halves = [examples_of(part, ranked, settings, tokenizer) for part in (split.train, split.held_out)]
    short, held_out = ([one for one in half if len(one.row.tokens) <= recipe.max_length] for half in halves)
    rows = [one.row for one in richest(short, settings.claims)]
    choosing = evenly([one.row for one in held_out], settings.scored)
    measured = evenly([one.row for one in held_out if one.row not in choosing], settings.measured)
    if not rows or not measured:
        message = f"{len(rows)} claims to learn from and {len(held_out)} held out are too few"
        raise InputError(message, path=settings.top_k_sentences)

    def final(model: Any) -> Final:
        """Return the final results of the model. A model of which all weights were trained has no baseline."""
        score = {"log-probability": log_probability(model, measured, pad, 1)}
        if not hasattr(model, "disable_adapter"):
            return Final(score)
        with model.disable_adapter():
            return Final(score, {"without the adapter: log-probability": log_probability(model, measured, pad, 1)})

    return Task(
        model=model,
        tokenizer=tokenizer,
        layout="",
        lengths=[len(row.tokens) for row in rows],
        weights=[row.learned for row in rows],
        loss=lambda model, places: text_loss(model, [rows[place] for place in places], pad),
        held_out=lambda model: {"log-probability": log_probability(model, choosing, pad, 1)},
        chosen_by="log-probability",
        final=final,
        counts={
            "claims choose the weights": len(choosing),
            "others are scored": len(measured),
            "are too long": sum(map(len, halves)) - len(short) - len(held_out),
        },
    )
