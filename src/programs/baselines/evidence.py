"""Evidence for the baselines that judge a claim as a whole, and the sampling of their example claims."""

from collections.abc import Sequence
from random import Random
from typing import Annotated, Literal

import msgspec

from src.claims import LabelledClaim
from src.errors import InputError
from src.models.evidence_rows import MAX_PAIRS
from src.programs.answerers.evidence import (
    CachedEvidence,
    CorpusEvidence,
    CorpusSettings,
    EvidenceSource,
    GoldEvidence,
    Passages,
    search_of,
)
from src.programs.functions import Call
from src.programs.records import Function
from src.records import Value
from src.settings import Flag, Group, refuse_unread

TOP_K = 10  # passages of a corpus a claim


class EvidenceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the evidence of a baseline that judges claims as a whole: gold, or retrieved from a corpus."""

    setting: Annotated[Literal["gold", "open"], Flag("evidence: gold, or what the claim finds")] = "gold"
    search: Annotated[CorpusSettings, Group()] = CorpusSettings()

    def check(self) -> None:
        """Raise InputError if settings contradict each other."""
        if self.setting == "gold":
            refuse_unread(self, ["corpus", "index_dir", "retriever"], "goes with --setting open")
        elif self.search.corpus is None:
            raise InputError("--setting open takes --corpus")


def source_of(settings: EvidenceSettings, claims: Sequence[LabelledClaim], *, keep_index: bool) -> EvidenceSource:
    """Return the source of evidence that the settings select for the claims.

    If `keep_index` is False, an index that this call builds is deleted at exit. Raises InputError when the corpus
    cannot be read, and MissingExtra when a library is not installed.
    """
    if settings.setting == "gold":
        return GoldEvidence({one.claim_id: one.gold for one in claims})
    return CachedEvidence(CorpusEvidence(search_of(settings.search, keep=keep_index), TOP_K))


def evidence_of(claims: Sequence[LabelledClaim], source: EvidenceSource) -> list[Passages]:
    """Return for each claim the passages that the source finds for its text, at most `MAX_PAIRS`.

    An encoder can read no more of them.
    """
    calls = [Call(one.claim_id, Function.VERIFY, one.claim) for one in claims]
    return [(passages or ())[:MAX_PAIRS] for passages in source.find(calls)]


def sample_examples(tune: Sequence[LabelledClaim], examples: int, seed: int) -> list[LabelledClaim]:
    """Return `examples` claims drawn from `tune` with `seed`: first true ones, then as many false ones.

    Raises InputError when there are too few true or false claims.
    """
    draw, sampled = Random(seed), []
    for value in (Value.TRUE, Value.FALSE):
        alike = [one for one in tune if one.value is value]
        if len(alike) < examples // 2:
            message = f"--tune_ids: {len(alike)} claims with evidence are {value}"
            raise InputError(f"{message}, but --examples {examples} takes {examples // 2} of them")
        sampled += draw.sample(alike, examples // 2)
    return sampled
