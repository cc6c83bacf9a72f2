"""Explanations to rate, one of them with markup in its evidence."""

from pathlib import Path

from src.explanation.records import ExplainedClaim
from src.records import QAPair
from src.store import encode_lines

MARKUP = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title = 'taken'\"> & so on"
EVIDENCE = [QAPair("Where do eels live?", "In rivers."), QAPair("Who saw them?", MARKUP)]


def explained(claim_id: int, explanation: str, cites: list[list[int]] | None = None) -> ExplainedClaim:
    claim = ExplainedClaim(claim_id, f"Eels fly <b>{claim_id}</b>.", "Refuted", EVIDENCE, speaker="A. Finn")
    claim.explanation, claim.cites = explanation, cites or []
    return claim


def written(path: Path, *claims: ExplainedClaim) -> Path:
    path.write_bytes(encode_lines(claims))
    return path
