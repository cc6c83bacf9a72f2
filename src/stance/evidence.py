"""Selection of the evidence that decides a claim: the work of `rerank_questions --select stance`."""

from collections.abc import Sequence

from src.records import CandidateQA, CandidateQuestions, Evidence, QAPair
from src.runner.outcome import Outcome
from src.stance.reader import StanceReader
from src.stance.records import Passage
from src.stance.selection import selected


def select_evidence(reader: StanceReader, most: int, claims: Sequence[CandidateQuestions]) -> list[Outcome[Evidence]]:
    """Return at most `most` pairs for each claim, best first; none without candidates.

    Raises: ModelError if the reader fails.
    """
    pairs = [[_pair(one) for one in claim.bm25_qau] for claim in claims]
    passages = [[Passage(one.answer, one.url, claim.speaker) for one in claim.bm25_qau] for claim in claims]
    read = reader.stances([(claim.claim, own) for claim, own in zip(claims, passages, strict=True)])
    outcomes = []
    for claim, own, texts, stances in zip(claims, pairs, passages, read, strict=True):
        best = [own[place] for place in selected(texts, stances, most)]
        counts = {"pairs": len(own), "no_evidence": int(not best)}
        outcomes.append(Outcome(Evidence(claim.claim_id, claim.claim, best, claim.speaker), counts))
    return outcomes


def _pair(one: CandidateQA) -> QAPair:
    return QAPair(one.question, one.answer, one.url)
