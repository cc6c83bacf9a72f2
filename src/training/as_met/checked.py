"""Held-out scenarios as in a check: their pages are searched, and the decisive passages are chosen.

The pages of a claim are the whole pages of `pages_of_claims` in `scenarios.py`. Retrieval and choice are those of a
check with its default flags. The chosen passages are therefore the strongest ones, as in use.
"""

from collections.abc import Iterable
from pathlib import Path

from src.knowledge_store import StoreInMemory
from src.records import Claim, Document
from src.reranking.claim_ranking import ClaimRanking
from src.reranking.hybrid.vectors import Encoder
from src.reranking.retriever_settings import RetrieverSettings
from src.reranking.retrievers import HYBRID, RETRIEVERS
from src.stance.reader import StanceReader
from src.stance.records import Passage
from src.stance.selection import CHOSEN, FOUND, selected
from src.text import same, sentences
from src.training.as_met.records import SCENARIOS, MetClaim, drawn
from src.training.as_met.scenarios import pages_of_claims
from src.training.scenarios.records import Page


def checked_claims(
    folder: Path, seed: int, encoder: Encoder, reader: StanceReader, most: int | None = None
) -> list[MetClaim]:
    """Return each held-out scenario with every label, with the passages that a check would judge.

    `most` limits the number of claims; they are drawn. Raises InputError when a file is invalid, ModelError when a
    model fails.
    """
    asked = drawn(pages_of_claims(folder, seed), most, seed)
    store = StoreInMemory({place: _documents(one.pages) for place, one in enumerate(asked)})
    retriever = RETRIEVERS[HYBRID].make(RetrieverSettings(encoder=encoder, passages=True))
    claims = [Claim(one.claim, place) for place, one in enumerate(asked)]
    ranked = ClaimRanking(store, retriever, FOUND)(claims)
    found = [[Passage(one.sentence, one.url) for one in outcome.record.sentences] for outcome in ranked]
    stances = reader.stances([(one.claim, own) for one, own in zip(asked, found, strict=True)])
    return [
        MetClaim(SCENARIOS, same(one.claim), one.claim, [own[at] for at in selected(own, read, CHOSEN)], one.label)
        for one, own, read in zip(asked, found, stances, strict=True)
    ]


def _documents(pages: Iterable[Page]) -> list[Document]:
    return [
        Document(url=f"https://{page.site}/{place}", url2text=[page.title, *sentences(page.text)])
        for place, page in enumerate(pages)
    ]
