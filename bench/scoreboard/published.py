"""What others published for AVeriTeC's dev claims: their sentences, their questions, their predictions.

`SYSTEMS` are scored as rows: file by evidence and name. Those of `OTHERS` chose evidence of their own; some of it was
written by a language model, so that Q+A and coverage say more of that model than of retrieval.

Limitations: infact_llama3_70b_dev100 is left out: one hundred claims, and no verdicts in the published spelling.
"""

import os
from pathlib import Path

from src.records import Evidence, QAPair, RankedSentences, Sentence
from src.reranking.top_file import read_ranked
from src.store import read_by_claim

ROOT = Path(__file__).resolve().parents[2]
AVERITEC = Path(os.environ.get("FACTCHECK_SHARED", ROOT.parent / "shared" / "data")) / "averitec"
HERO, OFFICIAL, GOLD, OWN, ALL, OTHERS = "hero", "official", "gold", "pipeline_own", "pipeline_all", "others"

SYSTEMS = {
    HERO: {
        "HerO 8b (Llama-3.1-8B)": "hero_dev_veracity_prediction_8b.jsonl.gz",
        "HerO 70b": "hero_dev_veracity_prediction_70b.jsonl.gz",
    },
    OFFICIAL: {"BLOOM-7b1 and BERT": "official_baseline_dev_veracity_prediction.jsonl.gz"},
    OTHERS: {
        "xplainlp": "xplainlp_submission.csv.gz",
        "FEVER-8 baseline": "fever8_baseline_submission.csv.gz",
        "AIC, Qwen3": "aic_qwen3_dev.csv.gz",
        "UHH 1, top 10": "uhh_approach_1_llm1_top10.jsonl.gz",
        "UHH 1, top 3": "uhh_approach_1_llm1_top3.jsonl.gz",
        "UHH 2, top 3": "uhh_approach_2_llm1_top3.jsonl.gz",
    },
}
_ASKED = {HERO: "hero_dev_top_k_qa.jsonl.gz", OFFICIAL: "official_baseline_dev_veracity_prediction.jsonl.gz"}


def peer(name: str, averitec: Path = AVERITEC) -> Path:
    return averitec / "peers" / name


def peer_pairs(evidence: str, averitec: Path = AVERITEC) -> dict[int, list[QAPair]]:
    """Return, by claim, the published questions with the sentences that they are about. Raises InputError."""
    return {one.claim_id: one.evidence for one in read_by_claim(peer(_ASKED[evidence], averitec), Evidence)}


def peer_sentences(evidence: str, averitec: Path = AVERITEC) -> list[RankedSentences]:
    """Return HerO's ten sentences of every claim, or the official baseline's three answers as sentences. Raises
    InputError.
    """
    if evidence == HERO:
        return read_ranked(peer("hero_dev_reranking_top_k.jsonl.gz", averitec))
    rows = read_by_claim(peer(_ASKED[evidence], averitec), Evidence)
    return [RankedSentences(row.claim_id, row.claim, len(row.evidence), _answers(row)) for row in rows]


def _answers(row: Evidence) -> list[Sentence]:
    return [Sentence(pair.answer, pair.url) for pair in row.evidence]
