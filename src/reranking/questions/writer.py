"""Question-answer candidates for a claim: one question for each of its sentences.

But: the sentence itself is the answer, and the claim is not shown to the model (save to one trained with it), both as
published.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from src.llm.protocol import LanguageModel, Reply, Request
from src.llm.timing import seconds_per_prompt
from src.prompts import load
from src.records import CandidateQA, CandidateQuestions, RankedSentences, Sentence
from src.reranking.questions.examples import ExampleCorpus
from src.reranking.questions.prompt import FittedPrompt, fit_prompt, is_question, read_question
from src.reranking.questions.recipe import Recipe
from src.runner.estimate import Estimate, spread
from src.runner.outcome import Outcome
from src.store import encode_line

CHAT_TOKENS = 200  # kept free for a chat template and the system text


@dataclass(frozen=True)
class QuestionWriter:
    """`top_k` bounds the sentences of a claim; `keep_own_examples`: examples of the target claim too, as published.

    `corpus` is where examples are looked up; None for a recipe without any.
    """

    model: LanguageModel
    corpus: ExampleCorpus | None
    recipe: Recipe
    top_k: int = 100
    chat: bool = False
    keep_own_examples: bool = False

    def write_all(self, claims: Sequence[RankedSentences]) -> list[Outcome[CandidateQuestions]]:
        return [self.write(claim) for claim in claims]

    def write(self, claim: RankedSentences) -> Outcome[CandidateQuestions]:
        """The candidates of one claim, in the order of its sentences. Raises ModelError when the model fails."""
        sentences = claim.sentences[: self.top_k]
        prompts = self.prompts(claim)
        replies = self.model.complete([self._request(prompt) for prompt in prompts])
        pairs = [_candidate(reply, sentence) for reply, sentence in zip(replies, sentences, strict=True)]
        return Outcome(CandidateQuestions(claim.claim_id, claim.claim, pairs), _counts(prompts, replies, pairs))

    def prompts(self, claim: RankedSentences) -> list[FittedPrompt]:
        """One prompt for each sentence of the claim, each within the model's context."""
        room = self.recipe.room(self.model.info.context)
        if room is not None and self.chat:
            room -= CHAT_TOKENS
        own = None if self.keep_own_examples else claim.claim
        shown = claim.claim if self.recipe.shows_claim else None
        return [
            fit_prompt(self._examples(sentence, own), sentence.sentence, self.model.count_tokens, room, shown)
            for sentence in claim.sentences[: self.top_k]
        ]

    def estimate(self, claims: Sequence[RankedSentences]) -> Estimate:
        """What a run over these claims would take, from the prompts of three of them and three timed prompts."""
        total = sum(len(claim.sentences[: self.top_k]) for claim in claims)
        prompts = [prompt for claim in spread(claims) for prompt in self.prompts(claim)]
        share = total / max(1, len(prompts))
        seconds = seconds_per_prompt(self.model, [self._request(prompt) for prompt in spread(prompts)])
        return Estimate(
            claims=len(claims),
            prompts=total,
            tokens=int(share * sum(prompt.tokens for prompt in prompts)),
            disk=int(1.4 * sum(len(encode_line(claim)) for claim in claims)),
            seconds=total * seconds,
        )

    def _examples(self, sentence: Sentence, not_from: str | None) -> list[str]:
        if self.corpus is None or not self.recipe.num_examples:
            return []
        similar = self.corpus.similar(sentence.sentence, self.recipe.num_examples, not_from=not_from)
        return [example.piece for example in similar]

    def _request(self, prompt: FittedPrompt) -> Request:
        system = load("question_chat").template if self.chat else ""
        return self.recipe.request(prompt.text, chat=self.chat, system=system)


def _candidate(reply: Reply, sentence: Sentence) -> CandidateQA:
    return CandidateQA(read_question(reply.text), sentence.sentence.replace("\n", " "), sentence.url)


def _counts(prompts: Sequence[FittedPrompt], replies: Sequence[Reply], pairs: Sequence[CandidateQA]) -> dict[str, int]:
    return {
        "prompts": len(prompts),
        "prompt_tokens": sum(reply.prompt_tokens for reply in replies),
        "new_tokens": sum(reply.new_tokens for reply in replies),
        "examples_dropped": sum(prompt.dropped for prompt in prompts),
        "sentences_cut": sum(prompt.cut for prompt in prompts),
        "unusable_questions": sum(not is_question(pair.question) for pair in pairs),
    }
