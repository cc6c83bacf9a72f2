"""In-context examples: question-answer pairs of a reference corpus, found by the likeness of their answers.

Each answer of the corpus becomes one example. The prompt of an evidence sentence has the most similar examples, most
similar first (BM25 over the answers' words, with the sentence as the query). This is question generation of the
AVeriTeC baseline (Schlichtkrull et al. 2023). With the claim as the query, all sentences of a claim have the same
examples, which an engine with a prefix cache reads once.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from src.records import Answer, AnswerType, Claim
from src.reranking.bm25 import BM25
from src.text import numbered_words, same, words


@dataclass(frozen=True)
class Example:
    """An in-context example.

    `piece`: its text in the prompt.
    `answer`: the text that is indexed.
    `claim`: the claim that it comes from.
    """

    piece: str
    answer: str
    claim: str


class ExampleCorpus:
    """Searchable in-context examples of a split."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        self.examples = list(_examples(claims))
        self._index = BM25.of(numbered_words([example.answer for example in self.examples]))
        self._claims = [same(example.claim) for example in self.examples]
        self._per_claim = Counter(self._claims)

    def similar(self, text: str, k: int, *, not_from: str | None = None) -> list[Example]:
        """Return the k examples most similar to the text (a sentence or a claim), most similar first.

        Examples of the claim `not_from` are left out.
        """
        left_out = None if not_from is None else same(not_from)
        own = 0 if left_out is None else self._per_claim[left_out]
        ranked = self._index.top(words(text), k + own)
        return [self.examples[place] for place in ranked if self._claims[place] != left_out][:k]


def _examples(claims: Sequence[Claim]) -> Iterator[Example]:
    for claim in claims:
        for question in claim.questions:
            wording = question.question.strip()
            if not wording:
                continue
            wording = wording if wording.endswith("?") else f"{wording}?"
            for answer in question.answers:
                if text := answer_text(answer):
                    yield Example(_piece(text, wording), text, claim.claim.strip())


def answer_text(answer: Answer) -> str:
    """Return the answer as a sentence; "" if it is unanswerable or has no text."""
    if answer.answer_type is AnswerType.UNANSWERABLE or not answer.answer.strip():
        return ""
    text = answer.answer
    if answer.answer_type is AnswerType.BOOLEAN and answer.boolean_explanation:
        text = f"{text}, because {answer.boolean_explanation.lower().strip()}"
    return text if text[-1] in ".!:?" else f"{text}."


def _piece(answer: str, question: str) -> str:
    """Return the text of an example in the published layout.

    `Evidence:` is followed by two spaces in an example, and by one in the target (`prompt.py`).
    """
    return f"Evidence:  {answer.strip()}||Question answered: {question}".replace("\n", " ").replace("||", "\n")
