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
    """`Is it true that CLAIM?` for every sentence."""
    return [_candidates(one, [claim_as_its_question(one.claim)] * len(one.sentences)) for one in ranked]


def asked_by_peer(ranked: Sequence[RankedSentences], pairs: Mapping[int, Sequence[QAPair]]) -> list[CandidateQuestions]:
    """The published question of each sentence, in turn where it stands twice; the template's where it has none."""
    found = []
    for one in ranked:
        asked: dict[str, deque[str]] = defaultdict(deque)
        for pair in pairs.get(one.claim_id, []):
            asked[pair.answer.strip()].append(pair.question)
        waiting = [asked[sentence.sentence.strip()] for sentence in one.sentences]
        template = claim_as_its_question(one.claim)
        found.append(_candidates(one, [left.popleft() if left else template for left in waiting]))
    return found


def _candidates(one: RankedSentences, questions: Sequence[str]) -> CandidateQuestions:
    pairs = zip(questions, one.sentences, strict=True)
    found = [CandidateQA(question, sentence.sentence, sentence.url) for question, sentence in pairs]
    return CandidateQuestions(one.claim_id, one.claim, found)


def gold_evidence(claim: Claim) -> Evidence:
    """One pair for each gold answer, in the words that a verdict model is trained on."""
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
    """Every question stands at the next answer, the last one's at the first."""
    asked = [pair.question for pair in claim.evidence]
    return _with(claim, [*asked[-1:], *asked[:-1]])


def unasked(claim: Evidence) -> Evidence:
    return _with(claim, [""] * len(claim.evidence))


def _with(claim: Evidence, questions: Sequence[str]) -> Evidence:
    pairs = zip(questions, claim.evidence, strict=True)
    return Evidence(claim.claim_id, claim.claim, [QAPair(question, pair.answer, pair.url) for question, pair in pairs])


def unread(claim: Evidence) -> Evidence:
    """One empty pair: the verdict model knows the claim alone."""
    return Evidence(claim.claim_id, claim.claim, [QAPair("", "")])


VARIANTS = {"template questions": templated, "questions swapped": swapped, "no questions": unasked,
            "claim alone": unread}  # fmt: skip
