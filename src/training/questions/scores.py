"""The scores of a question writer on held-out claims: its loss, and METEOR of its questions against the gold ones.

Limitations: one question for each gold answer. `bench/scoreboard` scores whole claims from retrieved sentences.
"""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from src.evaluation.floors import claim_as_its_question
from src.evaluation.meteor import Words, meteor
from src.llm import Options
from src.llm.batching import sub_batches
from src.llm.loading import Loaded
from src.llm.protocol import Request
from src.llm.transformers_backend import TransformersModel
from src.reranking.questions.prompt import read_question
from src.text import words
from src.training.questions.examples import QuestionExample
from src.training.questions.rows import Layout, Row, question_loss

BATCH_ROWS, BATCH_TOKENS = 64, 4096
NEW_TOKENS = 48


def log_probability(model: Any, rows: Sequence[Row], pad: int) -> float:
    """Return the mean log-probability of all learned tokens. The best value is 0."""
    batches = sub_batches([len(row.tokens) for row in rows], BATCH_ROWS, BATCH_TOKENS)
    total = sum(float(question_loss(model, [rows[place] for place in batch], pad)) for batch in batches)
    return -total / sum(row.learned for row in rows)


def written_questions(model: Any, tokenizer: Any, layout: Layout, examples: Sequence[QuestionExample]) -> list[str]:
    """Return the greedy question for each example. The adapter is merged into the model, as in use."""
    if hasattr(model, "merge_adapter"):
        model.merge_adapter()
    loaded = Loaded(model, tokenizer, False, model.device.type, str(model.dtype), None)
    writer = TransformersModel("trained", "trained", loaded, Options(), None)
    requests = [Request(layout.prompt(example), max_new_tokens=NEW_TOKENS, stop=("?",)) for example in examples]
    return [read_question(reply.text) for reply in writer.complete(requests)]


def mean_meteor(questions: Sequence[str], examples: Sequence[QuestionExample]) -> float:
    """Return the mean METEOR of the questions against the gold ones."""
    pairs = zip(questions, examples, strict=True)
    return mean(meteor(Words(words(example.question)), Words(words(question))) for question, example in pairs)


def floor_meteor(examples: Sequence[QuestionExample]) -> float:
    """Return the mean METEOR of a baseline that makes a question of the claim."""
    return mean_meteor([claim_as_its_question(example.claim) for example in examples], examples)
