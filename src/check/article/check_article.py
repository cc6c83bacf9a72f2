"""Check of an article: each of its claims is checked as a claim of its own. If one fails, the others go on."""

from collections.abc import Callable

import msgspec

from src.check.article.claims_of_article import ArticleClaim, ArticleClaims, LeftOut, claims_of
from src.check.records import CheckedClaim, CheckRequest
from src.errors import ClaimError, InputError, NetworkError, RefusedClaimError, one_line

CheckOne = Callable[[CheckRequest], CheckedClaim]


class CheckedPart(msgspec.Struct, frozen=True):
    """A claim of an article with its check; `failure` says why there is none."""

    claim: ArticleClaim
    checked: CheckedClaim | None = None
    failure: str = ""


class CheckedArticle(msgspec.Struct, frozen=True):
    """An article whose claims are checked.

    `name`: name of the article.
    `parts`: its claims, in its order.
    `left_out`: sentences that are not checked.
    """

    name: str
    parts: list[CheckedPart]
    left_out: list[LeftOut]

    @property
    def failed(self) -> int:
        return sum(part.checked is None for part in self.parts)


def claims_to_check(name: str, text: str, most: int) -> ArticleClaims:
    """Return at most `most` claims of the article called `name`, and its other sentences.

    Raises InputError if the text has nothing to check, MissingExtra when spaCy's small pipeline is not installed.
    """
    found = claims_of(text, most)
    if not found.claims:
        reasons = ", ".join(dict.fromkeys(one.reason for one in found.left_out)) or "it is empty"
        raise InputError(f"{name}: no sentence can be checked ({reasons})")
    return found


def check_article(
    name: str, found: ArticleClaims, request: CheckRequest, check: CheckOne, tell: Callable[[str], None]
) -> CheckedArticle:
    """Check the claims of an article, each with the sources and settings of `request`.

    `check` checks one claim. `tell` is called with a line when a claim begins. An error of one claim, or its refusal,
    is its failure. When the search ends after the first claim, all claims that are left fail. Raises any other error of
    `check`.
    """
    parts: list[CheckedPart] = []
    for place, claim in enumerate(found.claims, start=1):
        tell(f"claim {place} of {len(found.claims)}: {claim.claim}")
        own = msgspec.structs.replace(request, claim=claim.claim, speaker=claim.speaker or request.speaker)
        try:
            parts.append(CheckedPart(claim, check(own)))
        except (ClaimError, RefusedClaimError) as error:
            parts.append(CheckedPart(claim, failure=one_line(str(error))))
        except (NetworkError, InputError) as error:  # no search answers any more
            if not parts:
                raise
            parts += [CheckedPart(one, failure=one_line(str(error))) for one in found.claims[place - 1 :]]
            break
    return CheckedArticle(name, parts, found.left_out)
