"""Scene: a clean explanation prepared for planting, with its sentences, their parses and the parse of its evidence."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING

from src.explanation.checks.grounds import Grounds
from src.explanation.pieces import pieces
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.mentions import names_of
from src.explanation.synthetic_errors.neighbors import Neighbors
from src.quantities import Quantity, quantities
from src.text import sentences

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

SHORTEST, LONGEST = 8, 40  # words of a sentence that is inserted
TRIES = 200
_SHORTENED = re.compile(r"\b(?:\w\.){2,}$|\b(?:Inc|Ltd|Co|Corp|Jr|Sr|No|Mr|Mrs|Dr|St|etc)\.$")
_NEAR = 1  # most shared words of more than four letters between a sentence of another claim and this scene


@dataclass(frozen=True)
class Edit:
    """Replacement of the characters `start` to `end` of a sentence; a `whole` text is inserted before that sentence."""

    sentence: int
    start: int
    end: int
    text: str
    whole: bool = False


@dataclass(frozen=True)
class Scene:
    """A clean explanation: `parses` are those of the sentences `said`, `source` is the parse of claim and evidence."""

    claim: ExplainedClaim
    said: tuple[str, ...]
    parses: tuple["Doc", ...]
    source: "Doc"

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the words of evidence and explanation, in lower case."""
        return frozenset(word.lower_ for doc in (self.source, *self.parses) for word in doc)

    @cached_property
    def text(self) -> str:
        """Return evidence and explanation as one text."""
        return f"{self.source.text} {' '.join(self.said)}"

    @cached_property
    def numbers(self) -> list[Quantity]:
        return quantities(self.text)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """Return the sentences that end with a full stop or exclamation mark, not with an abbreviation.

        A clause can be inserted before this mark.
        """
        stops = [at for at, said in enumerate(self.said) if said.endswith((".", "!"))]
        return tuple(at for at in stops if not _SHORTENED.search(self.said[at]))


@dataclass(frozen=True)
class Elsewhere:
    """Material from other claims: names by kind, sentences with their claim_id, and the whole `claims`."""

    names: Mapping[str, Sequence[str]]
    sentences: Sequence[tuple[int, str]]
    claims: Sequence[ExplainedClaim] = ()

    @cached_property
    def near(self) -> Neighbors:
        """Return the claims, ranked by similarity."""
        return Neighbors(self.claims)


def scenes(claims: Sequence[ExplainedClaim], language: "Language") -> Iterator[Scene]:
    """Yield the scenes of the claims that have an explanation, in order."""
    explained = [claim for claim in claims if claim.explanation]
    sources = (Grounds.of(one).text for one in explained)
    for claim, source in zip(explained, language.pipe(sources, batch_size=32), strict=True):
        said = tuple(sentences(" ".join((claim.explanation or "").split())))
        yield Scene(claim, said, tuple(language.pipe(said)), source)


def elsewhere(found: Sequence[Scene]) -> Elsewhere:
    names: dict[str, dict[str, None]] = defaultdict(dict)
    put_in: dict[tuple[int, str], None] = {}
    for scene in found:
        for doc in (scene.source, *scene.parses):
            for name in names_of(doc):
                names[name.label_][name.text] = None
        texts = (text for piece in pieces(scene.claim) for text in sentences(piece.text))
        for text in texts:
            is_whole = text.endswith(".") and text[:1].isupper() and "claim" not in text.lower()
            if is_whole and SHORTEST <= len(text.split()) <= LONGEST:
                put_in[(scene.claim.claim_id, text)] = None
    of_names = {kind: list(them) for kind, them in names.items()}
    return Elsewhere(of_names, list(put_in), [scene.claim for scene in found])


def sentence_of_another(scene: Scene, told: Sequence[tuple[int, str]], draw: Random) -> str | None:
    """Return a sentence of another claim that shares hardly a word with this one; None if no try finds one."""
    known = {word for word in scene.words if len(word) > 4}
    for of, sentence in (draw.choice(told) for _ in range(TRIES if told else 0)):
        shared = {word.lower() for word in re.findall(r"\w+", sentence)} & known
        if of != scene.claim.claim_id and len(shared) <= _NEAR:
            return sentence
    return None
