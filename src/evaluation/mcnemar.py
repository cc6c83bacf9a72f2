"""Whether two systems that are right on different claims differ in how often: McNemar's test, exact.

McNemar, "Note on the sampling error of the difference between correlated proportions or percentages", Psychometrika
1947. Of the claims on which one alone is right, each is right on half where neither is better; the p-value is that of
the two-sided binomial test.
"""


def mcnemar(first_alone: int, second_alone: int) -> float:
    """The p-value, of how many claims each is right on alone; 1 where there is none."""
    differing = first_alone + second_alone
    if not differing:
        return 1.0
    from scipy.stats import binomtest

    return float(binomtest(first_alone, differing, 0.5).pvalue)
