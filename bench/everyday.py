"""The everyday claims and the pages that decide them."""

from pathlib import Path

from src.knowledge_store import KnowledgeStore
from src.records import Claim
from src.store import read_claims

EVERYDAY = Path("data_store/everyday")


def deciding_pages(folder: Path = EVERYDAY) -> list[tuple[Claim, list[list[str]]]]:
    """Return each claim with the sentences of each page that its gold answers are from. Raises InputError."""
    store = KnowledgeStore(folder / "knowledge_store")
    pairs = []
    for claim in read_claims(folder / "claims.json"):
        deciding = {answer.source_url for one in claim.questions or [] for answer in one.answers}
        pairs.append((claim, [page.url2text for page in store[claim.claim_id] if page.url in deciding]))
    return pairs
