"""Training of the question writer: a claim, a sentence, and the question that the sentence answers.

The sentence is the gold answer; a Boolean answer is followed by its explanation ("Yes, because ..."). Questions without
an answer are left out. In use, the model sees retrieved sentences, not gold answers. Further examples ("noisy")
therefore have a sentence that was retrieved for the claim, with the claim's gold question that fits the sentence best.

The loss is computed over the question's tokens only. The scores on held-out claims are this loss, and METEOR of the
generated questions against the gold questions.

Limitations: one question for each gold answer; `bench/scoreboard` scores whole claims from retrieved sentences.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Annotated, Any, NamedTuple

import msgspec

from src.errors import InputError
from src.evaluation.baselines import claim_as_its_question
from src.evaluation.meteor import Words, meteor
from src.llm import Options
from src.llm.protocol import Request
from src.records import Claim
from src.reranking.questions.examples import answer_text
from src.reranking.questions.prompt import (
    CLAIM_EVIDENCE,
    claim_evidence_prompt,
    claim_evidence_target,
    fit_prompt,
    read_question,
    write_prompt,
)
from src.settings import Flag, Group, Natural, Positive, refuse_unread
from src.text import words
from src.training.recipe import Recipe, RecipeFlags, TrainingSettings, flags_of
from src.training.retrieved import Pairs, read_retrieved
from src.training.split import evenly
from src.training.task import Final, Material, Task
from src.training.text_loss import Row, log_probability, text_loss

NEW_TOKENS = 48
EVIDENCE = "evidence"  # the layout without the claim
RECIPE = Recipe("claim and evidence", "smollm2", tokens=1024, learning_rate=5e-4, every=100)


class QuestionExample(msgspec.Struct, frozen=True):
    claim: str
    sentence: str
    question: str


def gold_examples(claims: Sequence[Claim]) -> list[QuestionExample]:
    """Return a training example of each gold answer, in order."""
    return [
        QuestionExample(claim.claim, text, question.question)
        for claim in claims
        for question in claim.questions
        for answer in question.answers
        if question.question.strip() and (text := answer_text(answer))
    ]


def noisy_examples(claims: Sequence[Claim], retrieved: Mapping[int, Pairs], most: int) -> list[QuestionExample]:
    """Return examples of retrieved sentences, each with the gold question of its claim that fits it best (METEOR).

    `retrieved`: each claim's retrieved pairs of question and sentence, by claim_id.
    `most`: number of pairs of each claim that are used, from the first.
    """
    examples = []
    for claim in claims:
        own = gold_examples([claim])
        pairs = [Words(words(f"{example.question} {example.sentence}")) for example in own]
        for _, sentence in retrieved.get(claim.claim_id, [])[: most if own else 0]:
            text = Words(words(sentence))
            fits = [meteor(pair, text) for pair in pairs]
            examples.append(QuestionExample(claim.claim, sentence, own[fits.index(max(fits))].question))
    return examples


class Layout(NamedTuple):
    """Layout of the prompt: with the claim (`shows_claim`), or without it, as published."""

    shows_claim: bool

    def prompt(self, example: QuestionExample) -> str:
        if self.shows_claim:
            return claim_evidence_prompt(example.claim, example.sentence)
        return write_prompt([], example.sentence).rstrip(" ")


def rows_of(examples: Sequence[QuestionExample], layout: Layout, tokenizer: Any, max_length: int) -> list[Row]:
    """Return a training row for each example. If a row is too long, the end of its sentence is cut."""

    def tokens(texts: Sequence[str], *, special: bool) -> list[list[int]]:
        ids: list[list[int]] = tokenizer(list(texts), add_special_tokens=special, verbose=False)["input_ids"]
        return ids

    def count(texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in tokens(texts, special=True)]

    prompts = tokens([layout.prompt(example) for example in examples], special=True)
    targets = tokens([claim_evidence_target(example.question) for example in examples], special=False)
    rows = []
    for example, prompt, target in zip(examples, prompts, targets, strict=True):
        learned = [*target, tokenizer.eos_token_id][: max_length // 2]
        room = max_length - len(learned)
        if len(prompt) > room:
            claim = example.claim if layout.shows_claim else None
            fitted = fit_prompt([], example.sentence, count, room, claim)
            prompt = tokens([fitted.text.rstrip(" ")], special=True)[0][-room:]
        rows.append(Row([*prompt, *learned], len(learned)))
    return rows


def written_questions(model: Any, tokenizer: Any, layout: Layout, examples: Sequence[QuestionExample]) -> list[str]:
    """Generate a question for each example by greedy decoding.

    The model's adapter is merged into its weights, as in use, and stays merged.
    """
    from src.llm.loading import Loaded
    from src.llm.transformers_backend import TransformersModel

    if hasattr(model, "merge_adapter"):
        model.merge_adapter()
    loaded = Loaded(model, tokenizer, False, model.device.type, str(model.dtype), None)
    writer = TransformersModel("trained", "trained", loaded, Options(), None)
    requests = [Request(layout.prompt(example), max_new_tokens=NEW_TOKENS, stop=("?",)) for example in examples]
    return [read_question(reply.text) for reply in writer.complete(requests)]


def mean_meteor(questions: Sequence[str], examples: Sequence[QuestionExample]) -> float:
    """Return the mean METEOR of generated questions against the examples' gold questions."""
    pairs = zip(questions, examples, strict=True)
    return mean(meteor(Words(words(example.question)), Words(words(question))) for question, example in pairs)


def baseline_meteor(examples: Sequence[QuestionExample]) -> float:
    """Return the mean METEOR of a baseline that turns the claim into a question."""
    return mean_meteor([claim_as_its_question(example.claim) for example in examples], examples)


class QuestionSettings(TrainingSettings, frozen=True, kw_only=True):
    """Settings of the training of a question writer."""

    changes: Annotated[RecipeFlags, Group("recipe")] = flags_of(RECIPE)
    no_claim: Annotated[bool, Flag("show the sentence alone, as the published prompt does")] = False
    retrieved: Annotated[Path | None, Flag("CSV of evidence that was retrieved for training claims")] = None
    noisy: Annotated[Natural, Flag("retrieved sentences of a claim that are learned from")] = 3
    scored: Annotated[Positive, Flag("held-out answers that choose the best weights")] = 200
    asked: Annotated[Positive, Flag("held-out answers asked for at the end")] = 300

    def recipe(self) -> Recipe:
        """Return the recipe of the training that these settings describe. Raises InputError for unused settings."""
        if self.retrieved is None:
            refuse_unread(self, ["noisy"], "goes with --retrieved")
        noisy = self.noisy if self.retrieved else 0
        options = {"shows_claim": not self.no_claim, "noisy": noisy, "scored": self.scored, "asked": self.asked}
        return self.changes.over(RECIPE, **options)

    def inputs(self) -> dict[str, Path]:
        return {"retrieved": self.retrieved} if self.retrieved else {}


def question_task(settings: QuestionSettings, material: Material) -> Task:
    """Build a question writer's training task. Raises InputError when there are no examples, or none held out."""
    from src.training.language_model import load_causal  # loads torch, which --help does not need

    recipe, layout = material.recipe, Layout(shows_claim=not settings.no_claim)
    gold, held_out = gold_examples(material.split.train), gold_examples(material.split.held_out)
    if not gold or not held_out:
        raise InputError(
            "no claim with a question and its answer to learn from, or none held out", path=settings.files.train
        )
    retrieved = read_retrieved(settings.retrieved, material.claims) if settings.retrieved else {}
    noisy = noisy_examples(material.split.train, retrieved, settings.noisy)
    model, tokenizer, pad = load_causal(material.base, recipe)
    rows = rows_of([*gold, *noisy], layout, tokenizer, recipe.max_length)
    choosing = rows_of(evenly(held_out, settings.scored), layout, tokenizer, recipe.max_length)

    def final(model: Any) -> Final:
        """Return the final results of the model. The loss is computed first, because generation merges the adapter."""
        loss = log_probability(model, rows_of(held_out, layout, tokenizer, recipe.max_length), pad)
        chosen = evenly(held_out, settings.asked)
        written = mean_meteor(written_questions(model, tokenizer, layout, chosen), chosen)
        baselines = {"the claim as its question: METEOR": baseline_meteor(chosen)}
        return Final({"log-probability": loss, "METEOR": written}, baselines)

    return Task(
        model=model,
        tokenizer=tokenizer,
        layout=CLAIM_EVIDENCE if layout.shows_claim else EVIDENCE,
        lengths=[len(row.tokens) for row in rows],
        weights=[row.learned for row in rows],
        loss=lambda model, places: text_loss(model, [rows[place] for place in places], pad),
        held_out=lambda model: {"log-probability": log_probability(model, choosing, pad)},
        chosen_by="log-probability",
        final=final,
        counts={"from gold answers": len(gold), "from retrieved sentences": len(noisy)},
    )
