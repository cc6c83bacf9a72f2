"""Systems that know less than a check: the commonest label, the claim alone, the stances alone."""

from collections.abc import Sequence

from src.models.veracity import aggregate
from src.records import VERDICTS, Claim, Side, Verdict
from src.stance.records import Stance

_SAYS = {Side.FOR: Verdict.SUPPORTED, Side.AGAINST: Verdict.REFUTED}


def claim_only(train: Sequence[Claim], claims: Sequence[Claim]) -> list[Verdict]:
    """Return verdicts by the words of the claims alone: TF-IDF and logistic regression, trained on AVeriTeC's train."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    known = [claim for claim in train if claim.label is not None]
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2), min_df=2), LogisticRegression(C=1.0, max_iter=1000))
    model.fit([claim.claim for claim in known], [VERDICTS.index(claim.label) for claim in known if claim.label])
    return [VERDICTS[place] for place in model.predict([claim.claim for claim in claims])]


def entailment_alone(stances: Sequence[Stance]) -> Verdict:
    """Return the published rule's verdict on the pieces that are on a side; Not Enough Evidence where none is."""
    return aggregate([_SAYS[one.side] for one in stances if one.side in _SAYS])
