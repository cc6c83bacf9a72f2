"""Questions that no model writes: the template, those of a published system, the same ones at other answers.

They are for comparison on equal evidence: what the trained questions add, and whether a verdict model reads them.
"""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence

from src.claims import gold_answer
from src.evaluation.averitec import NO_ANSWER
from src.evaluation.baselines import claim_as_its_question
from src.records import (
    CandidateQA,
    CandidateQuestions,
    Claim,
    Evidence,
    QAPair,
    Question,
    RankedSentences,
)


def asked_by_template(ranked: Sequence[RankedSentences]) -> list[CandidateQuestions]:
    """Return every sentence with the question `Is it true that CLAIM?`."""
    return [_candidates(one, [claim_as_its_question(one.claim)] * len(one.sentences)) for one in ranked]


def asked_by_peer(ranked: Sequence[RankedSentences], pairs: Mapping[int, Sequence[QAPair]]) -> list[CandidateQuestions]:
    """Return every sentence with its published question, or with the template's if it has none.

    A sentence that occurs twice gets its published questions in turn.
    """
    candidates = []
    for one in ranked:
        questions: dict[str, deque[str]] = defaultdict(deque)
        for pair in pairs.get(one.claim_id, []):
            questions[pair.answer.strip()].append(pair.question)
        waiting = [questions[sentence.sentence.strip()] for sentence in one.sentences]
        template = claim_as_its_question(one.claim)
        candidates.append(_candidates(one, [left.popleft() if left else template for left in waiting]))
    return candidates


def _candidates(one: RankedSentences, questions: Sequence[str]) -> CandidateQuestions:
    pairs = zip(questions, one.sentences, strict=True)
    candidates = [CandidateQA(question, sentence.sentence, sentence.url) for question, sentence in pairs]
    return CandidateQuestions(one.claim_id, one.claim, candidates)


def gold_evidence(claim: Claim) -> Evidence:
    """Return the gold evidence, with a pair for each gold answer, in the form that verdict models are trained on."""
    pairs = [pair for question in claim.questions for pair in _gold_pairs(question)]
    return Evidence(claim.claim_id, claim.claim, pairs)


def _gold_pairs(question: Question) -> list[QAPair]:
    if not question.answers:
        return [QAPair(question.question, NO_ANSWER)]
    return [QAPair(question.question, gold_answer(answer), answer.source_url or "") for answer in question.answers]


# Evidence with other questions, all else equal.


def templated(claim: Evidence) -> Evidence:
    return _with(claim, [claim_as_its_question(claim.claim)] * len(claim.evidence))


def swapped(claim: Evidence) -> Evidence:
    """Return the evidence with every question moved to the next answer, and the last question to the first."""
    questions = [pair.question for pair in claim.evidence]
    return _with(claim, [*questions[-1:], *questions[:-1]])


def unasked(claim: Evidence) -> Evidence:
    return _with(claim, [""] * len(claim.evidence))


def _with(claim: Evidence, questions: Sequence[str]) -> Evidence:
    pairs = zip(questions, claim.evidence, strict=True)
    return Evidence(claim.claim_id, claim.claim, [QAPair(question, pair.answer, pair.url) for question, pair in pairs])


def unread(claim: Evidence) -> Evidence:
    """Return evidence of one empty pair, so that the verdict model knows only the claim."""
    return Evidence(claim.claim_id, claim.claim, [QAPair("", "")])


VARIANTS = {"template questions": templated, "questions swapped": swapped, "no questions": unasked,
            "claim alone": unread}  # fmt: skip
