"""Training of `one_call`: the prompt about a claim with its sources, without examples, and the reply to write.

The reply (`gold_replies.py`) is in the form of JSON to which engines hold replies. Passages with a gold answer are kept
before others; all that are kept stay in the order of their ranks. A claim without a gold answer in its passages is left
out, unless its label is Not Enough Evidence.

The loss is computed over the reply's tokens only. The score is the mean log-probability of held-out replies, other ones
than those that choose the best weights; the baseline is that of the model without the adapter.

Limitations: the score is no accuracy; run `one_call` on held-out claims for that.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from src.errors import InputError
from src.llm.chat import prompt_text
from src.llm.protocol import Request
from src.llm.special_tokens import special_of
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
    "claim and sources", "qwen2.5-coder-1.5b", batch=4, tokens=1, learning_rate=4e-4, max_length=2048, every=25,
    rank=6, alpha=12, targets=("q_proj", "v_proj", "o_proj", "down_proj"), first_layer=14,
)  # fmt: skip


class OneCallTraining(TrainingSettings, frozen=True, kw_only=True):
    """Settings of the training."""

    top_k_sentences: Annotated[
        Path, Flag("ranked passages of training claims, from src.reranking.bm25_sentences", "-i", "--top_k_sentences")
    ]
    changes: Annotated[RecipeFlags, Group("recipe")] = flags_of(RECIPE)
    sources: Annotated[Positive, Flag("sources that the model is shown")] = 5
    top_n: Annotated[Positive, Flag("pairs of question and answer at most")] = 4
    scored: Annotated[Positive, Flag("held-out claims that choose the best weights")] = 12
    measured: Annotated[Positive, Flag("other held-out claims, scored at the end")] = 16

    def recipe(self) -> Recipe:
        """Return the recipe of the training that these settings describe."""
        options = {"sources": self.sources, "top_n": self.top_n, "scored": self.scored, "measured": self.measured}
        return self.changes.over(RECIPE, **options)

    def inputs(self) -> dict[str, Path]:
        return {"top_k_sentences": self.top_k_sentences}


def rows_of(
    claims: Sequence[Claim], ranked: dict[int, ClaimSources], settings: OneCallTraining, tokenizer: Any, max_length: int
) -> list[Row]:
    """Return a training row for each claim of `ranked` from which something can be learned.

    A claim is left out if its row would have more than `max_length` tokens.
    """
    special = special_of(tokenizer.added_tokens_decoder)

    def tokens(text: str, *, are_added: bool = False) -> list[int]:
        ids: list[int] = tokenizer(text, add_special_tokens=are_added, verbose=False)["input_ids"]
        return ids

    rows = []
    for text, reply in _texts(claims, ranked, settings):
        prompt = prompt_text(tokenizer, Request(text, chat=True), special)
        learned = [*tokens(reply), tokenizer.eos_token_id]
        rows.append(Row([*tokens(prompt.text, are_added=prompt.special), *learned], len(learned)))
    return [row for row in rows if len(row.tokens) <= max_length]


def _texts(
    claims: Sequence[Claim], ranked: dict[int, ClaimSources], settings: OneCallTraining
) -> Iterator[tuple[str, str]]:
    """Yield prompt and reply of each claim from which something can be learned."""
    head = instructions(settings.top_n, EvidenceForm.PAIRS)
    for claim in claims:
        whole = ranked.get(claim.claim_id)
        if whole is None or not whole.sources or claim.label is None:
            continue
        answers = sourced_answers(claim, whole)[: settings.top_n]
        if not answers and claim.label is not Verdict.NOT_ENOUGH_EVIDENCE:
            continue
        shown = shown_sources(whole, answers, settings.sources)
        reply = json.dumps(msgspec.to_builtins(gold_reply(claim, shown, answers)), ensure_ascii=False)
        yield fitted(shown, head, (), count=lambda _: [0], room=None).text, reply


def one_call_task(settings: OneCallTraining, material: Material) -> Task:
    """Build the training task. Raises InputError when there are no examples, or too few are held out."""
    from src.training.language_model import ALONE, load_causal  # loads torch, which --help does not need

    recipe, split = material.recipe, material.split
    everything = read_ranked(settings.top_k_sentences)
    shown = with_sources(everything, material.claims, MOST_RANKED, settings.files.train)
    ranked = {one.claim_id: one for one in shown}
    model, tokenizer, pad = load_causal(material.base, recipe, ALONE)
    rows = rows_of(split.train, ranked, settings, tokenizer, recipe.max_length)
    held_out = rows_of(split.held_out, ranked, settings, tokenizer, recipe.max_length)
    choosing = evenly(held_out, settings.scored)
    measured = evenly([row for row in held_out if row not in choosing], settings.measured)
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
        counts={"claims choose the weights": len(choosing), "others are scored": len(measured)},
    )
