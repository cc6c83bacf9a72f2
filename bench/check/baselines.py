"""Systems that know less than a check: the commonest label, the claim alone, the stances alone."""

from collections import Counter
from collections.abc import Sequence

from bench.check.measures import plain, row_of
from bench.check.records import Row
from bench.scoreboard.published import AVERITEC
from src.models.veracity import aggregate
from src.records import VERDICTS, Claim, Verdict
from src.stance.records import SIDE_OF, Stance
from src.store import read_claims
from src.text import same

_SAYS = {side: verdict for verdict, side in SIDE_OF.items()}


def baselines(claims: Sequence[Claim]) -> list[Row]:
    """Return the rows of systems that read no evidence."""
    commonest, _ = Counter(claim.label for claim in claims if claim.label).most_common(1)[0]
    train = read_claims(AVERITEC / "train.json") if (AVERITEC / "train.json").is_file() else []
    own = {same(claim.claim) for claim in claims}
    train = [claim for claim in train if same(claim.claim) not in own]
    guesses = {f"commonest label ({commonest})": [commonest] * len(claims)}
    guesses["always Refuted"] = [Verdict.REFUTED] * len(claims)
    if train:
        guesses["claim alone"] = claim_only(train, claims)
    return [row_of(name, claims, plain(claims, verdicts), None) for name, verdicts in guesses.items()]


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
