"""Agreement of raters beyond chance: 1 is full agreement, 0 is agreement as by chance, below 0 is less than by
chance.
"""

from collections.abc import Sequence


def cohen_kappa(first: Sequence[bool] | Sequence[str], second: Sequence[bool] | Sequence[str]) -> float | None:
    """Return Cohen's kappa (1960) of two raters, given their answers to the same units, in the same order.

    There may be more than two different answers. None if there is no unit, or all answers of both raters are equal.
    """
    if len({*first, *second}) < 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(first, second))


def fleiss_kappa(units: Sequence[tuple[int, int]]) -> float | None:
    """Return Fleiss' kappa of any number of raters who answer yes or no.

    `units` has, for each unit, how many raters said yes, and how many rated it (at least two).

    Fleiss' kappa (1971), in the form of Fleiss, Levin and Paik (2003, section 18.3) for yes and no with different
    numbers of raters per unit: 1 - sum(x (n - x) / n) / (N (mean n - 1) p (1 - p)), where p is the share of yes among
    all ratings. None if there is no unit, or all ratings are the same.
    """
    raters = sum(rated for _, rated in units)
    positive = sum(yes for yes, _ in units)
    if positive in (0, raters):
        return None
    share = positive / raters
    apart = sum(yes * (rated - yes) / rated for yes, rated in units)
    return 1 - apart / ((raters - len(units)) * share * (1 - share))
