"""Held-out claims with passages, on which the stacker and its thresholds are fitted.

The pages of a held-out scenario are searched, and passages chosen, as a check does with its default flags. The stacker
thus sees the strongest passages, as in use.
"""

from collections.abc import Iterable
from pathlib import Path

from src.knowledge_store import StoreInMemory
from src.models.encoder import load_encoder
from src.records import Claim, Document
from src.reranking.claim_ranking import ClaimRanking
from src.reranking.hybrid.vectors import Encoder
from src.reranking.retriever_settings import RetrieverSettings
from src.reranking.retrievers import HYBRID, RETRIEVERS
from src.stance.reader import StanceReader
from src.stance.records import Passage
from src.stance.selection import CHOSEN, RETRIEVED, selected
from src.store import read_claims
from src.text import same, sentences
from src.training.passages.mixed import SCENARIOS, ClaimWithPassages, averitec_claims, drawn, retrieved_claims
from src.training.passages.pack import contrast_claims, pack_claims
from src.training.passages.scenarios import Page, pages_of_claims
from src.training.recipe import ClaimFiles
from src.training.retrieved import read_retrieved
from src.training.split import is_measured, split_claims


def checked_claims(
    folder: Path, seed: int, encoder: Encoder, reader: StanceReader, most: int | None = None
) -> list[ClaimWithPassages]:
    """Return the claims of held-out scenarios, once per verdict, with the passages that a check would choose.

    `most`: number of claims to draw; None: all. Raises InputError when a file is invalid, ModelError when a model
    fails.
    """
    claims_with_pages = drawn(pages_of_claims(folder, seed), most, seed)
    store = StoreInMemory({place: _documents(one.pages) for place, one in enumerate(claims_with_pages)})
    retriever = RETRIEVERS[HYBRID].make(RetrieverSettings(encoder=encoder, passages=True))
    claims = [Claim(one.claim, place) for place, one in enumerate(claims_with_pages)]
    ranked = ClaimRanking(store, retriever, RETRIEVED)(claims)
    passages = [[Passage(one.sentence, one.url) for one in outcome.record.sentences] for outcome in ranked]
    stances = reader.stances([(one.claim, own) for one, own in zip(claims_with_pages, passages, strict=True)])
    return [
        ClaimWithPassages(
            SCENARIOS, same(one.claim), one.claim, [own[at] for at in selected(own, read, CHOSEN)], one.label
        )
        for one, own, read in zip(claims_with_pages, passages, stances, strict=True)
    ]


def _documents(pages: Iterable[Page]) -> list[Document]:
    return [
        Document(url=f"https://{page.site}/{place}", url2text=[page.title, *sentences(page.text)])
        for place, page in enumerate(pages)
    ]


def held_out_claims(
    files: ClaimFiles,
    retrieved: Path | None,
    pack: Path | None,
    scenarios: Path | None,
    reader: StanceReader,
    seed: int,
    most: int | None = None,
) -> list[ClaimWithPassages]:
    """Return held-out claims with evidence of each kind.

    The kinds are gold pairs, retrieved pairs, rows of the inference pack (unchanged, and with one place changed), and
    invented scenarios.

    Two thirds of AVeriTeC's held-out claims are used; the others are reserved for measuring the stacker.

    `retrieved`: CSV file of retrieved pairs; None leaves them out.
    `pack`: folder of the inference pack; None leaves its rows out.
    `scenarios`: folder of scenarios; None leaves them out.
    `reader`: chooses the passages of scenarios, as in a check.
    `most`: number of claims to draw of each kind; None: all.

    Raises InputError when a file is invalid, ModelError when a model fails, StoreError when the temporary store of
    scenarios cannot be read.
    """
    everyone = read_claims(files.train)
    split = split_claims(everyone, read_claims(files.leave_out) if files.leave_out else [])
    claims = [claim for claim in split.held_out if not is_measured(claim.claim)]
    kinds = [averitec_claims(claims, [*split.train, *split.held_out], seed)]
    if retrieved:
        kinds.append(retrieved_claims(claims, read_retrieved(retrieved, everyone)))
    if pack:
        kinds += [pack_claims(pack, seed), contrast_claims(pack, seed)]
    chosen = [claim for kind in kinds for claim in drawn(kind, most, seed)]
    if scenarios:
        chosen += checked_claims(scenarios, seed, load_encoder(), reader, most)
    return chosen
