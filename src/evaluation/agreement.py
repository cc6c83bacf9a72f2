"""How far raters agree beyond chance: 1 always, 0 as often as chance, below 0 less often."""

from collections.abc import Sequence


def cohen_kappa(first: Sequence[bool] | Sequence[str], second: Sequence[bool] | Sequence[str]) -> float | None:
    """Of two raters on the same units, with any number of answers (Cohen 1960).

    None where there is no unit, or both always say the same.
    """
    if len({*first, *second}) < 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    return float(cohen_kappa_score(first, second))


def fleiss_kappa(units: Sequence[tuple[int, int]]) -> float | None:
    """Of any number of raters who say yes or no.

    `units` are (who said yes, who rated), at least two of whom rated each.

    Fleiss' kappa (1971), as Fleiss, Levin and Paik (2003, section 18.3) write it for yes and no with other numbers of
    raters from unit to unit:
    1 - sum(x (n - x) / n) / (N (mean n - 1) p (1 - p)), where p is the share of yes among all ratings.
    None where there is no unit, or all always say the same.
    """
    raters = sum(rated for _, rated in units)
    said = sum(yes for yes, _ in units)
    if said in (0, raters):
        return None
    share = said / raters
    apart = sum(yes * (rated - yes) / rated for yes, rated in units)
    return 1 - apart / ((raters - len(units)) * share * (1 - share))
