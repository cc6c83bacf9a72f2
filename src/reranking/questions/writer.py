"""Writer of question-answer candidates for a claim: one question for each sentence, chosen if several are sampled.

A recipe with `keeps_sound` gives no question with a fault (`soundness.py`).

Limitations: the sentence itself is the answer, as published. The published prompt does not show the claim. Chat models
read the claim in the system text, and trained adapters in their own prompt layout.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from src.llm.measure import timed
from src.llm.protocol import LanguageModel, Reply, Request
from src.llm.seeds import seed_of
from src.prompts import load
from src.records import CandidateQA, CandidateQuestions, RankedSentences, Sentence
from src.reranking.questions.choice import Likeness, Origin, SoundQuestion, ordered_questions, sound_question
from src.reranking.questions.examples import ExampleCorpus
from src.reranking.questions.prompt import FittedPrompt, fit_prompt, is_question, read_question
from src.reranking.questions.recipe import Recipe
from src.reranking.top_file import TOP_K
from src.runner.estimate import Estimate, spread
from src.runner.outcome import Outcome
from src.store import encode_line

CHAT_TOKENS = 100  # reserved for a chat template


@dataclass(frozen=True)
class QuestionWriter:
    """Writer of questions with a language model.

    `model`: the language model.
    `corpus`: in-context examples; None for a recipe without examples.
    `recipe`: how questions are generated.
    `likeness`: compares questions when one of several is chosen.
    `top_k`: maximum number of sentences of a claim.
    `chat`: True to ask through the model's chat template.
    `keep_own_examples`: True to use examples of the target claim too, as published.
    `by_claim`: True to choose examples by the claim, so that the prompts of its sentences share them as their
        beginning; False to choose by the sentence, as published.
    """

    model: LanguageModel
    corpus: ExampleCorpus | None
    recipe: Recipe
    likeness: Likeness
    top_k: int = TOP_K
    chat: bool = False
    keep_own_examples: bool = False
    by_claim: bool = False

    def write_all(self, claims: Sequence[RankedSentences]) -> list[Outcome[CandidateQuestions]]:
        """Return the question-answer candidates of each claim, as `write` does."""
        return [self.write(claim) for claim in claims]

    def write(self, claim: RankedSentences) -> Outcome[CandidateQuestions]:
        """Return the question-answer candidates of one claim, in the order of its sentences.

        Raises ModelError when the model fails.
        """
        sentences = claim.sentences[: self.top_k]
        prompts = self.prompts(claim)
        replies = self.model.complete([request for prompt in prompts for request in self.requests(prompt, claim.claim)])
        ordered = self._ordered(claim.claim, [read_question(reply.text) for reply in replies])
        questions, counts = [own[0] for own in ordered], {}
        if self.recipe.keeps_sound:
            sound = [sound_question(claim.claim, *pair) for pair in zip(sentences, ordered, strict=True)]
            questions, counts = [question.text for question in sound], _counts_of_sound(sound)
        pairs = [_candidate(question, sentence) for question, sentence in zip(questions, sentences, strict=True)]
        counts = _counts(prompts, replies, pairs) | counts
        return Outcome(CandidateQuestions(claim.claim_id, claim.claim, pairs, claim.speaker), counts)

    def _ordered(self, claim: str, written: Sequence[str]) -> list[list[str]]:
        """Return each sentence's questions, the preferred one first.

        `written` are the questions of all sentences, in order.
        """
        each = 1 + self.recipe.samples
        candidates = [list(written[first : first + each]) for first in range(0, len(written), each)]
        return candidates if each == 1 else ordered_questions(claim, candidates, self.likeness)

    def prompts(self, claim: RankedSentences) -> list[FittedPrompt]:
        """Return one prompt for each sentence of the claim, each within the model's context."""
        room = self.recipe.room(self.model.info.context)
        if room is not None and self.chat:
            room -= CHAT_TOKENS + self.model.count_tokens([self._system(claim.claim)])[0]
        own = None if self.keep_own_examples else claim.claim
        shown = claim.claim if self.recipe.shows_claim else None
        sentences = [sentence.sentence for sentence in claim.sentences[: self.top_k]]
        if self.by_claim:
            examples = [self._examples(claim.claim, own)] * len(sentences)
        else:
            examples = [self._examples(sentence, own) for sentence in sentences]
        return [
            fit_prompt(chosen, sentence, self.model.count_tokens, room, shown)
            for chosen, sentence in zip(examples, sentences, strict=True)
        ]

    def estimate(self, claims: Sequence[RankedSentences]) -> Estimate:
        """Return an estimate of the time and size of a run over the claims.

        It is extrapolated from the prompts of three claims and three timed prompts.
        """
        total = sum(len(claim.sentences[: self.top_k]) for claim in claims)
        samples = [(prompt, claim.claim) for claim in spread(claims) for prompt in self.prompts(claim)]
        prompts = [prompt for prompt, _ in samples]
        share = total / max(1, len(prompts))
        requests = [request for prompt, claim in spread(samples) for request in self.requests(prompt, claim)]
        each, replies = timed(self.model, requests), total * (1 + self.recipe.samples)
        return Estimate(
            claims=len(claims),
            prompts=total,
            tokens=int(share * sum(prompt.tokens for prompt in prompts)),
            reply_tokens=round(replies * each.new_tokens),
            disk=int(1.4 * sum(len(encode_line(claim)) for claim in claims)),
            seconds=replies * each.seconds,
        )

    def _examples(self, text: str, not_from: str | None) -> list[str]:
        if self.corpus is None or not self.recipe.num_examples:
            return []
        similar = self.corpus.similar(text, self.recipe.num_examples, not_from=not_from)
        return [example.piece for example in similar]

    def requests(self, prompt: FittedPrompt, claim: str) -> list[Request]:
        """Return the requests for one prompt: the likeliest question, then the samples.

        The seeds depend on the prompt only.
        """
        system = self._system(claim) if self.chat else ""
        seeds = [None, *(seed_of(prompt.text, number) for number in range(self.recipe.samples))]
        shared = prompt.before if self.by_claim else 0
        return [
            self.recipe.request(prompt.text, chat=self.chat, system=system, seed=seed, shared=shared) for seed in seeds
        ]

    def _system(self, claim: str) -> str:
        """Return the system text for chat models, which contains the claim."""
        return load("question_chat").substitute(claim=" ".join(claim.split()))


def _candidate(question: str, sentence: Sentence) -> CandidateQA:
    return CandidateQA(question, sentence.sentence.replace("\n", " "), sentence.url)


def _counts(prompts: Sequence[FittedPrompt], replies: Sequence[Reply], pairs: Sequence[CandidateQA]) -> dict[str, int]:
    return {
        "prompts": len(prompts),
        "questions_drawn": len(replies) - len(prompts),
        "prompt_tokens": sum(reply.prompt_tokens for reply in replies),
        "new_tokens": sum(reply.new_tokens for reply in replies),
        "examples_dropped": sum(prompt.dropped for prompt in prompts),
        "sentences_cut": sum(prompt.cut for prompt in prompts),
        "unusable_questions": sum(not is_question(pair.question) for pair in pairs),
    }


def _counts_of_sound(questions: Sequence[SoundQuestion]) -> dict[str, int]:
    return {
        "questions_repaired": sum(question.is_repaired for question in questions),
        "questions_replaced": sum(question.origin is Origin.REPLACEMENT for question in questions),
        "questions_by_template": sum(question.origin is Origin.TEMPLATE for question in questions),
    }
