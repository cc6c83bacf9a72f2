"""McNemar's exact test: do two systems differ in how often they are right?

McNemar, "Note on the sampling error of the difference between correlated proportions or percentages", Psychometrika
1947. Only claims count on which exactly one system is right. If the systems are equally good, each is right on half of
them; the p-value is that of the two-sided binomial test.
"""


def mcnemar(first_alone: int, second_alone: int) -> float:
    """Return the p-value, given the numbers of claims on which only one system is right; 1 if both are 0."""
    differing = first_alone + second_alone
    if not differing:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(first_alone, differing, 0.5).pvalue)
